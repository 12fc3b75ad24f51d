#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a signal is recorded in the receiver's container, and without the receiver's name in the sender's; delivery has the handler; the kernel's own
# witness: kill into a container and inside it; tracefs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness signal/signal_generate signal/signal_deliver
# Its first process ends: the kernel kills the other.
cheap left -g "/box/$(hex64 left)" -- /bin/sh -c "sleep 1000 & until [ -e $tmp/go ]; do sleep 0.05; done"
left=$(of_pid "$pid" cid) init=$pid
cheap box -g "/box/$(hex64 signal)" -- /bin/sh -c "while [ ! -e $tmp/go ]; do sleep 0.05; done; exec cause signals"
cid=$(of_pid "$pid" cid)
recorder whole -N -t host -t "cid:$cid" -e signal_generate
recorder receiver -N -t "cid:$cid" -e signal_generate
recorder sender -N -t host -e signal_generate
dump "$tmp/ev" -t host -t "cid:$cid" -t "cid:$left" -e signal_generate -e signal_deliver
touch "$tmp/go"
wait_for 20 grep -q child= "$tmp/box.out" || give_up "cause signals: $(cat "$tmp/box.out")"
sleep 0.5
kill -USR2 "$pid"
wait_for 20 test ! -d "/proc/$pid"
# shellcheck disable=SC2086 # several
kill $recorders
stop_dump
# shellcheck disable=SC2086 # several
wait $recorders
witnessed "$tmp/w"
handler=$(sed -n 's/.*handler=\([^ ]*\) .*/\1/p' "$tmp/box.out")
has "from outside, in the receiver's: nothing of the sender" "signal_generate cid=$cid tid=$pid vtid=1 sig=12 errno=0 code=0 comm=\"cause\" tid=$pid group=1 result=0 sender_tid=0 sender_cid=0\$" "$tmp/ev"
has "from outside, in the sender's: number but no name" "signal_generate cid=0 tid=$$ vtid=$$ sig=12 errno=0 code=0 comm=\"\" tid=$pid group=1 result=0 sender_tid=$$ sender_cid=0\$" "$tmp/ev"
same "that is two" 2 "$(grep -c "signal_generate .* sig=12 .* tid=$pid " "$tmp/ev")"
both="sig=12 errno=0 code=0 comm=\"cause\" tid=$pid group=1 result=0 sender_tid=$$ sender_cid=0"
same "with both sides: once, in the receiver's" "cid=$cid tid=$pid vtid=1 $both" "$(sed -n "s/.* signal_generate \(.* sig=12 .*\)/\1/p" "$tmp/whole")"
same "the same if the receiver alone is wanted" "cid=$cid tid=$pid vtid=1 $both" "$(sed -n "s/.* signal_generate \(.* sig=12 .*\)/\1/p" "$tmp/receiver")"
same "if the sender alone is wanted: in the sender's" "cid=0 tid=$$ vtid=$$ $both" "$(sed -n "s/.* signal_generate \(.* sig=12 .*\)/\1/p" "$tmp/sender")"
has "inside: the sender" "signal_generate cid=$cid .* sig=10 .* sender_tid=$pid sender_cid=$cid\$" "$tmp/ev"
same "inside: once" 1 "$(grep -c 'signal_generate .* sig=10 ' "$tmp/ev")"
has "inside: by name, in its own" "signal_generate cid=$cid tid=[0-9]+ vtid=[0-9]+ sig=10 errno=0 code=0 comm=\"cause\" " "$tmp/ev"
# Only some architectures pass SA_RESTORER (the 4).
has "delivered to the handler" "signal_deliver cid=$cid tid=$pid vtid=1 sig=12 errno=0 code=0 sa_handler=$handler sa_flags=0x1[04]000000\$" "$tmp/ev"
has "and to the child's" "signal_deliver cid=$cid tid=[0-9]+ vtid=([2-9]|[1-9][0-9]+) sig=10 .* sa_handler=$handler " "$tmp/ev"
has "the witness: generated" "signal_generate: sig=12 errno=0 code=0 comm=cause pid=$pid grp=1 res=0" "$tmp/w"
has "the witness: delivered" "signal_deliver: sig=12 errno=0 code=0 sa_handler=${handler#0x} sa_flags=1[04]000000" "$tmp/w"
killed=$(sed -nE "s/.* signal_generate cid=$left .* sig=9 errno=0 code=([0-9]+) comm=\"sleep\" tid=([0-9]+) group=[01] result=0 sender_tid=$init sender_cid=$left\$/\1 \2/p" "$tmp/ev")
read -r code tid <<< "$killed"
has "the kernel's own, of the first process that ends, as the witness has it" "signal_generate: sig=9 errno=0 code=${code:-none} comm=sleep pid=${tid:-none} " "$tmp/w"
