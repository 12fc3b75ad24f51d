#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the trace of a container ends when the container does
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 ends)" -- /bin/sh -c 'counted 1 5; sleep 2; counted 1 5'
timeout 100 ctrace trace "cid:$(of_pid "$pid" cid)" > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
has "it says why it ended" 'ended' "$tmp/err"
has "its last call is there" 'exit_group' "$tmp/out"
