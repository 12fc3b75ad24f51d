#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a runtime that executes itself before the kernel reports that it was moved into the container's cgroup makes one container
# witness: a starter that a cpuset brings to the mover's CPU, as a real-time task; /proc; the order of
#	exec and move is seen in each run
# requires: any
# timeout: 90
# kernels: 5.10 6.1 debug
# processors: a task must move from one to the other
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

n=40
load
dump "$tmp/ev" -d 600 -t all -e sched_process_exec -e cgroup_attach_task
gapexec $n > "$tmp/made" 2> "$tmp/err" &
gap=$!
later "for i in {1..50}; do rmdir /sys/fs/cgroup{,/*}/box/????????????????????????????????????????????????????????????????; sleep 0.05; done"
later "kill -9 $gap \$(cut -d' ' -f2,3 $tmp/made); wait $gap"
wait_for 30 bash -c "grep -q done $tmp/made || ! kill -0 $gap" || give_up "it hangs: $(tail -n 2 "$tmp/made" "$tmp/err")"
if ! grep -q 'done' "$tmp/made"; then
	wait $gap
	[ $? != 4 ] || skip "no cpusets, or one CPU"
	give_up "gapexec: $(cat "$tmp/err")"
fi
sed -i /done/d "$tmp/made"
sleep 0.5
stop_dump
subscribe > "$tmp/seen"

# Was the order as intended? "TID TIME" of the kernel's first report of each starter
sed -nE 's/^([0-9]+) sched_process_exec .* tid=([0-9]+) vtid=.*/\2 \1 exec/p; s/^([0-9]+) cgroup_attach_task .* tid=([0-9]+) dst_path="?.*box.*/\2 \1 told/p' "$tmp/ev" > "$tmp/order"
gaps=$(awk 'NR == FNR { starter[$2] = 1; next } !starter[$1] { next } $3 == "exec" { exec[$1] = $2 } $3 == "told" && !told[$1] { told[$1] = $2 }
	END { for (p in exec) n += told[p] && exec[p] < told[p]; print n + 0 }' "$tmp/made" "$tmp/order")
at_least "starters that executed themselves before the move was told" $((n / 2)) "$gaps"
same "containers" $n "$(wc -l < "$tmp/made")"
good=0
while read -r path starter init; do
	line=$(awk -v p="$path" '$10 == p' "$tmp/seen")
	# cid parent pidns init flags
	read -r _ _ parent pidns first flags _ <<< "$line"
	if [ "$(wc -l <<< "$line")" = 1 ] && [ "$parent $first $flags" = "0 $init 0" ] && [ "$pidns" = "$(pidns_of "$init")" ]; then
		good=$((good + 1))
	else
		note "starter $starter, init $init: ${line:-no container}"
	fi
done < "$tmp/made"
same "each is one container, with its own pid namespace and init" $n $good
same "and there is no other" $n "$(awk -v p="^($(cut -d' ' -f3 "$tmp/made" | paste -sd'|'))\$" '$5 ~ p' "$tmp/seen" | wc -l)"
