#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a record's time is CLOCK_MONOTONIC's
# requires: any
# kernels: 5.10,6.1,newest,arm64
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook clock
