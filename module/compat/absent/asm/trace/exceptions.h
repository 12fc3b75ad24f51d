/* SPDX-License-Identifier: GPL-2.0-only */
/* x86 alone, from 3.12 */
