#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: blame and why tell the causes of a wait for a CPU that no task is: a hypervisor, sched_yield(), the limit of real-time tasks; many short turns; and the container's own weight, nice level and CPUs
# witness: /proc/stat's steal, /proc/PID/schedstat, cpu.weight and cpu.shares, taskset and nice as they were set
# columns: why: yielded
# requires: v2,v1
# timeout: 150
# processors: its programs are pinned to either of them
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
[ "$(nproc)" -ge 2 ] || skip "it takes two CPUs"
load
ctrace events 2> /dev/null | grep -q '^sched_blame ' || skip "no sched_blame here"
cpu_controller
auto=/proc/sys/kernel/sched_autogroup_enabled
[ ! -e $auto ] || { later "echo $(cat $auto) > $auto"; echo 0 > $auto; }
# all else on CPU 0
taskset -p 1 $$ > /dev/null
spin='while :; do :; done'
# spinner NAME COMMAND: a container on CPU 1
spinner() { docker_box "$1" "taskset -p 2 \$\$ > /dev/null; $2"; }
# weight N: the container that was made last has this cpu.weight, or ten times that in cpu.shares
weight() {
	local d
	for d in $(cgroup_dirs /docker); do
		[ ! -e "$d/cgroup.subtree_control" ] || echo +cpu > "$d/cgroup.subtree_control"
	done
	for d in $(cgroup_dirs "/docker/$docker_id"); do
		[ ! -e "$d/cpu.weight" ] || echo "$1" > "$d/cpu.weight"
		[ ! -e "$d/cpu.shares" ] || echo "$(($1 * 10))" > "$d/cpu.shares"
	done
}
# of KIND FILE: ms of the only row's waits because of it
of() { jq --arg k "$1" '[.rows[0].culprits[] | select(.culprit == $k) | .waited] | add // 0 | . / 1e6 | floor' "$2"; }
all() { jq '.rows[0].waited / 1e6 | floor' "$1"; }

spinner victim "$spin"
weight 10
victim=$pid
spinner noisy "$spin"
weight 90
noisy=$pid
file=cpu.weight own=10 other=90
[ "$(cgroup_mode)" = v2 ] || file=cpu.shares own=100 other=900

# --- the container's own settings ---------------------------------------------------------------

ctrace blame victim --duration 1 > "$tmp/out" 2> "$tmp/err"
has "its weight against the neighbour's" "^victim has $file $own against noisy's $other: that is the share it was given\.\$" "$tmp/out"
has "its CPUs" "^victim may run on 1 of $(getconf _NPROCESSORS_ONLN) CPUs" "$tmp/out"
has_not "a nice level that it has not" 'nice|SCHED_IDLE' "$tmp/out"
ctrace blame noisy --duration 1 > "$tmp/out" 2> "$tmp/err"
has_not "the neighbour's weight is the larger one" "cpu\.(weight|shares)" "$tmp/out"
renice -n 7 -p "$victim" > /dev/null
ctrace why victim --duration 1 --json > "$tmp/json" 2> "$tmp/err"
same "why says it, too" "neighbour $file $own $other 7 1" \
	"$(jq -r '.rows[0] | "\(.cause) \(.settings.weight_file) \(.settings.weight) \(.settings.culprit_weight) \(.settings.nice) \(.settings.cpus)"' "$tmp/json")"
has "in its verdict" 'victim runs with nice 7' <(jq -r '.rows[0].verdict' "$tmp/json")
renice -n 0 -p "$victim" > /dev/null

# --- a hypervisor ----------------------------------------------------------------------------------

percent=/sys/module/steal/parameters/percent
stolen() { awk '/^cpu1 / { print $9 * 10 }' /proc/stat; }	# ms
insmod "$here/build/steal/steal.ko" percent=50 2> "$tmp/err" || give_up "no module that steals: $(cat "$tmp/err")"
later "rmmod steal"
before=$(stolen)
ctrace blame victim --duration 2 --json > "$tmp/json" 2> "$tmp/err"
note "$(jq -c '.rows' "$tmp/json"), stolen: $(($(stolen) - before)) ms"
check "half of its waits are the hypervisor's: $(of hypervisor "$tmp/json") of $(all "$tmp/json") ms" \
	test "$(of hypervisor "$tmp/json")" -ge $(($(all "$tmp/json") * 4 / 10)) -a "$(of hypervisor "$tmp/json")" -le $(($(all "$tmp/json") * 6 / 10))
ctrace blame victim --duration 1 > "$tmp/out" 2> "$tmp/err"
has "by its name" '^ +\(hypervisor\) +[0-9.]+ +[0-9.]+% *$' "$tmp/out"
echo 95 > $percent
ctrace why victim --duration 2 --json > "$tmp/json" 2> "$tmp/err"
same "why: the hypervisor" hypervisor "$(jq -r '.rows[0].cause' "$tmp/json")"
note "$(jq -r '.rows[0].verdict' "$tmp/json")"
echo 0 > $percent
sleep 0.1
ctrace blame victim --duration 1 --json > "$tmp/json" 2> "$tmp/err"
same "without one, it has no part" 0 "$(of hypervisor "$tmp/json")"

# --- many short turns -------------------------------------------------------------------------------

# two tasks that hand each other a byte, as fast as they can (10,000 to 20,000 turns a second), in the neighbour's place
kill -9 "$noisy"
# shellcheck disable=SC2016 # Perl's own dollars
spinner quick 'exec perl -e '\''pipe(A, B); pipe(C, D); if (fork) { while (1) { syswrite(B, "x"); sysread(C, $x, 1) } } while (1) { sysread(A, $x, 1); syswrite(D, "x") }'\'''
quick=$pid
# so that it waits for some hundred turns at a time: more than a few, and no more than are kept
weight 70
docker_id=$(hex64 victim)
weight 30
ctrace blame victim --duration 2 --json > "$tmp/json" 2> "$tmp/err"
ctrace count quick -e sched_switch --duration 1 > "$tmp/out" 2>&1
note "$(cat "$tmp/out"; jq -c '.rows' "$tmp/json")"
at_least "its waits are long (ms)" 500 "$(all "$tmp/json")"
check "nearly all has its culprit: not known are $(of earlier "$tmp/json") of $(all "$tmp/json") ms" \
	test "$(of earlier "$tmp/json")" -le $(($(all "$tmp/json") / 10))
check "the two: $(of neighbour "$tmp/json") ms" test "$(of neighbour "$tmp/json")" -ge $(($(all "$tmp/json") * 7 / 10))
kill -9 "$quick"

# --- sched_yield() ----------------------------------------------------------------------------------

spinner noisy2 "$spin"
noisy=$pid
kill -9 "$victim"
nr=24
[ "$(uname -m)" = x86_64 ] || nr=124
spinner yields "exec perl -e 'while (1) { syscall($nr) }'"
yields=$pid
ctrace blame yields --by reason --duration 1 --json > "$tmp/json" 2> "$tmp/err"
note "$(jq -c '[.rows[] | [.by, .waited]]' "$tmp/json")"
same "most of its waits began with sched_yield()" YIELDED "$(jq -r '.rows | max_by(.waited) | .by' "$tmp/json")"
# share: what part of the time since the first call waited for a CPU, by the scheduler's account, in percent
delay() { cut -d' ' -f2 "/proc/$yields/schedstat"; }
share() { echo $((($(delay) - delay) * 100 / ($(date +%s%N) - since))); }
delay=$(delay) since=$(date +%s%N)
ctrace why yields --duration 1 --json > "$tmp/json" 2> "$tmp/err"
share=$(share)
note "$(jq -c '.rows[0] | [.cause, .spent]' "$tmp/json")"
# a busy guest may take the CPU from it, too
check "which is no neighbour's fault" jq -e '.rows[0] | (.neighbour_to_blame | not) or .spent.waited > (.spent | add) / 20' "$tmp/json"
yielded=$(jq '.rows[0].spent | 100 * (.yielded + .waited) / add | floor' "$tmp/json")
in_range "it waited for as long as the scheduler says, which is $share% of the time" $((share * 6 / 10)) $((share * 12 / 10 + 5)) "$yielded"
same "it gave the CPU up" true "$(jq '.rows[0].spent | .yielded > .waited' "$tmp/json")"
ctrace blame noisy2 --by reason --duration 1 --json > "$tmp/json" 2> "$tmp/err"
same "the other one does not yield" 0 "$(jq '[.rows[] | select(.by == "YIELDED") | .waited] | add // 0' "$tmp/json")"
kill -9 "$yields" "$noisy"

# --- real-time tasks ---------------------------------------------------------------------------------

spinner rt "exec chrt -f 20 sh -c '$spin'"
rt=$pid
ran() { cut -d' ' -f1 "/proc/$rt/schedstat"; }
before=$(ran)
ctrace blame rt --duration 3 --json > "$tmp/json" 2> "$tmp/err"
idle=$((3000 - ($(ran) - before) / 1000000))
note "it did not run for some $idle of 3,000 ms: $(jq -c '.rows' "$tmp/json")"
if [ "$(of rt_limit "$tmp/json")" = 0 ] && [ "$idle" -lt 60 ]; then
	note "this kernel does not limit a real-time task that nobody else waits for"
else
	at_least "the limit has its name (ms)" 60 "$(of rt_limit "$tmp/json")"
	at_least "it is not idleness" "$(of idle "$tmp/json")" "$(of rt_limit "$tmp/json")"
fi
