#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: an idle session wakes no reader, and one record wakes a reader that rested
# requires: any
# timeout: 90
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook idle
