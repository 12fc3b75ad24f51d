#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the holder of a mapping cannot write to it, grow it, keep it after its end, or break the session that ends under it
# witness: writes by force, advice, moves, holes, vmsplice, sessions that end underneath
# requires: any
# timeout: 90
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program hostile_maps "$(long 2 120)"
