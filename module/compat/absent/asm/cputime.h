/* SPDX-License-Identifier: GPL-2.0-only */
/* before 4.11 or so, of some architectures until 6.x */
