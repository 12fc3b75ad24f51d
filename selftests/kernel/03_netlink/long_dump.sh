#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a dump of many rings continues where it was, and does not begin anew with each message
# witness: 800 rings among 20,000 slots, in messages of 4 and 32 KiB: the thread's time
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_dumps
