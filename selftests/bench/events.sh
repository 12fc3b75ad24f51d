# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # from and for guest.sh, which sources it
# events.sh: what other events than system calls cost, beside other tracers and probes that do nothing

declare -A tracepoints=(
	[pingpong]='sched:sched_switch sched:sched_wakeup' [fault]=exceptions:page_fault_user
	[request]='block:block_rq_issue block:block_rq_complete' [packet]='net:net_dev_queue net:netif_receive_skb'
)

# the least that a tracer adds: the module's probes do nothing
empty_start() { modprobe empty "points=$(IFS=,; echo "${points[*]#*:}")"; }
empty_stop() { rmmod empty; }
empty_count() { none_count; }

# in_cell NAME COMMAND...: runs COMMAND in a container of its own, with a network of its own: a packet belongs to the
# container whose network it comes through. The container's cgroup stays.
in_cell() {
	(
		echo 0 > "$cg/own/$1/cgroup.procs"
		# shellcheck disable=SC2016 # the inner shell's
		exec unshare --pid --net --fork sh -c 'ip link set lo up; exec "$@"' sh "${@:2}"
	)
}
# happens KIND N: measures N events of the container, and of its neighbour. Their reader would be counted with them, so it
# waits: there is room for all records.
happens() {
	local where
	[ -z "$pid" ] || kill -STOP "$pid"
	for where in box next; do
		emit part events tool "$tool" work "$1-$where" value "$(in_cell $where calls "$2" "$1")"
	done
	[ -z "$pid" ] || kill -CONT "$pid"
	# bpftrace leaves unread what it has not read when it is stopped
	sleep 3
	made=$2 per=${#points[@]}
	# who is preempted before it waits needs no wake-up, so their number is not known
	[ "$1" != pingpong ] || made=0
}
part_events() {
	local kind tool points cgroup=/own/box
	mkdir -p "$cg"/own/{box,next}
	modprobe null_blk nr_devices=1 queue_mode=2 irqmode=0
	kb=32768
	for kind in pingpong fault request packet; do
		read -ra points <<< "${tracepoints[$kind]}"
		in_cell box calls 1000 "$kind" > "$tmp/first"	# takes longer: what it needs is not in memory yet
		for tool in none empty ctrace perf_record lttng bpftrace; do
			tell "events: $kind, $tool"
			pid=
			traced "$tool" events happens "$kind" 10000
		done
	done
	rmmod null_blk
}
