#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace bio says disk or limit: a container behind its io.max, one behind that of a cgroup above, one on a slow disk
# witness: the limits that the test sets, the programs' own times, the disks' known latency and their own counters, io.stat,
#	tracefs: kernel threads make the requests that were held back
# columns: bio: QUE50 QUE99 queued throttled duration held_up_by limits
# columns: bio --lines: COMM THR(ms)
# requires: v2,v1
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
# Each request takes 2 ms. At most 128 pages are one request.
modprobe null_blk nr_devices=3 queue_mode=2 irqmode=2 completion_nsec=2000000 submit_queues=1 memory_backed=1 gb=1 || skip "no null_blk"
later "rmmod null_blk"
mkdir -p "$tmp/times"
if [ "$(cgroup_mode)" = v2 ]; then
	above=yes file=io.max
	grep -qw io /sys/fs/cgroup/cgroup.controllers || skip "v2 has no io controller"
	mkdir -p /sys/fs/cgroup/box /sys/fs/cgroup/above
	later "echo -io > /sys/fs/cgroup/cgroup.subtree_control"
	for d in '' /box /above; do
		later "echo -io > /sys/fs/cgroup$d/cgroup.subtree_control"
		echo +io > "/sys/fs/cgroup$d/cgroup.subtree_control" || give_up "no io controller in '$d'"
	done
	later "rmdir /sys/fs/cgroup/above"
else
	# its limits are flat
	above='' file=blkio.throttle.write_bps_device
fi
dev() { cat "/sys/block/nullb$1/dev"; }
# limit CGROUP DISK WORD NUMBER
limit() {
	local d of
	case $3 in wbps) of=write_bps;; riops) of=read_iops;; esac
	for d in $(cgroup_dirs "$1"); do
		if [ -e "$d/io.max" ]; then echo "$(dev "$2") $3=$4" > "$d/io.max"
		elif [ -e "$d/blkio.throttle.${of}_device" ]; then echo "$(dev "$2") $4" > "$d/blkio.throttle.${of}_device"
		else continue; fi && return
	done
	skip "the kernel has no limits of disks (BLK_DEV_THROTTLING)"
}
load
tracing on block/block_getrq
# worker NAME CGROUP DD-OPTION...: a container whose init becomes dd when it may begin; its own time goes to $tmp/times/NAME
worker() {
	local name=$1 cgroup=$2
	shift 2
	cheap "$name" -g "$cgroup" -- sh -c "until [ -e $tmp/go ]; do sleep 0.02; done; date +%s%N > $tmp/times/$name.0
		dd $* 2> $tmp/times/$name.dd; date +%s%N > $tmp/times/$name.1; while :; do sleep 1; done"
	cid=$(of_pid "$pid" cid)
}
# 1.5 MB at 0.5 MB a second; pieces of 1 MB, which are two requests, at 2 MB a second; 400 requests of 2 ms
own=/box/$(hex64 limited) big=/box/$(hex64 large)
worker limited "$own" if=/dev/zero of=/dev/nullb0 bs=64k count=24 oflag=direct
a=$cid
limit "$own" 0 wbps 524288
worker large "$big" if=/dev/zero of=/dev/nullb1 bs=1M count=4 oflag=direct
b=$cid
limit "$big" 1 wbps 2097152
worker free "/box/$(hex64 free)" if=/dev/zero of=/dev/nullb2 bs=4k count=400 oflag=direct
c=$cid
names=(limited large free)
if [ "$above" ]; then
	# 40 requests, 20 a second
	worker under "/above/$(hex64 under)" if=/dev/nullb2 of=/dev/null bs=4k count=40 iflag=direct
	d=$cid
	names+=(under)
	limit /above 2 riops 20
fi
stat() { awk '{print $5, $7, $8}' "/sys/block/nullb$1/stat"; }	# WRITES SECTORS MS
read -r w0 s0 ms0 < <(stat 0)
ctrace bio all > "$tmp/text" 2> "$tmp/text.err" & jobs=($!)
ctrace bio all --lines --json > "$tmp/lines" 2> "$tmp/lines.err" & jobs+=($!)
ctrace bio all --hist > "$tmp/hist" 2> "$tmp/hist.err" & jobs+=($!)
ctrace why "cid:$a" > "$tmp/why" 2> "$tmp/why.err" & jobs+=($!)
later "kill ${jobs[*]}"
wait_for 20 recording 4 || give_up "not all record: $(cat "$tmp"/*.err)"
ctrace bio all --json -- sh -c "sleep 1.2; : > $tmp/go; for n in ${names[*]}; do until [ -e $tmp/times/\$n.1 ]; do sleep 0.05; done; done; sleep 0.2" \
	> "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
kill -INT "${jobs[@]}"
wait "${jobs[@]}"
read -r w1 s1 ms1 < <(stat 0)
note "$(cat "$tmp/text"; cat "$tmp"/times/*.dd | grep copied)"
# of CID MEMBER; took NAME: ns, by the program's own clock
of() { jq "[.rows[] | select(.cid == $1) | $2][0]" "$tmp/json"; }
took() { echo $(($(cat "$tmp/times/$1.1") - $(cat "$tmp/times/$1.0"))); }
part() { echo $((100 * $1 / $2)); }

# its own limit
e=$(took limited)
same "requests and bytes, by the disk's own counters" "$((w1 - w0)) $(((s1 - s0) * 512))" "$(of "$a" .writes) $(of "$a" .wbytes)"
at_least "held back for most of the program's own time of $((e / 1000000)) ms, in percent" 50 "$(part "$(of "$a" .throttled)" "$e")"
in_range "waited before the issue: that, and at most the program's time" "$(of "$a" .throttled)" "$e" "$(of "$a" .queued.total)"
n=$(of "$a" .count)
in_range "in the disk: 2 ms each, and at most what the wait left" $((n * 1990000)) $((e - $(of "$a" .throttled))) "$(of "$a" .duration)"
# the kernel's own time of them begins when there is a request, and has a jiffy's accuracy for each before 5.0
in_range "as the disk counts it: $((ms1 - ms0)) ms" 0 $(((ms1 - ms0 + 10 * n) * 1000000)) "$(of "$a" .duration)"
same "held up by" '"limit"' "$(of "$a" .held_up_by)"
limits="[.limits[] | select(.limit == \"wbps\") | [.cgroup, .file, .disk, .value]]"
same "its limit, as it was set" "[[\"$own\",\"$file\",\"nullb0\",524288]]" "$(of "$a" "$limits" | jq -c .)"
period=$(jq .duration "$tmp/json")
part=$((100 * (s1 - s0) * 512 / (period * 524288 / 1000000000)))
in_range "the part that it used, of 0.5 MB in a second of $((period / 1000000)) ms, in percent" $((part - 1)) $((part + 1)) \
	"$(of "$a" '[.limits[] | select(.limit == "wbps") | .used * 100 | floor][0]')"
has "in words" '^[^ ]+ on nullb0: its limit holds it up: its requests spent [0-9.]+% of their time behind it\. It has .*wbps 512\.0K \([0-9]+% used\)\.$' "$tmp/text"
# 64 kB wait for 125 ms, but the kernel lets the first ones go, and counts in jiffies
in_range "QUE50, in ms" 20 400 "$(($(of "$a" .queued.p50) / 1000000))"
in_range "QUE99, in ms" 40 "$((e / 1000000))" "$(($(of "$a" .queued.p99) / 1000000))"
has "QUE50 and QUE99 in the table" "^[^ ]+ +nullb0 .* [0-9.]+ms +[0-9.]+ms +[0-9.]+ms " "$tmp/text"
has "a histogram of the time before the issue, too" '^     before its issue:$' "$tmp/hist"
if [ "$above" ]; then
	same "as the cgroup counts" "$(((s1 - s0) * 512))" "$(sed -n "s/^$(dev 0) .*wbytes=\([0-9]*\).*/\1/p" "/sys/fs/cgroup$own/io.stat")"
fi
# by whom: dd, although kernel threads made the requests
jq -c "select(.cid == $a)" "$tmp/lines" > "$tmp/of"
at_least "requests that a kernel thread made" 10 "$(tracing read | grep " block_getrq: $(dev 0 | tr : ,) " | grep -c 'kworker')"
same "they are dd's" 24 "$(jq -s '[.[] | select(.comm == "dd")] | length' "$tmp/of")"
same "one thread's" 1 "$(jq -s '[.[].by_tid] | unique | length' "$tmp/of")"
same "as lines: waited behind the limit" "$(of "$a" .throttled)" "$(jq -s '[.[].throttled] | add' "$tmp/of")"
same "and before the issue" "$(of "$a" .queued.total)" "$(jq -s '[.[].queued] | add' "$tmp/of")"
if [ "$above" ]; then
	has "why: where to look" "^ +ctrace bio [^ ]+ --duration 10" "$tmp/why"
fi

# pieces of which the kernel makes two requests: both have waited
jq -c "select(.cid == $b)" "$tmp/lines" > "$tmp/of"
same "split: bytes" 4194304 "$(jq -s '[.[].bytes] | add' "$tmp/of")"
at_least "requests" 5 "$(wc -l < "$tmp/of")"
same "dd's" 0 "$(jq -s '[.[] | select(.comm != "dd")] | length' "$tmp/of")"
same "that did not wait behind the limit" 0 "$(jq -s '[.[] | select(.throttled == 0)] | length' "$tmp/of")"
same "held up by" '"limit"' "$(of "$b" .held_up_by)"

# a slow disk
e=$(took free)
same "slow disk: requests" 400 "$(of "$c" .writes)"
in_range "in the disk: 2 ms each, and at most the program's time" $((400 * 1990000)) "$e" "$(of "$c" .duration)"
in_range "before the issue: at most the rest" 0 $((e - $(of "$c" .duration))) "$(of "$c" .queued.total)"
same "behind a limit" 0 "$(of "$c" .throttled)"
same "held up by" '"disk"' "$(of "$c" .held_up_by)"
same "no limit" '[]' "$(of "$c" .limits | jq -c .)"
has "in words" '^[^ ]+ on nullb2: the disk holds it up: its requests spent [0-9.]+% of their time there\.$' "$tmp/text"

# a limit of a cgroup above
if [ "$above" ]; then
	e=$(took under)
	same "above: requests" 40 "$(of "$d" .reads)"
	at_least "held back for most of the program's own time of $((e / 1000000)) ms, in percent" 50 "$(part "$(of "$d" .throttled)" "$e")"
	same "held up by" '"limit"' "$(of "$d" .held_up_by)"
	same "a cgroup above's" '[["/above","io.max","nullb2","riops",20]]' "$(of "$d" '[.limits[] | [.cgroup, .file, .disk, .limit, .value]]' | jq -c .)"
	has "in words" '^[^ ]+ on nullb2: its limit holds it up: .* It has io\.max of /above riops 20 \([0-9]+% used\)\.$' "$tmp/text"
fi
