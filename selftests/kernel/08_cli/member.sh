#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: with CAP_PERFMON alone, as the copy for the group ctrace has it: traces, records, asks for births and deaths
# witness: a copy of the command with CAP_PERFMON alone, run by a user: traces, records, sees a birth and
#	a death, ends with its container
# requires: v2,setcap
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(cat /proc/sys/kernel/cap_last_cap)" -ge 38 ] || skip "this kernel has no CAP_PERFMON"
load
cp "$(readlink -f "$(command -v ctrace)")" "$tmp/member"
# group 4711 stands for the group
chgrp 4711 "$tmp/member"
chmod 750 "$tmp/member"
chmod 755 "$tmp"
mkdir -m 777 "$tmp/d"
setcap cap_perfmon=ep "$tmp/member" || give_up setcap
as_member() { setpriv --reuid 1234 --regid 1234 --groups 4711 "$tmp/member" "$@"; }
cheap old -g "/docker/$(hex64 old)" -- bash -c 'while :; do read -t 0.1 < <(:); done'
as_member trace all --duration 2 > "$tmp/out" 2> "$tmp/err"
same "trace all" 0 $?
has "the container's calls" "$(hex64 old | cut -c1-12) .*pipe2" "$tmp/out"
has_not "nothing is refused" 'permitted|CAP_' "$tmp/err"
as_member record -o "$tmp/d/rec" all --duration 1 > /dev/null 2>&1
same "record all" 0 $?
as_member trace -- true > /dev/null 2> "$tmp/err"
same "trace a command" 0 $?
# containers that come and go in between
bash -c 'trap - INT; exec setpriv --reuid 1234 --regid 1234 --groups 4711 "$@"' sh "$tmp/member" ps --follow > "$tmp/births" 2> "$tmp/births.err" & job=$!
later "kill -9 $job"
check "it says what may be missing" wait_for 20 grep -q 'for less than 0.25 s may be missing' "$tmp/births.err"
cheap young -g "/docker/$(hex64 young)" -- sleep 1000
check "a birth" wait_for 20 grep -q " born .*$(hex64 young)" "$tmp/births"
kill -9 "$pid"
check "its death" wait_for 20 grep -q " died .*$(hex64 young)" "$tmp/births"
# a session ends with its last container
cheap last -g "/docker/$(hex64 last)" -- sleep 1000
as_member trace "$(hex64 last)" > /dev/null 2>&1 & tracer=$!
sleep 2
kill -9 "$pid"
check "the trace of a container ends with it" wait_for 20 eval "! kill -0 $tracer 2> /dev/null"
