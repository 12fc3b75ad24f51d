#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a runtime that is between its namespaces and its program when the module comes does not make two of its container
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

unload || give_up "it was loaded and does not go"
path=/box/docker-$(hex64 older-starter).scope
# The starter has mounts of its own, and the host's pids. What it starts is the init of a pid namespace.
mkfifo "$tmp/begin"
# shellcheck disable=SC2016 # for the starter, which must not fork before
cheap box -H -g "$path" -- unshare -m --pid bash -c 'read -r _ < "$0"
	bash -c "counted 82 5; exec sleep 1000" & wait' "$tmp/begin"
load
dump "$tmp/ev" -d 600 -t all -e syscall:getpriority
cid=$(of_path "$path" cid)
at_least "it is known" 1 "$cid"
echo > "$tmp/begin"
wait_for 20 lines 5 'entry.*who=82( |$)' "$tmp/ev"
stop_dump
same "its program's calls are its own" "$cid" "$(cids "$tmp/ev" 'entry.*who=82( |$)')"
same "nothing is in it" 0 "$(subscribe | awk -v c="$cid" '$1 == "has" && $3 == c' | wc -l)"
