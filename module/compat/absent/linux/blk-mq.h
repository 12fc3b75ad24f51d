/* SPDX-License-Identifier: GPL-2.0-only */
/* since 3.13 */
