# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # from and for guest.sh, which sources it
# views.sh: what views cost, beside those that show the same

# A view of the container of in_box; bcc's tools know no containers.
blame_start() { counting blame --duration 1000; }
blame_stop() { ctrace_stop; }
bio_start() { counting bio --duration 1000; }
bio_stop() { ctrace_stop; }
# Debian's release ends at once on 6.1, which refuses a kprobe at blk_account_io_done: let it have the request's end one
# function earlier. There may be further reasons to end at once.
bcc_biolatency_start() {
	sed 's/event="blk_account_io_done"/event="blk_mq_end_request"/' "$(command -v biolatency-bpfcc)" > "$out/biolatency"
	tracing env PYTHONUNBUFFERED=1 python3 "$out/biolatency"
}
bcc_biolatency_stop() { bcc_runqlat_stop; }
libbpf_biolatency_start() { tracing stdbuf -oL /usr/sbin/biolatency; }
libbpf_biolatency_stop() { bcc_runqlat_stop; }

# tracing COMMAND...: as saying, but gives up when the tool has ended
tracing() {
	$reader "$@" > "$out/t" 2> "$out/log" &
	pid=$!
	wait_for 60 sh -c "grep -q Tracing '$out/t' || ! [ -e /proc/$pid/stat ] || grep -q '^State:.Z' /proc/$pid/status"
	grep -q Tracing "$out/t" && sleep 0.5
}
# with_tool TOOL COMMAND...: runs COMMAND while the tool counts
with_tool() {
	local tool=$1
	shift
	rm -rf "$out"
	mkdir "$out"
	if ! "${tool}_start" > "$out/said" 2>&1; then
		tell "views: $tool did not start: $(tail -qn 2 "$out/said" "$out/log" 2> /dev/null)"
	else
		"$@" "$tool"
	fi
	"${tool}_stop" > "$out/said" 2>&1
}
# a byte to another process and back: two switches, with a wake-up each
switch_costs() { emit part views tool "$1" work switch value "$(in_box calls 20000 pingpong)"; }
# requests of a disk that ends each at once: instructions for 1,000 of them
request_costs() {
	local began
	began=$EPOCHREALTIME
	in_box dd if=/dev/nullb0 of=/dev/null bs=4k count=20000 iflag=direct status=none
	emit part views tool "$1" work request value $(((${EPOCHREALTIME/./} - ${began/./}) * 1000 / 20000))
}
# tops WORK: the CPU time of ten intervals of a second, without beginning and end
tops() {
	local began one
	began=$(used)
	(in_tracer ctrace top -v -b --interval 1 --count 1 --top 40 > "$tmp/top" 2> "$tmp/top.log")
	one=$(($(used) - began)) began=$(used)
	(in_tracer ctrace top -v -b --interval 1 --count 11 --top 40 > "$tmp/top" 2> "$tmp/top.log")
	emit part views tool top work "$1" value $((($(used) - began - one) / 10)) begin "$one" events "$(sed -n 's/^ctrace: \([0-9]*\) events counted.*/\1/p' "$tmp/top.log")"
}
# csysdigs WORK: the same of csysdig's containers, each second; it draws on a terminal that script(1) gives it
csysdigs() {
	local began
	modprobe scap || return
	tell "views: csysdig, the same"
	(in_tracer env TERM=xterm script -qfc "csysdig -d 1000 -v containers" "$tmp/csysdig" > /dev/null 2>&1 < /dev/null) &
	wait_for 60 test -s "$tmp/csysdig"
	sleep 3
	began=$(used)
	sleep 10
	emit part views tool csysdig work "$1" value $((($(used) - began) / 10))
	echo 1 > "$cg/tracer/cgroup.kill"
	sleep 1
	rmmod scap
}
part_views() {
	local tool cgroup=/own/box storm
	mkdir -p "$cg/tracer" "$cg/own/box"
	for tool in none blame bcc_runqlat; do
		tell "views: switches, $tool"
		with_tool "$tool" switch_costs
	done
	if modprobe null_blk nr_devices=1 queue_mode=2 irqmode=0; then
		for tool in none bio bcc_biolatency libbpf_biolatency; do
			tell "views: requests, $tool"
			with_tool "$tool" request_costs
		done
		rmmod null_blk
	fi
	modprobe ctrace
	tell "views: top, one container"
	tops top-1
	gather 1000
	tell "views: top, 1,000 containers"
	tops top-1000
	tell "views: top, 1,000 containers, one of which makes some 20,000 calls a second"
	(in_box perl -e 'while (1) {getppid for 1 .. 5000; select undef, undef, undef, 0.25}') & storm=$!
	tops top-1000-busy
	unload
	csysdigs top-1000-busy
	echo 1 > "$cg/own/box/cgroup.kill"
	wait "$storm"
	disperse
}
