#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the targets "all" and "host"
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 all)" -- /bin/sh -c 'while :; do counted 1 1; sleep 0.05; done'
cid=$(of_pid "$pid" cid)
(while :; do counted 2 1; sleep 0.05; done) & later "kill $!"
ctrace trace all --json -e getpriority --duration 1 > "$tmp/out" 2> "$tmp/err"
same "all: the host's and the container's" "0 $cid" "$(jq -r .cid "$tmp/out" | sort -nu | tr '\n' ' ' | sed 's/ $//')"
ctrace trace host --json -e getpriority --duration 1 > "$tmp/out" 2> "$tmp/err"
same "host: the host's alone" 0 "$(jq -r .cid "$tmp/out" | sort -nu | tr '\n' ' ' | sed 's/ $//')"
