#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: time wakes a reader, not each event
# requires: any
# timeout: 90
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook wakeups
