# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # from and for guest.sh, which sources it
# own.sh: the parts of the benchmark that measure ctrace alone

cg=/sys/fs/cgroup
used() { awk '/^usage_usec/ {printf "%.0f\n", $2 * 1000}' $cg/tracer/cpu.stat; }
# in_tracer COMMAND... &: runs COMMAND so that `used` counts it and all that it starts; $! is COMMAND itself
in_tracer() {
	# shellcheck disable=SC2016 # the inner shell's
	exec sh -c 'echo 0 > /sys/fs/cgroup/tracer/cgroup.procs; exec "$@"' sh "$@"
}
# in_box COMMAND...: runs COMMAND in a container of its own; the container's cgroup stays
in_box() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --pid --fork sh -c 'echo 0 > /sys/fs/cgroup/own/box/cgroup.procs; exec "$@"' sh "$@"
}
# prints the instructions of a call in the container
calls_in_box() { in_box calls 20000; }

# reading NAME COMMAND...: sets $spent to what COMMAND's cgroup executes while the container makes system
# calls, minus what it executes when there are none
reading() {
	local name=$1 began fixed
	shift
	began=$(used)
	"$@" "$name-none"
	fixed=$(($(used) - began)) began=$(used)
	"$@" "$name" in_box calls 400000 > /dev/null
	spent=$(($(used) - began - fixed))
}
# recorder NAME [COMMAND...]
recorder() {
	in_tracer ctrace record --no-state-dump -o "$tmp/$1" -e syscalls --buffer-size 64M cgroup:/own/box > "$tmp/$1.log" 2>&1 &
	pid=$!
	wait_for 60 sh -c 'ctrace status | grep -q recording' || give_up "no recorder: $(cat "$tmp/$1.log")"
	"${@:2}"
	interrupt
}
# consumer NAME [COMMAND...]
consumer() {
	in_tracer consume count $((64 << 20)) $cg/own/box > "$tmp/$1.n" 2> "$tmp/$1.log" &
	pid=$!
	wait_for 60 grep -q recording "$tmp/$1.log" || give_up "no consumer: $(cat "$tmp/$1.log")"
	"${@:2}"
	interrupt
}
readers() {
	local events lost
	reading "record$1" recorder
	read -r events lost <<< "$(record_count "record$1")"
	emit part reader work record idle "$1" value "$spent" events "$events" lost "$lost" bytes "$(streams "$tmp/record$1")"
	reading "consume$1" consumer
	read -r events lost <<< "$(cat "$tmp/consume$1.n")"
	emit part reader work consume idle "$1" value "$spent" events "$events" lost "$lost"
}
# written BYTES: sets $spent to what the kernel executes to write BYTES in pieces of 64 kB
written() {
	local began nothing
	began=$(used)
	(in_tracer dd if=/dev/zero of=/dev/null bs=64K count=$(($1 / 65536)) status=none)
	nothing=$(($(used) - began)) began=$(used)
	(in_tracer dd if=/dev/zero of="$tmp/written" bs=64K count=$(($1 / 65536)) status=none)
	spent=$(($(used) - began - nothing))
}
record_count() {
	sed -n 's/^ctrace: \([0-9]*\) event.* on disk, \([0-9]*\) lost.*/\1 \2/p' "$tmp/$1.log"
}
# typical work of containers: a package manager's lists, a search, an archive, a shell loop, a small
# compilation
real_work() {
	cat > "$tmp/real.sh" << 'END'
cd /tmp
dpkg -l > /dev/null
find /usr/share/perl /etc -type f | xargs cat > /dev/null
tar -cf - /usr/share/perl | gzip -1 > /dev/null
for i in $(seq 10); do ls -l /usr/bin | wc -l; done
echo 'int main(void) { return 0; }' > a.c
gcc -O2 -o a a.c
grep -r warn /usr/share/perl | sort | uniq -c > /dev/null
END
	in_box sh "$tmp/real.sh" > /dev/null
}
part_reader() {
	local events lost bytes
	mkdir -p $cg/tracer $cg/own/box
	modprobe ctrace
	tell "reader: of nothing else"
	readers 0
	bytes=$(streams "$tmp/record0")
	written "$bytes"
	emit part reader work write idle 0 value "$spent" bytes "$bytes"
	tell "reader: real work"
	recorder real real_work
	read -r events lost <<< "$(record_count real)"
	emit part bytes tool ctrace events "$events" lost "$lost" bytes "$(streams "$tmp/real")"
	tell "reader: among 1,000"
	gather 1000
	readers 1000
	disperse
	unload
}

# gather N: starts N idle containers, which stay until disperse
gather() {
	rm -f "$tmp/crowd"	# an earlier one's says "born" too
	crowd "$1" > "$tmp/crowd" 2>&1 &
	crowd=$!
	wait_for 600 grep -q born "$tmp/crowd" || give_up "no crowd"
}
disperse() {
	kill -INT "$crowd"
	wait "$crowd"
}
# sessions N: starts N sessions of the box, flight recorders, which stay until end_sessions
sessions() {
	local i
	running=()
	for ((i = 0; i < $1; i++)); do
		rm -f "$tmp/s.$i"	# likewise
		consume flight $((8 << 20)) $cg/own/box > "$tmp/s" 2> "$tmp/s.$i" &
		running+=($!)
		wait_for 60 grep -q recording "$tmp/s.$i" || give_up "no session: $(cat "$tmp/s.$i")"
	done
}
end_sessions() {
	kill -INT "${running[@]}"
	wait "${running[@]}"
}
# untraced OVER N: measures a call's instructions, untraced, in the container and on the host (the neighbour)
untraced() {
	emit part scale over "$1" n "$2" work traced-without value "$(calls_in_box)"
	emit part scale over "$1" n "$2" work neighbour-without value "$(calls)"
}
# scaled OVER N: measures the same untraced and traced, in the container and of a neighbour
scaled() {
	untraced "$1" "$2"
	sessions 1
	emit part scale over "$1" n "$2" work traced value "$(calls_in_box)"
	spared
	emit part scale over "$1" n "$2" work neighbour value "$(calls)"
	emit part scale over "$1" n "$2" work memory value "$(vmalloc_kb)"
	end_sessions
}
# lives N [-without]: reports what it took to make one of N containers, and to remove it
lives() {
	emit part scale over containers n "$1" work "born${2:-}" value "$(awk '/born/ {print $2}' "$tmp/crowd")"
	emit part scale over containers n "$1" work "died${2:-}" value "$(awk '/died/ {print $2}' "$tmp/crowd")"
}
part_scale() {
	local n
	mkdir -p $cg/own/box
	hasten
	tell "scale: 1000 containers, without the module"
	gather 1000
	disperse
	lives 1000 -without
	modprobe ctrace
	for n in 1 10 100 1000 10000; do
		tell "scale: $n containers"
		gather $n
		scaled containers $n
		disperse
		# A lone container is the first one, and its making includes what all containers share.
		[ $n = 1 ] || lives $n
	done
	for n in 1 2 4 8; do
		tell "scale: $n sessions"
		untraced sessions $n
		sessions $n
		emit part scale over sessions n $n work traced value "$(calls_in_box)"
		spared
		emit part scale over sessions n $n work neighbour value "$(calls)"
		end_sessions
	done
	part_scale-cpus
}
part_scale-cpus() {
	mkdir -p $cg/own/box
	modprobe ctrace
	tell "scale: $cpus CPUs"
	scaled cpus "$cpus"
	unload
}

# late MODE RATE CALLS: MODE is one of consume's
late() {
	local seen lost wakings median most longest
	tell "latency: $1, $2 calls a second"
	rm -f "$tmp/late.log"
	$reader consume "$1" $((8 << 20)) $cg/own/box > "$tmp/late" 2> "$tmp/late.log" &
	pid=$!
	wait_for 60 grep -q recording "$tmp/late.log" || give_up "no consumer: $(cat "$tmp/late.log")"
	# shellcheck disable=SC2086 # words
	in_box $work calls -r "$2" "$3" > /dev/null
	interrupt
	read -r seen lost wakings median most longest < "$tmp/late"
	emit part latency mode "$1" rate "$2" events "$seen" lost "$lost" wakings "$wakings" median_us "$median" p99_us "$most" longest_us "$longest"
}
part_latency() {
	local mode
	mkdir -p $cg/own/box
	modprobe ctrace
	for mode in late prompt; do
		late $mode 1000 5000
		late $mode 200000 600000
	done
	unload
}
