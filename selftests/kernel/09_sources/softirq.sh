#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: entry and exit of soft interrupts belong to the host; raising one belongs to the task that raised it
# witness: tracefs counts by vector; a container sends datagrams to itself
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
ip link set lo up 2> /dev/null
witness irq/softirq_raise irq/softirq_entry irq/softirq_exit
cheap box -g "/box/$(hex64 softirq)" -- /bin/sh -c "while [ ! -e $tmp/go ]; do sleep 0.05; done; exec cause udp 50"
cid=$(of_pid "$pid" cid)
dump "$tmp/ev" -t host -t "cid:$cid" -e irq_softirq_raise -e irq_softirq_entry -e irq:softirq_exit
touch "$tmp/go"
wait_for 20 grep -q pid= "$tmp/box.out" || give_up "cause udp: $(cat "$tmp/box.out")"
wait_for 20 test ! -d "/proc/$pid"
stop_dump
witnessed "$tmp/w"
first=$(head -n 1 "$tmp/ev" | cut -d' ' -f1) last=$(tail -n 1 "$tmp/ev" | cut -d' ' -f1)
between "$tmp/w" "$first" "$last" > "$tmp/w2"
for vec in 1 3; do
	near "vector $vec entered" 4 "$(grep -c "softirq_entry: vec=$vec " "$tmp/w2")" "$(grep -c "irq_softirq_entry cid=0 tid=0 vtid=0 vec=$vec\$" "$tmp/ev")"
	near "vector $vec left" 4 "$(grep -c "softirq_exit: vec=$vec " "$tmp/w2")" "$(grep -c "irq_softirq_exit cid=0 tid=0 vtid=0 vec=$vec\$" "$tmp/ev")"
	near "vector $vec raised" 4 "$(grep -c "softirq_raise: vec=$vec " "$tmp/w2")" "$(grep -c "irq_softirq_raise .* vec=$vec\$" "$tmp/ev")"
done
has_not "entries are the host's alone" "softirq_(entry|exit) cid=($cid|0 tid=[1-9])" "$tmp/ev"
at_least "receiving (3) was raised by the container's task" 45 "$(grep -c "irq_softirq_raise cid=$cid tid=$pid vtid=1 vec=3\$" "$tmp/ev")"
