#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a kprobe by symbol fires in the container, and only for it
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
symbol=$(open_function)
cheap box -g "/box/$(hex64 kprobe)" -- /bin/sh -c 'while :; do cat /etc/hostname; sleep 0.05; done'
cid=$(of_pid "$pid" cid)
dump_until 20 kprobe "$tmp/ev" -t "cid:$cid" -e "kprobe:$symbol"
at_least "hits" 10 "$(grep -c "kprobe" "$tmp/ev")"
same "of the container alone" "$cid" "$(cids "$tmp/ev" .)"
has_not "all decodable" 'undecodable|unknown-id' "$tmp/ev"
