#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a holder who polls, in whatever way, costs a neighbour nothing, and a thousand who wait are not woken for it
# witness: IRQ works a second and a neighbour's rate of calls, beside holders that poll, ask epoll with
#	8,000 copies, copy and close; context switches of 200 (1,000) who wait
# requires: any
# timeout: 120
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2046 # words
program strangers_poll $(long '2 200' '10 1000')
