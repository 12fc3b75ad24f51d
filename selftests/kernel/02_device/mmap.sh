#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a mapping is always read-only, whatever offset, length and protection are asked for
# witness: every wrong offset, length, protection; mprotect, mremap, fork
# requires: any
# timeout: 60
# processors: rings of two processors lie side by side
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_mmap
