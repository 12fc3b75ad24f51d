#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: interrupts that count in the same table as the tasks they interrupt: all is counted, between two counts of tracefs
# witness: kfree() between two instances of tracefs; tables of 4,096 rows and of 4
# requires: any
# timeout: 120
# shellcheck disable=SC2016 # the $words of aggregates
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# kfree() is called by tasks, soft interrupts and interrupts, at any moment. One tracer begins before the table and ends
# after it, another one the other way round.
tracing on kmem/kfree
outer=$tracefs/instances/ctrace-test
inner=$tracefs/instances/ctrace-inner
mkdir "$inner" || skip "no second instance"
later "rmdir $inner"
later "echo 0 > $inner/events/kmem/kfree/enable"
hits() { awk '/^(entries|overrun|dropped events):/ { s += $NF } END { print s + 0 }' "$1"/per_cpu/cpu*/stats; }

# load on soft interrupts: packets over the loopback; on tasks: programs that begin and end
storm() {
	ip link set lo up 2> /dev/null
	while :; do cat /proc/self/status > /dev/null; done & later "kill $!"
	while :; do echo x > /dev/udp/127.0.0.1/9; done 2> /dev/null & later "kill $!"
	counted 0 1000000000 > /dev/null 2>&1 & later "kill $!"
}
# nest AGGREGATE ROWS: counts calls of kfree()
nest() {
	local sum hist lost low high
	mkfifo "$tmp/in.$2"
	rm -f "$tmp/err"
	high=$(hits "$outer")
	echo 1 > "$outer/events/kmem/kfree/enable"
	tables sum 0 raw:kfree "$1" "$2" < "$tmp/in.$2" > "$tmp/sum" 2> "$tmp/err" & local job=$!
	exec 5> "$tmp/in.$2"
	wait_for 20 grep -q counting "$tmp/err" || give_up "tables: $(cat "$tmp/err")"
	low=$(hits "$inner")
	echo 1 > "$inner/events/kmem/kfree/enable"
	sleep 2
	echo 0 > "$inner/events/kmem/kfree/enable"
	low=$(($(hits "$inner") - low))
	echo >&5
	wait $job || not_ok "tables ended with status $?: $(cat "$tmp/err")"
	exec 5>&-
	echo 0 > "$outer/events/kmem/kfree/enable"
	high=$(($(hits "$outer") - high))
	read -r sum hist lost < "$tmp/sum"
	note "$1, $2 rows: $low <= $sum + $lost <= $high"
	at_least "at least what was traced inside" "$low" "$((sum + lost))"
	at_least "at most what was traced around it" "$((sum + lost))" "$high"
	same "its histograms count the same" "$sum" "$hist"
}
storm
before=$(hits "$outer")
nest 'count(), hist(arg1) by $comm, $tid, $cpu' 4096
nest 'count(), hist(arg1) by $tid, arg1&0xff0' 4
at_least "there was something to count" 1000 $(($(hits "$outer") - before))
# samples come in interrupts that cannot be kept off, where the machine has them
read -r sum hist lost < <(tables sum 2 sample:499 'count() by $comm, $tid, stack' 8 2> /dev/null)
at_least "samples are counted" 100 "${sum:-0}"
