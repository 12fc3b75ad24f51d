#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: -e EVENT if EXPRESSION shows the events that pass, and no others
# witness: the same command without them; the events that pass and those that do not
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

load
cmd() { cat /etc/passwd /etc/group /no/such/file; }
export -f cmd
ctrace trace -e openat -- bash -c cmd > "$tmp/all" 2> "$tmp/err"
ctrace trace -e 'openat if filename ~ "/etc/*" && ret >= 0' -- bash -c cmd > "$tmp/out" 2> "$tmp/err"
for f in passwd group; do has "passes: $f" "openat\(AT_FDCWD[^,]*, \"/etc/$f\"" "$tmp/out"; done
has_not "by string" '"/(usr|lib|no)' "$tmp/out"
has_not "by result" '= -1' "$tmp/out"
same "the same number as without it" "$(grep -cE '"/etc/.*= [0-9]' "$tmp/all")" "$(grep -c 'openat(' "$tmp/out")"
ctrace trace --json -e 'sched:sched_switch if prev_comm ~ "slee[p]" && prev_prio < 130' -e 'openat if ret == -2 || ret == -13' -- bash -c 'sleep 0.1; cat /no/such' 2> "$tmp/err" | grep '^{' > "$tmp/out"
same "a tracepoint's fields" sleep "$(jq -r 'select(.event == "sched_switch") | .fields.prev_comm' "$tmp/out" | sort -u)"
same "a call's beside it" ENOENT "$(jq -r 'select(.syscall) | .errno' "$tmp/out" | sort -u)"
refuse "no such field" 'filname.*filename' ctrace trace -e 'openat if filname == "x"' -- true
refuse "no value" 'column' ctrace trace -e 'openat if ret <' -- true
refuse "no condition" "'if' needs a condition after it" ctrace trace -e 'openat if' -- true
refuse "two conditions" "openat' twice" ctrace trace -e 'openat if ret < 0' -e 'openat if ret > 0' -- true
ctrace trace --filter '$comm == "cat"' -e openat -- bash -c 'cat /etc/passwd; head -n 1 /etc/group' > "$tmp/out" 2> "$tmp/err"
has "--filter: passes" '"/etc/passwd"' "$tmp/out"
has_not "--filter: does not" '"/etc/group"' "$tmp/out"
