#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: neighbours stay spared while containers are born and die all the time, beside very many threads
# witness: pairs of containers in every order that runtimes use, beside thousands of threads: nobody pays
#	again; then all do, for a tracer and a session
# requires: v2,v1
# timeout: 300
# torture: 1800
# kernels: 6.1 debug
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
cheap box -n box -- calls -r 100 100000000
cid=$(of_pid "$pid" cid)
threads=$(long 2000 20000)
room_for_tasks "$threads"
idlers "$threads" > "$tmp/idlers" &
later "kill -9 $!"
wait_for 120 grep -q "ready [0-9]" "$tmp/idlers" || give_up "no $threads threads: $(cat "$tmp/idlers")"
dump "$tmp/ev" -d 600 -t "cid:$cid" -e syscall:getpriority
waiter neighbour
check "tasks are spared" wait_for 20 some_spared
# recalls, and ns in which nobody could be spared
recalls() { ctrace status --json | jq -r '.module | "\(.recalls) \(.recalled_ns)"'; }
read -r before off_before <<< "$(recalls)"
maker -n "$(long 300 5000)" -o "$tmp/made" & maker=$!
later "kill -9 $maker"
begin=$(date +%s%N) samples=0 with=0
while kill -0 $maker 2> /dev/null; do
	samples=$((samples + 1))
	! some_spared 0 || with=$((with + 1))
	sleep 0.2
done
wait $maker
pairs=$(wc -l < "$tmp/made")
ms=$((($(date +%s%N) - begin) / 1000000))
sleep 3	# the last ones are forgotten, two seconds after their deaths
note "$threads threads; $pairs pairs of containers in $ms ms; somebody was spared in $with of $samples looks"
note "$(ctrace status | grep -v '^ *$')"
at_least "pairs of containers, with their deaths" 200 "$pairs"
same "looks in which somebody was spared" "$samples" "$with"
# Nothing that sessions want has changed. Once or twice all may have paid for another reason: a v1 hierarchy, a tracer
read -r after off_after <<< "$(recalls)"
least=$((after - before)) off_ms=$(((off_after - off_before) / 1000000))
check "tasks could be spared for 99 % of that time (not for $off_ms of $ms ms)" [ $((off_ms * 100)) -le "$ms" ]
check "deaths and births made nobody pay again (recalls: $least)" [ "$least" -le 3 ]

# More threads than one batch has: all get their flags back, by the work and by a command
some_many() { [ "$(spared)" -ge $((threads / 2)) ]; }
check "most threads are spared" wait_for $((20 + $(sed 's/ready //' "$tmp/idlers"))) some_many
event=$tracefs/instances/ctrace-test/events/syscalls/sys_enter_getpriority/enable
tracing on
if [ -e "$event" ]; then
	later "echo 0 > $event"
	echo 1 > "$event"
	check "another tracer begins: soon none is spared any more" wait_for 2 none_spared
	echo 0 > "$event"
fi
dump "$tmp/all" -d 600 -t all -t host -e syscalls
same "a session that wants all: none is spared once it has begun" 0 "$(spared)"
