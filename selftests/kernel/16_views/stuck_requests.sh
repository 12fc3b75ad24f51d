#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace stuck: block requests that have not completed, in a slow disk, in its queue, and held back by a limit, with owner,
#	thread, direction and age; those that began before all sessions are counted; a neighbour's are not shown
# witness: null_blk that takes 4 s and one request at a time, and its inflight file; where and how much each program writes;
#	tracefs: when each request was made and issued; the test's clock
# columns: stuck: AT DISK T SECTOR BYTES
# requires: any
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
kernel_before 4.11 && skip "blk-mq has no schedulers before 4.11"
# the kernel looks for partitions first: some requests of 4 s
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=4000000000 hw_queue_depth=1 submit_queues=1 gb=4 ||
	skip "no null_blk"
later "rmmod null_blk"
echo mq-deadline > /sys/block/nullb0/queue/scheduler || skip "no scheduler"
kdev=$(tr : , < /sys/block/nullb0/dev)
load
tracing on block/block_getrq block/block_rq_issue

in_disk() { awk '{print $1 + $2}' /sys/block/nullb0/inflight; }
busy() { [ "$(in_disk)" = 1 ]; }
idle() { [ "$(in_disk)" = 0 ]; }
# look [OPTION]...: into $tmp/json; $before and $after: when, in ns
look() {
	before=$(date +%s%N)
	ctrace stuck --json --longer 500ms "$@" > "$tmp/json" 2> "$tmp/err"
	after=$(date +%s%N)
}
of() { jq -c "[.requests[] | select(.container == \"$1\") | $2]" "$tmp/json"; }
# write NAME SIZE PLACE...: a script that writes a block at each place at once, again and again, from $tmp/go.NAME to
# $tmp/stop.NAME: a look may take very long on a busy host
write() {
	local name=$1 size=$2 at
	shift 2
	echo "until [ -e $tmp/go.$name ]; do sleep 0.05; done"
	for at; do echo "while [ ! -e $tmp/stop.$name ]; do dd if=/dev/zero of=/dev/nullb0 bs=$size count=1 oflag=direct seek=$at; done &"; done
	echo "wait; : > $tmp/done.$name; exec sleep 1000"
}
ended() { [ -e "$tmp/done.$1" ]; }
wait_for 60 idle || give_up "the disk is busy"

# --- before all sessions: how many, but not whose --------------------------------------------

docker_box early "$(write early 4k 1 2 3)"
: > "$tmp/go.early"
unknown() { look && jq -e '.unknown_requests == [{"disk": "nullb0", "requests": 1}]' "$tmp/json" > /dev/null; }
check "one in the disk that nobody has followed" wait_for 20 unknown
has "it says so" '^ctrace: nullb0 has 1 request in it that no session has followed \(block_io\) since it began: whose it is' "$tmp/err"
same "and nothing else of it" '[]' "$(jq -c .requests "$tmp/json")"
: > "$tmp/stop.early"
wait_for 90 ended early || give_up "the early writer did not end"

# --- in the disk, and in its queue -------------------------------------------------------------

# one request is in the disk, and one in its queue, which has room for no more. The scheduler says whose is next
docker_box slow "$(write slow 8k 100 200 300)"
docker_box next "$(write next 4k 20000 20010 20020 20030)"
next=$pid
ctrace record -o "$tmp/t" -e block_io all > "$tmp/out" 2> "$tmp/rec.err" &
recorder=$!
later "kill -9 $recorder"
wait_for 20 recording 1 || give_up "does not record: $(cat "$tmp/rec.err")"
: > "$tmp/go.slow"
wait_for 20 busy || give_up "no request"
began=$(date +%s%N)
: > "$tmp/go.next"
queued() { look next && [ "$(of next .at | jq 'map(select(. == "queue")) | length')" -ge 1 ]; }
wait_for 60 queued || not_ok "no requests in the queue"
note "$(jq -c '.requests[]' "$tmp/json"): $(cat "$tmp/err")"
same "where, what and how much" true "$(of next '.' | jq 'length > 0 and all(.disk == "nullb0" and .bytes == 4096 and .comm == "dd" and (.rwbs | startswith("W")) and
	.sector >= 160000 and .sector <= 160240 and .sector % 80 == 0)')"
owned() { [ "$(cat "/proc/$1/comm" 2> /dev/null)" = dd ] && cmp -s "/proc/$1/cgroup" "/proc/$next/cgroup"; }
n=0
for tid in $(of next .tid | jq '.[]'); do ! owned "$tid" || n=$((n + 1)); done
at_least "threads that are the container's dd" 1 "$n"
in_range "the oldest one's age: at most since the test let them begin" 500000000 $((after - began)) "$(of next .age | jq max)"
same "a neighbour's requests are not shown" next "$(jq -r '.requests[].container' "$tmp/json" | sort -u)"
same "no request is unknown" '[]' "$(jq -c .unknown_requests "$tmp/json")"
# each grows by the time that passes between two looks that both see it
grown() {
	local b a
	look next
	b=$before a=$after
	cp "$tmp/json" "$tmp/first"
	look next
	jq -se "[.[0].requests[] as \$x | .[1].requests[] | select(.tid == \$x.tid) | .age - \$x.age]
		| length > 0 and all(. >= $((before - a)) and . <= $((after - b)))" "$tmp/first" "$tmp/json"
}
check "ages grow by the time that passes" wait_for 60 grown

both() { look && [ "$(of slow .at | jq length)" -ge 1 ] && [ "$(of next .at | jq length)" -ge 1 ]; }
check "all containers" wait_for 60 both
note "$(jq -c '.requests[]' "$tmp/json")"
# one may end, and the next be issued, while ctrace looks
same "the disk takes one at a time" true "$(jq '[.requests[] | select(.at == "disk")] | length <= 2' "$tmp/json")"
same "the oldest first" true "$(jq -c '[.requests[].age] | . == (sort | reverse)' "$tmp/json")"
same "the neighbour's sizes and places" true "$(of slow '[.sector, .bytes]' | jq -c 'length > 0 and all(.[0] % 1600 == 0 and .[0] <= 4800 and .[1] == 8192)')"
ctrace stuck slow next --longer 500ms > "$tmp/table" 2> "$tmp/err"
note "$(cat "$tmp/table")"
has "a table" '^CONTAINER +AGE +AT +COMM/TID +DISK +T +SECTOR +BYTES$' "$tmp/table"
has "a row" '^(next|slow) +[0-9.]+(s|ms) +(queue|disk) +dd/[0-9]+ +nullb0 +WS? +[0-9]+ +(4096|8192)$' "$tmp/table"

issued() { look && [ "$(of next .at | jq 'map(select(. == "disk")) | length')" = 1 ]; }
wait_for 60 issued || not_ok "none came into the disk"
same "each place once, also with one in the disk" true "$(jq '[.requests[].sector] | length == (unique | length)' "$tmp/json")"
waited=$(of next '.' | jq -r '.[] | select(.at == "disk") | .age - .issued_age')
sector=$(of next '.' | jq -r '.[] | select(.at == "disk") | .sector')
tracing read | grep -E " block_(getrq|rq_issue): $kdev .* $sector \+ 8 " > "$tmp/kernel"
theirs=$(awk '{ match($0, /[0-9]+\.[0-9]+: block_/); t = substr($0, RSTART, RLENGTH) + 0
	if (/block_getrq:/) made = t
	if (/block_rq_issue:/) last = t - made } END { printf "%.0f", last * 1e9 }' "$tmp/kernel")
in_range "in the disk, after as long in the queue as the kernel's own events say, $theirs ns" $((theirs - 200000000)) $((theirs + 200000000)) "$waited"
: > "$tmp/stop.next"
: > "$tmp/stop.slow"
for name in next slow; do wait_for 90 ended $name || give_up "the writers did not end"; done
look
same "they have ended, and are not shown" '[]' "$(jq -c .requests "$tmp/json")"

# --- held back by a limit ----------------------------------------------------------------------------

docker_box held "$(write held 64k 4000)"
if [ "$(cgroup_mode)" = v2 ]; then
	for d in '' /docker; do
		later "echo -io > /sys/fs/cgroup$d/cgroup.subtree_control"
		echo +io > "/sys/fs/cgroup$d/cgroup.subtree_control" || note "no io controller"
	done
fi
# limit NUMBER: bytes in a second
limit() {
	local d
	for d in $(cgroup_dirs "/docker/$(hex64 held)"); do
		if [ -e "$d/io.max" ]; then echo "$(cat /sys/block/nullb0/dev) wbps=$1" > "$d/io.max"
		elif [ -e "$d/blkio.throttle.write_bps_device" ]; then echo "$(cat /sys/block/nullb0/dev) ${1/max/0}" > "$d/blkio.throttle.write_bps_device"
		else continue; fi && return
	done
}
if limit 1024; then
	: > "$tmp/go.held"
	limited() { look held && [ "$(of held .at)" = '["limit"]' ]; }
	check "a limit holds it back" wait_for 20 limited
	note "$(jq -c '.requests[]' "$tmp/json")"
	same "whose, where, how much" '["nullb0",512000,65536,"dd"]' "$(of held '[.disk, .sector, .bytes, .comm]' | jq -c '.[0]')"
	check "no request is in the disk" idle
	: > "$tmp/stop.held"
	limit max
	issued() { look held && [ "$(of held .at)" = '["disk"]' ]; }
	check "the limit is taken away: it is in the disk" wait_for 20 issued
	wait_for 30 ended held || give_up "the writer did not end"
	look held
	same "it has ended, and is not shown" '[]' "$(jq -c .requests "$tmp/json")"
else
	note "no limits of disks here"
fi
kill -INT $recorder
wait $recorder
note "$(cat "$tmp/rec.err")"
