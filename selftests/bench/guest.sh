#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh PART...: runs in a guest that selftests/bench/run boots; run --help describes the parts. Each measurement
# is printed as a line that begins with 'bench ' and is JSON. Other lines report progress.
# CTRACE_TEST_TOOLS: the tracers to measure. CTRACE_TEST_REPS: the number of rounds.
# shellcheck disable=SC2317 # parts are called by name
# shellcheck source-path=SCRIPTDIR source=../kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools.sh
. "$top/selftests/bench/tools.sh"
# shellcheck source=own.sh
. "$top/selftests/bench/own.sh"
# shellcheck source=views.sh
. "$top/selftests/bench/views.sh"
# shellcheck source=watch.sh
. "$top/selftests/bench/watch.sh"
# shellcheck source=events.sh
. "$top/selftests/bench/events.sh"
# lib.sh's summary is for tests
count=-1
# the guest came with the list of modules of a root without the other tracers' own
depmod

cpus=$(nproc) reps=${CTRACE_TEST_REPS:-3} kb=4096 cgroup=/bench/box
work="taskset -c $((cpus - 1))" reader="taskset -c 0"
read -ra tools <<< "${CTRACE_TEST_TOOLS:-none}"
out=$tmp/out

tell() { printf '[%5.0f s] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
# emit KEY VALUE...: prints a measurement as JSON; numbers stay numbers, - becomes null
emit() {
	local json='' value
	while [ $# -gt 0 ]; do
		value=${2:--}
		if [ "$value" = - ]; then value=null; elif [[ ! $value =~ ^-?[0-9]+(\.[0-9]+)?$ ]]; then value="\"${value//[\"\\]/}\""; fi
		json+=", \"$1\": $value"
		shift 2
	done
	printf 'bench {%s}\n' "${json#, }"
}

# container NAME: starts a real container that runs the commands given to box; sets $pid to its init, the
# host's number
container() {
	local dir=$tmp/$1
	bundle "$dir" "/bench/$1" /bin/bash /ctrace/selftests/bench/box.sh || give_up "no bundle"
	mkdir -p "$dir/rootfs/ctl"
	mkfifo "$dir/rootfs/ctl/in" "$dir/rootfs/ctl/done"
	later "crun delete -f $1"
	crun run --detach --bundle "$dir" "$1" > "$tmp/crun" 2>&1 < /dev/null || give_up "crun: $(cat "$tmp/crun")"
	pid=$(crun state "$1" | jq .pid)
}
# box NAME COMMAND: runs COMMAND there; sets $said to its output and $took to the microseconds it took
box() {
	local ctl=$tmp/$1/rootfs/ctl status
	echo "$2" > "$ctl/in"
	read -r status took < "$ctl/done"
	said=$(cat "$ctl/log")
	[ "$status" = 0 ] || tell "in $1: status $status of $2: $(tail -n 3 <<< "$said")"
	return "$status"
}

# traced TOOL PART COMMAND...: runs COMMAND while the tool records, then reports how much of it the tool kept.
# COMMAND counts its system calls in $made (the container's) and $others (other tasks'). A tool that fails is
# left out, with a message.
traced() {
	local tool=$1 part=$2 kept lost bytes per=2 all
	shift 2
	rm -rf "$out"
	mkdir "$out"
	made=0 others=0
	if ! "${tool}_start" > "$out/said" 2>&1; then
		tell "$part: $tool did not start: $(tail -qn 2 "$out/said" "$out/log" 2> /dev/null)"
		emit part "$part" tool "$tool" failed "$(tail -qn 1 "$out/log" "$out/said" 2> /dev/null)"
		"${tool}_stop" > /dev/null 2>&1
		return
	fi
	"$@"
	"${tool}_stop" > "$out/said" 2>&1
	read -r kept lost bytes <<< "$("${tool}_count" 2> "$out/count")"
	# one event for each call
	case $tool in strace | stats | bpftrace_count) per=1;; esac
	all=$made
	# These tools know no containers, or cannot leave tasks out.
	case $tool in lttng* | sysdig) all=$((made + others));; esac
	emit part "$part" tool "$tool" work kept events "$kept" lost "$lost" bytes "$bytes" made $((all * per)) rate "${rate:--}"
}

# spared: waits until ctrace spares the tasks that no session wants, and has forgotten the containers that ended before,
# which ends that for a moment
spared() { sleep 3; }

# loops FACTOR: measures what is counted in instructions: a call in the container, and one beside it
loops() {
	local median ns calls
	box box "$work calls -v $((40000 / $1))"
	read -r median ns calls <<< "$said"
	made=$((made + calls))
	emit part instructions tool "$tool" work getppid value "$median"
	box box "$work calls -v $((10000 / $1)) openclose"
	read -r median ns calls <<< "$said"
	made=$((made + calls))
	emit part instructions tool "$tool" work openclose value "$median"
	spared
	box neighbour "$work calls -v $((20000 / $1))"
	read -r median ns calls <<< "$said"
	others=$calls
	emit part instructions tool "$tool" work neighbour value "$median"
}
part_instructions() {
	local tool
	kb=32768
	for tool in "${tools[@]}"; do
		tell "instructions: $tool"
		traced "$tool" instructions loops "$([ "$tool" = strace ] && echo 20 || echo 1)"
	done
}

# counted: a call in the container, and one beside it, as loops
counted() {
	local median calls
	box box "$work calls -v 40000"
	read -r median _ calls <<< "$said"
	made=$((made + calls))
	emit part aggregates tool "$tool" work getppid value "$median"
	spared
	box neighbour "$work calls -v 20000"
	read -r median _ calls <<< "$said"
	emit part aggregates tool "$tool" work neighbour value "$median"
}
# switched: a byte to another process and back: two switches, with a wake-up each
switched() {
	local where median
	for where in box neighbour; do
		box "$where" "$work calls -v 20000 pingpong"
		read -r median _ <<< "$said"
		emit part aggregates tool "$tool" work "switch-$where" value "$median"
	done
}
# the waits of the same tasks, as ctrace, bpftrace and perf sched count them at once. The container makes no
# system call, and so has no wait, when they begin and when they end.
agree_waits() {
	local ns pids comm function
	ns=$(stat -Lc %i "/proc/$init/ns/pid")
	rm -rf "$out"
	mkdir "$out"
	box box "cp \$(command -v calls) takers && cp \$(command -v dash) sharers"
	counting runqlat --by comm --json
	pids=$pid
	# the function that the next task runs first; compilers add to its name
	function=$(awk '$3 ~ /^finish_task_switch/ {print $3; exit}' /proc/kallsyms)
	# shellcheck disable=SC2016 # bpftrace's own dollars
	bpftrace -o "$out/bt" -e '
		tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new { @since[args->pid] = nsecs; }
		kprobe:'"$function"' {
			$prev = (struct task_struct *)arg0;
			if ($prev->__state == 0) { @since[$prev->pid] = nsecs; }
			$task = (struct task_struct *)curtask;
			if (@since[tid] && $task->nsproxy->pid_ns_for_children->ns.inum == '"$ns"') {
				@n[comm] = count();
				@ns[comm] = sum(nsecs - @since[tid]);
			}
			delete(@since[tid]);
		}' > "$out/bt.log" 2>&1 &
	pid=$!
	pids+=" $pid"
	wait_for 120 has_fds perf_event $((cpus + 3)) && sleep 0.5
	perf sched record -q -m 16384 -o "$out/perf" -- sleep 1000 > "$out/perf.log" 2>&1 &
	pids+=" $!"
	sleep 2
	box box "./takers 20000 pingpong; for i in 1 2 3; do timeout 1 ./sharers -c 'while :; do :; done' & done; wait; true"
	# shellcheck disable=SC2086 # words
	kill -INT $pids
	# shellcheck disable=SC2086 # words
	wait $pids
	unload
	# "latency" of perf 6.1 leaves most waits out, although they were recorded
	perf sched timehist --state -i "$out/perf" > "$out/timehist" 2>&1
	for comm in takers sharers; do
		emit part agree work "$comm" tool runqlat \
			events "$(jq -s "[.[].rows[] | select(.by == \"comm = $comm\") | .count] | add" "$out/t")" \
			value "$(jq -s "[.[].rows[] | select(.by == \"comm = $comm\") | .total] | add" "$out/t")"
		emit part agree work "$comm" tool bpftrace_runqlat \
			events "$(sed -n "s/^@n\[$comm\]: //p" "$out/bt")" value "$(sed -n "s/^@ns\[$comm\]: //p" "$out/bt")"
		# The columns: time, CPU, task, what it waited before this run, since its wake-up, the run, the state after. Who
		# was preempted, had no wake-up.
		# shellcheck disable=SC2046 # words
		emit part agree work "$comm" tool perf_sched $(awk -v c="${comm}[" 'index($3, c) == 1 {
			n++
			t += last[$3] ~ /R/ ? $4 : $5
			last[$3] = $7
		} END {printf "events %d value %d", n, t * 1e6}' "$out/timehist")
	done
}
# the calls of the same tasks, as ctrace stats and perf trace -s count them at once
agree_calls() {
	local pids name n=5000
	rm -rf "$out"
	mkdir "$out"
	counting stats --json
	pids=$pid
	perf trace -m 16384 -s -a -G "${cgroup#/}" -o "$out/perf" 2> "$out/perf.log" &
	pid=$!
	pids+=" $pid"
	wait_for 30 grep -q perf_event "/proc/$pid/maps" && sleep 1
	box box "$work calls -v $n openclose"
	sleep 2	# perf leaves unread what it has not read when it is stopped
	# shellcheck disable=SC2086 # words
	kill -INT $pids
	# shellcheck disable=SC2086 # words
	wait $pids
	unload
	for name in openat close; do
		emit part agree work "$name" tool stats \
			events "$(jq -s "[.[].rows[] | select(.syscall == \"$name\") | .calls] | add" "$out/t")"
		emit part agree work "$name" tool perf_trace events "$(awk -v n="$name" '$1 == n {s += $2} END {print s + 0}' "$out/perf")"
	done
}
part_agree() {
	tell "agree: calls"
	agree_calls
	tell "agree: waits"
	agree_waits
}
part_aggregates() {
	local tool
	kb=4096
	for tool in none stats perf_trace bpftrace_count; do
		tell "aggregates: calls, $tool"
		traced "$tool" aggregates counted
	done
	for tool in none runqlat bcc_runqlat libbpf_runqlat bpftrace_runqlat; do
		tell "aggregates: switches, $tool"
		traced "$tool" aggregates switched
	done
}

# known PART FACTOR: workloads whose number of calls is known
known() {
	local n ns calls
	n=$((60000 / $2))
	box box "$work dd if=/dev/zero of=/dev/null bs=1 count=$n"
	made=$((made + 2 * n))
	emit part "$1" tool "$tool" work dd value $((took * 1000 / n))
	for n in openclose:20000 pingpong:10000; do
		box box "$work calls -v $((${n#*:} / $2)) ${n%:*}"
		read -r _ ns calls <<< "$said"
		made=$((made + calls))
		emit part "$1" tool "$tool" work "${n%:*}" value $((ns * $2 / ${n#*:}))
	done
}
unknown() {
	local n=$((100 / $2))
	box box "$work sysbench threads --threads=4 --thread-yields=100 --thread-locks=4 --events=$n --time=0 run"
	emit part "$1" tool "$tool" work sysbench value $((took * 1000 / n))
	# This one forks as much as it makes system calls, and its figures differ from run to run.
	for _ in 1 2 3 4 5; do
		box box "$work perf bench sched messaging -g 1 -l $n"
		emit part "$1" tool "$tool" work hackbench value $((took * 1000 / n))
	done
}
# slow PART ROUNDS
slow() {
	local tool rep factor
	kb=4096
	# Run each program once before measuring, so that what is loaded at its first run is in memory.
	box box "calls 2000; dd if=/dev/zero of=/dev/null bs=1 count=1000; sysbench --version; perf --version"
	for ((rep = 1; rep <= $2; rep++)); do
		for tool in "${tools[@]}"; do
			tell "$1, round $rep of $2: $tool"
			factor=$([ "$tool" = strace ] && echo 20 || echo 1)
			traced "$tool" "$1" known "$1" "$factor"
			# With few rounds these workloads would mostly measure their own start.
			traced "$tool" "$1-rest" unknown "$1" $((factor > 1 ? 10 : 1))
		done
	done
}
part_slowdown() { slow slowdown 1; }
part_wall() { slow wall "$reps"; }

# at_rate: makes calls for a second, $rate of them; lowers $rate to the rate reached, where calls take longer
at_rate() {
	local ns
	box box "$work calls -v -r $rate $rate"
	read -r _ ns made <<< "$said"
	[ $((made * 1000000000 / ns)) -gt $((rate - rate / 50)) ] || rate=$((made * 1000000000 / ns))
}
# whole RATE: records at RATE; succeeds if nothing is lost and the rate was reached
whole() {
	local last
	rate=$1
	tell "loss: $tool, $rate calls a second"
	last=$(traced "$tool" loss at_rate)
	printf '%s\n' "$last"
	sed -n 's/^bench //p' <<< "$last" | jq -e --argjson asked "$1" '.events >= .made and (.lost // 0) == 0 and .rate >= $asked' > /dev/null
}
# Finds the highest such rate: doubles the rate until some is lost, or halves it until none is.
part_loss() {
	local tool r
	kb=4096
	for tool in "${tools[@]}"; do
		# Nobody reads flight's and ftrace's rings while they record, and strace is known to lose
		# nothing.
		case $tool in none | strace | flight | ftrace) continue;; esac
		r=40000
		if whole "$r"; then
			while whole $((r *= 2)); do :; done
		else
			while [ "$r" -gt 2500 ] && ! whole $((r /= 2)); do :; done
		fi
	done
}

prepare() {
	hasten
	echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
	echo 300000 > /proc/sys/kernel/perf_event_mlock_kb
	# The kernel's lists of modules were made with the build, and know only ctrace.
	depmod
	container neighbour
	container box
	init=$pid
	later 'pkill lttng-sessiond'
}

for word; do
	case $word in
	instructions | slowdown | wall | loss | aggregates | agree | events) [ -d "$tmp/box" ] || prepare;;
	esac
	"part_$word"
done
tell "done"
exit 0
