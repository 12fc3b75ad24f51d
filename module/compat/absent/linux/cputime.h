/* SPDX-License-Identifier: GPL-2.0-only */
/* 3.16 to 5.10 or so */
#include <asm/cputime.h>
