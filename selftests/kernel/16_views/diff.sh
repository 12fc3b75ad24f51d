#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace diff: what two recordings have of containers whose work is known, twice as much in the second; its rates and changes
# witness: programs that count and time themselves, /proc/PID/schedstat, cpu.stat, a disk of known latency
# columns: diff: PER_SECOND A B CHANGE CALL A/S B/S FAILED_A/S TIME_A/S P99_A
# columns: diff: ran waited throttled slept call_time calls errors disk_requests disk_bytes tcp_ended tx_bytes rx_bytes
# columns: diff: p99_of_a_wait p99_of_a_request
# requires: v2
# timeout: 150
# processors: its programs are pinned to either of them
# shellcheck disable=SC2016 # perl's, awk's and jq's own dollars
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
[ "$(cut -d' ' -f1 /proc/self/schedstat)" != 0 ] || skip "the kernel keeps no account of waits"
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=5000000 submit_queues=1 gb=1 || skip "no null_blk"
later "rmmod null_blk"
load
cpu_controller
ip link set lo up
server='use IO::Socket::INET; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7799, Listen => 5, ReuseAddr => 1) or die "$@";
	open my $f, ">", "'$tmp'/listens"; close $f;
	while ($c = $s->accept) { $n = 0; while ($n < 20000) { $n += sysread $c, $b, 65536 } syswrite $c, "y" x 3000; close $c }'
perl -e "$server" &
later "kill $!"
wait_for 20 test -e "$tmp/listens" || give_up "no server"
client='use IO::Socket::INET; $c = IO::Socket::INET->new("127.0.0.1:7799") or die "$@"; syswrite $c, "x" x 20000; while (sysread($c, $b, 65536) > 0) { }'
# N times the same work: 300 calls that fail, 5 sleeps of 20 ms and as many waits of a lock, 4 reads, a connection
mkfifo "$tmp/go"
cat > "$tmp/work" << END
while read -r n < $tmp/go; do
	counted 5 \$((300 * n))
	waits sleep \$((5 * n)) 20 > $tmp/slept.\$n
	dd if=/dev/nullb0 of=/dev/null bs=4k count=\$((4 * n)) iflag=direct 2> /dev/null
	while [ \$n -gt 0 ]; do perl -e '$client'; n=\$((n - 1)); done
	: > $tmp/done
done
END
cheap box -g "/box/$(hex64 box)" -- sh "$tmp/work"
box=$(hex64 box) cid=$(of_pid "$pid" cid)
cheap pair -g "/box/$(hex64 pair)" -- sh -c 'taskset -p 1 $$ > /dev/null; (while :; do :; done) & while :; do :; done'
pair=$(hex64 pair) pair_cid=$(of_pid "$pid" cid)
sleep 0.2
tasks="$pid $(pgrep -P "$pid" | xargs)"
# the others are to get on beside it
echo 1 > "$mount/box/$pair/cpu.weight"
cheap tight -g "/box/$(hex64 tight)" -- taskset 2 sh -c 'while :; do :; done'
tight=$(hex64 tight) tight_cid=$(of_pid "$pid" cid)
dir=$mount/box/$tight
quota "$dir" 20 || skip "no quotas"
# account_of: prints what the scheduler has of the pair, ran and waited, and how often; and for how long the third had no quota
account_of() {
	local p r w n ran=0 waited=0 times=0
	for p in $tasks; do
		read -r r w n < "/proc/$p/schedstat" && ran=$((ran + r)) waited=$((waited + w)) times=$((times + n))
	done
	echo "$ran $waited $times $(account throttled_usec)"
}
recording() { ctrace status | grep -q ' recording'; }
# record SIDE N: sets least_SIDE and most_SIDE to how long it recorded, at least and at most, in ns; ran_SIDE, waited_SIDE, times_SIDE, quota_SIDE
record() {
	local began from r0 w0 n0 q0 r w n q job
	rm -f "$tmp/done"
	began=$(date +%s%N)
	read -r r0 w0 n0 q0 < <(account_of)
	ctrace record -o "$tmp/$1" -e views --buffer-size 64M "cid:$cid" "cid:$pair_cid" "cid:$tight_cid" 2> "$tmp/$1.err" &
	job=$!
	later "kill $job"
	wait_for 20 recording || give_up "it does not record: $(cat "$tmp/$1.err")"
	from=$(date +%s%N)
	echo "$2" > "$tmp/go"
	wait_for 40 test -e "$tmp/done" || give_up "the work did not end"
	sleep 1
	eval "least_$1=$(($(date +%s%N) - from))"
	kill -INT $job
	wait $job
	read -r r w n q < <(account_of)
	eval "most_$1=$(($(date +%s%N) - began)) ran_$1=$((r - r0)) waited_$1=$((w - w0)) times_$1=$((n - n0)) quota_$1=$((q - q0))"
	has "$1: nothing was lost" ' 0 lost' "$tmp/$1.err"
}
# what it reads of other disks is in memory afterwards
echo 1 > "$tmp/go"
wait_for 40 test -e "$tmp/done" || give_up "the first work did not end"
record a 1
record b 2
# shellcheck disable=SC2154 # record sets them
{
ctrace diff --json --top 100 "$tmp/a" "$tmp/b" > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
# of NAME EXPRESSION: of a container's row
of() { jq -r ".rows[] | select(.container == \"${1:0:12}\") | $2" "$tmp/json"; }
note "$(of "$box" 'del(.syscalls)' | jq -c .)"
pair_of() { of "$box" ".$1 | \"\\(.a) \\(.b)\""; }
same "disk requests" "4 8" "$(pair_of disk_requests)"
same "and bytes" "16384 32768" "$(pair_of disk_bytes)"
same "connections" "1 2" "$(pair_of tcp_ended)"
same "bytes sent" "20000 40000" "$(pair_of tx_bytes)"
same "and received" "3000 6000" "$(pair_of rx_bytes)"
call() { of "$box" ".syscalls[] | select(.syscall == \"$1\") | $2"; }
same "a call, and its errors" "300 600 300 600" "$(call getpriority '"\(.calls.a) \(.calls.b) \(.errors.a) \(.errors.b)"')"
same "a call that never fails" "5 10 0 0" "$(call nanosleep '"\(.calls.a) \(.calls.b) \(.errors.a) \(.errors.b)"')"
# what all calls have together is what each has
for word in calls errors; do
	for side in a b; do same "$word together, $side" "$(of "$box" "[.syscalls[].$word.$side] | add")" "$(of "$box" ".$word.$side")"; done
done
k=1
for side in a b; do
	least=least_$side most=most_$side ran=ran_$side waited=waited_$side times=times_$side quota=quota_$side
	slept=$(sed -n 's/^slept=\([0-9]*\) .*/\1/p' "$tmp/slept.$k")
	in_range "$side: sleeps, as the program timed them" $((k * 99500000)) "$slept" "$(call nanosleep .total.$side)"
	in_range "$side: p99 of them, in its bucket" 13200000 $((slept - (5 * k - 1) * 19900000)) "$(call nanosleep .p99.$side)"
	in_range "$side: asleep and in calls: not less, and at most three tasks all the time" "$((k * 199000000))" $((3 * ${!most})) "$(of "$box" .slept.$side)"
	in_range "$side: in calls" "$((k * 199000000))" $((3 * ${!most})) "$(of "$box" .call_time.$side)"
	in_range "$side: p99 of a request of 5 ms, in its bucket" 3200000 "${!most}" "$(of "$box" .disk_p99.$side)"
	# the scheduler's account is of a longer time: by this much, in which the pair may have run on a CPU and both may have waited. A
	# wait that has not ended is not counted either
	more=$((${!most} - ${!least}))
	in_range "$side: the pair ran" $((${!ran} - more - 200000000)) $((${!ran} + 50000000)) "$(of "$pair" .ran.$side)"
	in_range "$side: and waited" $((${!waited} - 2 * more - 800000000)) $((${!waited} + 50000000)) "$(of "$pair" .waited.$side)"
	in_range "$side: p99 of a wait: not far below the average, by the same account" $((${!waited} / ${!times} / 3)) "${!waited}" "$(of "$pair" .wait_p99.$side)"
	in_range "$side: without quota" $((${!quota} - more - 300000000)) $((${!quota} + 50000000)) "$(of "$tight" .throttled.$side)"
	in_range "$side: as long as it recorded" "${!least}" "${!most}" "$(jq ".$side.duration" "$tmp/json")"
	k=2
done

# The text: rates, by the time that it recorded at least and at most. A number in ms becomes ns.
ctrace diff --top 100 "$tmp/a" "$tmp/b" "${box:0:12}" > "$tmp/out" 2> "$tmp/err"
note "$(cat "$tmp/out")"
# rate WHAT N SIDE SEEN: N of them in a second. As text it has one digit after the point.
rate() {
	local least=least_$3 most=most_$3
	check "$1: $4 in a second" awk -v n="$2" -v least="${!least}" -v most="${!most}" -v seen="$4" \
		'BEGIN {exit !(seen + 0 >= n * 1e9 / most - 0.06 && seen + 0 <= n * 1e9 / least + 0.06)}'
}
cells() { awk -v name="$1" 'index($0, name) == 1 {print substr($0, length(name) + 1); exit}' "$tmp/out"; }
read -r a b change < <(cells 'disk requests')
rate "A" 4 a "$a"
rate "B" 8 b "$b"
check "CHANGE: $change" awk -v change="$change" -v most="$(((2 * most_a * 1000) / least_b))" -v least="$(((2 * least_a * 1000) / most_b))" \
	'BEGIN {c = 10 * change + 1000; exit !(c >= least - 1 && c <= most + 1)}'
read -r a b _ failed_a failed_b _ < <(cells getpriority)
rate "A/S" 300 a "$a"
rate "B/S" 600 b "$b"
rate "FAILED A/S" 300 a "$failed_a"
rate "and B/S" 600 b "$failed_b"
read -r _ _ _ _ _ time_a _ _ p99_a _ < <(cells nanosleep)
slept=$(sed -n 's/^slept=\([0-9]*\) .*/\1/p' "$tmp/slept.1")
check "TIME A/S: ${time_a}" awk -v t="$time_a" -v slept="$slept" -v least="$least_a" -v most="$most_a" \
	'BEGIN {exit !(t + 0 >= 99.5e9 / most - 0.01 && t + 0 <= slept * 1e3 / least + 0.01)}'
check "P99 A: $p99_a" awk -v t="$p99_a" -v most=$((slept - 4 * 19900000)) 'BEGIN {exit !(t ~ /ms$/ && t + 0 >= 13 && t * 1e6 <= most + 1e5)}'
}
