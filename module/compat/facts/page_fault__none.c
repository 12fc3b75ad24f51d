// SPDX-License-Identifier: GPL-2.0-only
/* this kernel has no such tracepoints: their functions do not exist */
#include <linux/mm.h>
#include <trace/events/exceptions.h>
#include <asm/trace/exceptions.h>
int trace_page_fault_user;
