#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: when the owner's socket closes, a reader drains the rings and learns that the session ended
# witness: kill -9 under load, then refcount, /proc/vmallocinfo, kprobe list, rmmod
# requires: any
# timeout: 60
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook hup
