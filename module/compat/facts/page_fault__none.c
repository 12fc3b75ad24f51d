// SPDX-License-Identifier: GPL-2.0-only
#if __has_include("trace/events/exceptions.h") || __has_include("asm/trace/exceptions.h")
#error no
#endif
