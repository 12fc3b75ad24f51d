#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: interrupt events come in pairs, with their names, and go to the host, never to the container they interrupt
# witness: tracefs counts of the same time, /proc/interrupts, a container that runs at that time
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
# shellcheck disable=SC2016 # for its shell
cheap busy -g "/box/$(hex64 irq)" -- /bin/sh -c 'while :; do i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done; echo busy; done'
cid=$(of_pid "$pid" cid)
witness irq/irq_handler_entry irq/irq_handler_exit
dump "$tmp/ev" -t host -t "cid:$cid" -e irq_handler_entry -e irq_handler_exit -e syscall:write
# reading files makes the disk interrupt
echo 3 > /proc/sys/vm/drop_caches
find / -xdev -name '*.so' -exec cat {} + 2> /dev/null | head -c 8000000 > /dev/null
sleep 0.5
stop_dump
witnessed "$tmp/w"
grep irq_handler "$tmp/ev" > "$tmp/irq"
first=$(head -n 1 "$tmp/irq" | cut -d' ' -f1) last=$(tail -n 1 "$tmp/irq" | cut -d' ' -f1)
between "$tmp/w" "${first:-0}" "${last:-0}" > "$tmp/w2"
near "entries, as the witness" 2 "$(grep -c irq_handler_entry: "$tmp/w2")" "$(grep -c irq_handler_entry "$tmp/irq")"
near "exits, as entries" 1 "$(grep -c irq_handler_entry "$tmp/irq")" "$(grep -c irq_handler_exit "$tmp/irq")"
at_least "the container ran meanwhile" 10 "$(grep -c "syscall_entry_write cid=$cid " "$tmp/ev")"
same "they are the host's, and no task's" "$(wc -l < "$tmp/irq")" "$(grep -cE 'irq_handler_(entry|exit) cid=0 tid=0 vtid=0 ' "$tmp/irq")"
sed -nE 's/.* irq=([0-9]+) name="(.*)"$/\1 \2/p' "$tmp/irq" | sort -u > "$tmp/names"
while read -r irq name; do
	case $name in
	# arm64 lists interrupts between processors by their purpose
	IPI) has "irq $irq is one between processors" '^ *IPI[0-9]+:' /proc/interrupts;;
	*) has "irq $irq is $name" "^ *$irq:.*$name" /proc/interrupts;;
	esac
done < "$tmp/names"
has "handled ones say so" 'irq_handler_exit .* ret=1$' "$tmp/irq"
