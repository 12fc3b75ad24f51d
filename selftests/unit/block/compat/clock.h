/* SPDX-License-Identifier: GPL-2.0-only */
#include "block_shim.h"
