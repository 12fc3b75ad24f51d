# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2086 # tmp is lib.sh's; in_task is for tests
# witness.sh: the kernel's own trace of the same events, to compare with. Source it after lib.sh.

# witness SUBSYS/EVENT...: the kernel records these events from now on, with the clock that ctrace uses
witness() {
	local e
	tracefs_mount || give_up "no tracefs"
	grep -qw mono $tracefs/trace_clock || skip "the witness has no clock that is ctrace's (before 3.17)"
	echo 0 > $tracefs/tracing_on
	echo mono > $tracefs/trace_clock
	echo 8192 > $tracefs/buffer_size_kb
	echo > $tracefs/trace
	# Leave tracefs as it is after boot: other tests use it as a witness too.
	later "echo 0 > $tracefs/events/enable; echo > $tracefs/trace; echo 1024 > $tracefs/buffer_size_kb; echo local > $tracefs/trace_clock; echo 1 > $tracefs/tracing_on"
	for e; do echo 1 > "$tracefs/events/$e/enable" || give_up "tracefs has no $e"; done
	echo 1 > $tracefs/tracing_on
}
# witnessed FILE [FLAGS]: stops, and writes to FILE what the kernel saw, as "NANOSECONDS TASK-PID EVENT:
# FIELDS". FLAGS: only lines whose column for irqs-off, need-resched, interrupt, preemption matches this
# expression.
in_task='[^ ]{2}\.[^ ]*'
witnessed() {
	echo 0 > $tracefs/tracing_on
	sed -nE "s/^ *(.*-[0-9]+) +\[[0-9]+\] +${2:-[^ ]+} +([0-9]+)\.([0-9]{6}): ([a-z0-9_]+): (.*)/\2\3000 \1 \4: \5/p" $tracefs/trace > "$1"
	grep -q 'entries-in-buffer/entries-written' $tracefs/trace || return 0
	awk '/entries-in-buffer/ {split($3, n, "/"); exit n[1] != n[2]}' $tracefs/trace || note "the witness lost events"
}

# tail_agrees WHAT OURS WITNESS: compares files of one line per event, in order; the witness's may begin
# earlier
tail_agrees() {
	local n
	n=$(wc -l < "$2")
	if [ "$n" -gt 0 ] && tail -n "$n" "$3" | cmp -s - "$2"; then ok "$1: $n alike"; else
		not_ok "$1: $n events here, $(wc -l < "$3") of the witness, not alike"
		note "$(tail -n "$n" "$3" | diff - "$2" | head -n 10)"
	fi
}
# near WHAT TOLERANCE EXPECTED SEEN
near() {
	local d=$(($3 - $4))
	if [ "${d#-}" -le "$2" ] && [ "$3" -gt 0 ]; then ok "$1: $4 of $3"; else not_ok "$1: expected $3 (+-$2), seen $4"; fi
}
# between FILE FIRST LAST: prints FILE's lines between these times (ns)
between() { awk -v a="$2" -v b="$3" '$1 >= a && $1 <= b' "$1"; }
# sampled PID...: prints every 0.1 s the time (ns), what the scheduler charged these with so far, and how long they waited
sampled() {
	local up cpu waited c w p
	while :; do
		cpu=0 waited=0
		read -r up _ < /proc/uptime
		for p; do
			read -r c w _ < "/proc/$p/schedstat" && cpu=$((cpu + c)) waited=$((waited + w))
		done
		echo "${up/./}0000000 $cpu $waited"
		sleep 0.1
	done
}
# at TIME COLUMN: prints what a column of $tmp/samples was then, by a straight line
at() {
	awk -v t="$1" -v c="$2" '$1 >= t && n++ == 0 {printf "%.0f\n", $1 == t0 ? $c : v + ($c - v) * (t - t0) / ($1 - t0)} {t0 = $1; v = $c}' "$tmp/samples"
}
# scheduler_clock: prints the scheduler's clock, which the kernel's messages have, and the time since boot, in ms. The message is
# written within one step of the latter, if it can be.
scheduler_clock() {
	local before after _ n=0 id=$BASHPID
	until read -r before _ < /proc/uptime && echo "<7>ctrace_test: what time is it? ($id.$n)" > /dev/kmsg &&
		read -r after _ < /proc/uptime && [ $((10#${after/./} - 10#${before/./})) -le 1 ] || [ $n -ge 50 ]; do
		n=$((n + 1))
	done
	dmesg | awk -F'[][]' -v n="($id.$n)" 'index($0, n) {t = $2} END {printf "%.0f ", t * 1000}'
	echo $((10#${after/./} * 10))
}
