#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: N records a second for each container: the noisy one is limited, the quiet one loses nothing, all is counted
# witness: exactly counted calls: recorded + held back = made; the neighbour loses none
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
rate=500 noisy=30000 quiet=200
work() { echo "until [ -e $tmp/go ]; do sleep 0.1; done; $1; echo done; sleep 10000"; }
cheap noisy -g "/box/$(hex64 noisy)" -- sh -c "$(work "counted 1 $noisy")"
n=$(of_pid "$pid" cid)
cheap quiet -g "/box/$(hex64 quiet)" -- sh -c "$(work "for i in 1 2 3 4 5 6 7 8; do counted 2 $((quiet / 8)); sleep 0.3; done")"
q=$(of_pid "$pid" cid)
check "two containers" test "${n:-0}" -gt 0 -a "${q:-0}" -gt 0
dump "$tmp/ev" -v -r $rate -t "cid:$n" -t "cid:$q" -e call:getpriority
began=$SECONDS
touch "$tmp/go"
wait_for 60 grep -q "^done" "$tmp/noisy.out"
wait_for 60 grep -q "^done" "$tmp/quiet.out"
seconds=$((SECONDS - began + 2))
stop_dump
seen=$(grep -c "cid=$n .*who=1\$" "$tmp/ev")
dropped=$(sed -n "s/^limited cid=$n dropped=//p" "$tmp/ev.err")
at_least "the noisy one: recorded" $rate "$seen"
check "not more than $rate a second" test "$seen" -le $((rate * seconds))
same "recorded and held back: made" $noisy $((seen + dropped))
same "the quiet one: all" $quiet "$(grep -c "cid=$q .*who=2\$" "$tmp/ev")"
has_not "nothing of it held back" "limited cid=$q " "$tmp/ev.err"
same "the session's sum" "$dropped" "$(sed -n 's/.* limited \([0-9]*\) .*/\1/p' "$tmp/ev.err")"
# A container that is gone: another may have its place now, and the session keeps its count.
dump "$tmp/ev" -v -r 100 -t all -e call:getpriority
ctbox -g "/box/$(hex64 gone)" -- counted 3 5000
wait_for 10 bash -c "! subscribe | grep -q $(hex64 gone)"
stop_dump
seen=$(grep -c 'who=3$' "$tmp/ev")
dropped=$(sed -n 's/.* limited \([0-9]*\) .*/\1/p' "$tmp/ev.err")
same "one that has gone: recorded and held back" 5000 $((seen + dropped))
