# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # for and from guest.sh, which sources it
# tools.sh: how the benchmark starts and stops each tracer. For each NAME:
#	NAME_start	returns once all system calls of the container are recorded
#	NAME_stop	returns once the recording is in its files
#	NAME_count	prints EVENTS LOST BYTES: events kept, events lost by the tool's own account, bytes on disk;
#			- for a number that the tool does not give
# They use $out (an empty directory), $init (the container's init, the host's number), $cgroup (the container's path,
# which begins with /), $kb (size of the buffer of each CPU, where the tool has such an option), $cpus, and $reader (a
# command that pins readers), and $points (the tracepoints to record, each SYSTEM:NAME).

tracing=/sys/kernel/tracing
say_kept() { sed -n "s/$1/\1/p" "${@:2}" | tail -n 1 | tr -d ,; }
size_of() { find "$@" -type f -printf '%s\n' | awk '{s += $1} END {print s + 0}'; }
# streams DIR: bytes of a CTF trace without its metadata
streams() { find "$1" -maxdepth 1 -type f ! -name metadata -printf '%s\n' | awk '{s += $1} END {print s + 0}'; }
interrupt() {
	kill -INT "$pid"
	wait "$pid"
}
# has_fds PATTERN NUMBER: succeeds once the tool holds NUMBER descriptors that match PATTERN, and sleeps
has_fds() {
	local n
	n=$(find "/proc/$pid/fd" -lname "*$1*" | wc -l)
	[ "$n" -ge "$2" ] && grep -q 'State:.*S' "/proc/$pid/status"
}

points=(raw_syscalls:sys_enter raw_syscalls:sys_exit)
# names: what ctrace and LTTng call $points. Nothing for system calls: both have another option for these
names() {
	local what=${points[*]#*:}
	what=${what/netif_/net_if_}
	[ "${points[0]%:*}" = raw_syscalls ] || echo "${what// /,}"
}

none_start() { :; }
none_stop() { :; }
none_count() { echo - - -; }

ctrace_start() {
	local what
	what=$(names)
	modprobe ctrace
	$reader ctrace record -o "$out/t" -e "${what:-syscalls}" --no-state-dump --buffer-size $((kb * cpus))K "cgroup:$cgroup" > "$out/log" 2>&1 &
	pid=$!
	wait_for 60 sh -c 'ctrace status | grep -q recording'
}
ctrace_stop() {
	interrupt
	unload
}
ctrace_count() {
	local lost
	lost=$(sed -n 's/.* on disk, \([0-9]*\) lost.*/\1/p' "$out/log")
	echo "$(say_kept 'ctrace: \([0-9]*\) event.*' "$out/log") ${lost:-0} $(streams "$out/t")"
}

# nobody reads the rings before the end
flight_start() {
	modprobe ctrace
	consume flight $((kb * cpus * 1024)) "/sys/fs/cgroup$cgroup" > "$out/n" 2> "$out/log" &
	pid=$!
	wait_for 60 grep -q recording "$out/log"
}
flight_stop() {
	interrupt
	unload
}
flight_count() { echo "$(cat "$out/n") -"; }

# strace and its tracee run in turns. On one processor, neither waits for the other to wake up elsewhere.
strace_start() {
	taskset -c $((cpus - 1)) strace -f -o "$out/t" -p "$init" 2> "$out/log" &
	pid=$!
	wait_for 20 grep -q 'TracerPid:.*[1-9]' "/proc/$init/status"
}
strace_stop() { interrupt; }
strace_count() { echo "$(wc -l < "$out/t") 0 $(size_of "$out/t")"; }

perf_trace_start() {
	$reader perf trace -m $((kb / 4)) -s -a -G "${cgroup#/}" -o "$out/t" 2> "$out/log" &
	pid=$!
	wait_for 30 grep -q perf_event "/proc/$pid/maps" && sleep 1
}
perf_trace_stop() { interrupt; }
perf_trace_count() {
	echo "$(awk '{for (i = 2; i <= NF; i++) if ($i ~ /^events/) s += $(i - 1)} END {print s + 0}' "$out/t")" \
		"$(grep -oh 'LOST [0-9]*' "$out/t" "$out/log" | awk '{s += $2} END {print s + 0}') -"
}

perf_record_start() {
	local e events=() cgroups=''
	for e in "${points[@]}"; do
		events+=(-e "$e")
		cgroups+=,${cgroup#/}
	done
	mkfifo "$out/ctl" "$out/ack"
	$reader perf record -q -B -m $((kb / 4)) -a "${events[@]}" -G "${cgroups#,}" \
		-D -1 --control "fifo:$out/ctl,$out/ack" -o "$out/t" 2> "$out/log" &
	pid=$!
	echo enable > "$out/ctl"
	timeout 60 head -c 3 "$out/ack" | grep -q ack
}
perf_record_stop() { interrupt; }
perf_record_count() {
	perf report --stats -i "$out/t" > "$out/stats" 2>&1
	# The first line of that kind counts all events; the lines of single events follow.
	echo "$(awk '/SAMPLE events:/ && !n {n = $3} END {print n + 0}' "$out/stats")" \
		"$(awk '/LOST(_SAMPLES)? events:/ && !seen[$1]++ {n += $3} END {print n + 0}' "$out/stats") $(size_of "$out/t")"
}

# Not compressed: compression would hide the length of records.
trace_cmd_start() {
	$reader trace-cmd record --compression none -b "$kb" -e raw_syscalls -P "$init" -c -o "$out/t" > "$out/log" 2>&1 &
	pid=$!
	wait_for 30 sh -c "grep -q 1 $tracing/events/raw_syscalls/sys_exit/enable && grep -q 1 $tracing/tracing_on" && sleep 0.5
}
trace_cmd_stop() {
	interrupt
	trace-cmd reset
}
# After its own statistics it prints what is left in the kernel as "entries".
trace_cmd_count() {
	trace-cmd report --stat -i "$out/t" 2> /dev/null | head -n $((12 * cpus + 12)) |
		awk '/^read events|^entries/ {n += $NF} /^overrun|^dropped events|^commit overrun/ {l += $NF} END {printf "%d %d ", n, l}'
	size_of "$out/t"
}

# the same tracepoints, with nobody reading
ftrace_start() {
	echo 0 > $tracing/tracing_on
	echo > $tracing/trace
	echo "$kb" > $tracing/buffer_size_kb
	echo 1 > $tracing/options/event-fork
	echo "$init" > $tracing/set_event_pid
	echo 1 > $tracing/events/raw_syscalls/enable
	echo 1 > $tracing/tracing_on
}
ftrace_stop() {
	echo 0 > $tracing/events/raw_syscalls/enable
	cat $tracing/per_cpu/cpu*/stats > "$out/stats"
	echo > $tracing/set_event_pid
	echo 0 > $tracing/options/event-fork
	echo > $tracing/trace
	echo 1408 > $tracing/buffer_size_kb
}
ftrace_count() { awk '/^entries/ {n += $2} /^overrun|^dropped/ {l += $NF} END {print n + 0, l + 0, "-"}' "$out/stats"; }

lttng_session() {
	local context what
	what=$(names)
	what=${what/page_fault/x86_exceptions_page_fault}
	if ! lttng --no-sessiond list > /dev/null 2>&1; then
		mkdir -p /var/run/lttng
		$reader lttng-sessiond --daemonize --kmod-probes=sched,block,net,x86-exceptions
		wait_for 60 lttng --no-sessiond list || return 1
	fi
	# shellcheck disable=SC2086 # words
	lttng -q create bench --output="$out/t" && lttng -q enable-channel -k bench --subbuf-size=$((kb / 4))k --num-subbuf=4 &&
		lttng -q enable-event -k -c bench ${what:---syscall --all} || return 1
	for context; do
		lttng -q add-context -k -c bench -t "$context" || return 1
	done
	lttng -q start
}
lttng_start() { lttng_session; }
lttng_stop() {
	lttng -q stop
	lttng list bench > "$out/list"
	lttng -q destroy bench
}
lttng_count() {
	babeltrace2 "$out/t" -c sink.utils.counter | awk '/ Event messages/ {gsub(",", ""); n = $1} END {printf "%d ", n}'
	echo "$(grep -i 'discarded events' "$out/list" | awk '{s += $NF} END {print s + 0}') $(size_of "$out/t")"
}
# "told who": with the fields that distinguish containers
lttng_context_start() { lttng_session vpid vtid procname pid_ns cgroup_ns; }
lttng_context_stop() { lttng_stop; }
lttng_context_count() { lttng_count; }

# a call's number and result; of other events no field, which makes the shortest program
bpftrace_start() {
	local e text all='' ours
	ours=$(stat -c %i "/sys/fs/cgroup$cgroup")
	for e in "${points[@]}"; do
		case $e in
		*:sys_enter) text='%lu %d E %ld\n", nsecs, tid, args->id';;
		*:sys_exit) text='%lu %d X %ld %ld\n", nsecs, tid, args->id, args->ret';;
		*) text="%lu %d ${e#*:}\n\", nsecs, tid";;
		esac
		all+="tracepoint:$e /cgroup == $ours/ { printf(\"$text); }"
	done
	BPFTRACE_PERF_RB_PAGES=$((kb / 4)) $reader bpftrace -o "$out/t" -e "$all" > "$out/log" 2>&1 &
	pid=$!
	# a ring for each CPU, and the tracepoints
	wait_for 120 has_fds perf_event $((cpus + ${#points[@]})) && sleep 0.5
}
bpftrace_stop() { interrupt; }
bpftrace_count() {
	echo "$(grep -c '^[0-9]' "$out/t") $(grep -oh 'Lost [0-9]*' "$out/t" "$out/log" | awk '{s += $2} END {print s + 0}')" \
		"$(size_of "$out/t")"
}

sysdig_start() {
	modprobe scap || return 1
	$reader sysdig -v -w "$out/t" > "$out/log" 2>&1 &
	pid=$!
	wait_for 60 grep -q /dev/scap "/proc/$pid/maps" && wait_for 60 test -s "$out/t" && sleep 1
}
sysdig_stop() {
	interrupt
	rmmod scap
}
sysdig_count() {
	echo "$(say_kept '.*Captured Events: *\([0-9]*\).*' "$out/log") $(awk -F: '/Driver Drops/ {n = $2} END {print n + 0}' "$out/log")" \
		"$(size_of "$out/t")"
}

# Tools that count in the kernel and record nothing: bytes are -, and EVENTS is the count.

# counting COMMAND...: starts ctrace's COMMAND
counting() {
	modprobe ctrace
	$reader ctrace "$@" "cgroup:$cgroup" > "$out/t" 2> "$out/log" &
	pid=$!
	wait_for 60 sh -c 'ctrace status | grep -q recording'
}
stats_start() { counting stats --json; }
stats_stop() { ctrace_stop; }
stats_count() { echo "$(jq -s '[.. | .calls? | numbers] | add' "$out/t") 0 -"; }

# a number for each thread and each name, as stats --by comm has it
bpftrace_count_start() {
	$reader bpftrace -o "$out/t" -e 'tracepoint:raw_syscalls:sys_exit { @[comm] = count(); }' > "$out/log" 2>&1 &
	pid=$!
	wait_for 120 has_fds perf_event $((cpus + 1)) && sleep 0.5
}
bpftrace_count_stop() { interrupt; }
bpftrace_count_count() { echo "$(awk '/^@\[calls\]/ {n += $NF} END {print n + 0}' "$out/t") - -"; }

# The others' histograms are of all tasks: none of them knows containers.
runqlat_start() { counting runqlat; }
runqlat_stop() { ctrace_stop; }
runqlat_count() { none_count; }

# saying COMMAND...: starts a tool that says when it traces
saying() {
	$reader "$@" > "$out/t" 2> "$out/log" &
	pid=$!
	wait_for 300 grep -q Tracing "$out/t" && sleep 0.5
}
bcc_runqlat_start() { saying env PYTHONUNBUFFERED=1 runqlat-bpfcc; }
# Python leaves SIGINT ignored, as it is for what a script starts with &
bcc_runqlat_stop() {
	kill "$pid"
	wait "$pid"
}
bcc_runqlat_count() { none_count; }

libbpf_runqlat_start() { saying stdbuf -oL /usr/sbin/runqlat; }
libbpf_runqlat_stop() { interrupt; }
libbpf_runqlat_count() { none_count; }

# three tracepoints
bpftrace_runqlat_start() {
	$reader runqlat.bt > "$out/t" 2> "$out/log" &
	pid=$!
	wait_for 120 has_fds perf_event $((cpus + 3)) && sleep 0.5
}
bpftrace_runqlat_stop() { interrupt; }
bpftrace_runqlat_count() { none_count; }
