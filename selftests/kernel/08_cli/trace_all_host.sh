#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the targets "all" and "host"
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 all)" -- ticker 50 1
cid=$(of_pid "$pid" cid)
ticker 50 2 & later "kill $!"
ctrace trace all --json -e getpriority --duration 1 > "$tmp/out" 2> "$tmp/err"
same "all: the host's and the container's" "0 $cid" "$(jq -r .cid "$tmp/out" | sort -nu | tr '\n' ' ' | sed 's/ $//')"
ctrace trace host --json -e getpriority --duration 1 > "$tmp/out" 2> "$tmp/err"
same "host: the host's alone" 0 "$(jq -r .cid "$tmp/out" | sort -nu | tr '\n' ' ' | sed 's/ $//')"
