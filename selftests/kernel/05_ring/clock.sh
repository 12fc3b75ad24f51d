#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the time of a record is CLOCK_MONOTONIC
# witness: 2,000 calls, each between two readings of that clock
# requires: any
# kernels: 5.10,6.1,newest,arm64
# timeout: 90
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook clock
