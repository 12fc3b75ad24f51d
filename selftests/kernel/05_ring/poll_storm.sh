#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: who polls a view in a loop costs its neighbours nothing
# witness: IRQ works in /proc/interrupts: none for the neighbour's records, one each 5 ms, or each ms,
#	for its own
# requires: any
# timeout: 120
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program polls storm
