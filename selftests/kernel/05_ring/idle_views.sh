#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: views of an idle container are not woken for others
# witness: 500 processes of nobody wait; how often each slept, by /proc; then a record of their own wakes
#	them all
# requires: any
# timeout: 180
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program polls idle
