#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: who had the CPU while others waited: parts add up to each wait; a noisy neighbour, an innocent one, a quota that ran out
# witness: /proc/PID/schedstat of who waited and of who ran, cpu.stat; rings made by hand
# columns: blame: CONTAINER CULPRIT WAITED_ms % TOP_TASK
# requires: v2,v1
# timeout: 150
# processors: its programs are pinned to either of them
# shellcheck disable=SC2016 # awk's own dollars
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

[ "$(cut -d' ' -f1 /proc/self/schedstat)" != 0 ] || skip "the kernel keeps no account of waits"
[ "$(nproc)" -ge 2 ] || skip "it takes two CPUs"
load
cpu_controller
# spinner NAME CPUS COMMAND: a container; NAME_pid, NAME_cid, NAME_dir are its init, number, and cgroup
spinner() {
	local name
	name=/box/$(hex64 "blame $1")
	cheap "$1" -n "$1" -g "$name" -- taskset "$2" /bin/sh -c "${3:-while :; do :; done}"
	eval "$1_pid=$pid $1_cid=$(of_path "$name" cid) $1_dir=$mount$name"
}
# weight DIR N
weight() { if [ -e "$1/cpu.weight" ]; then echo "$2" > "$1/cpu.weight"; else echo $(($2 * 10)) > "$1/cpu.shares"; fi; }
# shellcheck disable=SC2154,SC2086 # set by spinner; words
{
spinner victim 1
spinner noisy 1
spinner bounded 2
spinner innocent 2
spinner moving 3 'spin() { while :; do :; done; }; spin & spin & spin & sleep 0.3; while sleep 0.01; do :; done'
weight "$victim_dir" 10
weight "$noisy_dir" 90
weight "$moving_dir" 10
quota "$bounded_dir" 20 || skip "no quotas"

# look N: notes the time (CLOCK_BOOTTIME is ours where nothing was suspended) and the kernel's accounts; forks nothing.
# Looks again if the machine stood still: a long wait may have ended between the readings.
look() {
	local up after ran waited key v quota=0 tries=0
	while [ $((tries += 1)) -le 20 ]; do
		read -r up _ < /proc/uptime
		read -r _ waited _ < "/proc/$victim_pid/schedstat"
		read -r ran _ < "/proc/$noisy_pid/schedstat"
		while read -r key v; do
			case $key in throttled_usec) quota=$((v * 1000));; throttled_time) quota=$v;; esac
		done < "$bounded_dir/cpu.stat"
		read -r after _ < /proc/uptime
		[ $((10#${after/.} - 10#${up/.})) -gt 3 ] || break
	done
	eval "time$1=${up/.}0000000 wait$1=$waited run$1=$ran quota$1=$quota"
}
recorder ev -v -N -b 16777216 -t all -e sched_wait -e sched_blame
recorder own -t "cid:$victim_cid" -e sched_blame
# The kernel's account has waits that began before the recorders, too: on a busy host, one may take seconds.
slices() { cut -d' ' -f3 "/proc/$victim_pid/schedstat"; }
slices=$(slices)
ran_since() { [ "$(slices)" -gt $((slices + 1)) ]; }
wait_for 20 ran_since || note "the victim has not run since"
look 1
sleep 2
look 2
kill $recorders
wait $recorders
note "$(tail -n 1 "$tmp/ev.err")"
kill -9 "$innocent_pid" "$moving_pid"
}
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/ev.err"

# Each wait: the parts before it are its own. (The first wait of a task may have begun before both events were wanted.)
awk '{split($4, t, "="); split($6, d, "="); tid = t[2]}
	$2 == "sched_blame" {sum[tid] += d[2]; parts++}
	$2 == "sched_wait" {if (seen[tid]++) {n++; if (sum[tid] != d[2]) {bad++; if (bad < 5) print "# tid", tid, $1, "wait", d[2], "parts", sum[tid]}}
		sum[tid] = 0}
	END {print n + 0, bad + 0, parts + 0}' "$tmp/ev" > "$tmp/sums"
grep '^#' "$tmp/sums"
# the lines around the first of them, and where the recording begins and ends
odd=$(sed -nE 's/^# tid [0-9]+ ([0-9]+) .*/\1/p' "$tmp/sums" | head -n 1)
[ -z "$odd" ] || note "$({ head -n 1 "$tmp/ev"; grep -B5 -A5 "^$odd " "$tmp/ev"; tail -n 1 "$tmp/ev"; } | cut -c1-200)"
read -r waits bad parts < <(tail -n 1 "$tmp/sums")
note "$waits waits in $parts parts; culprits: $(sed -nE 's/.* sched_blame .* culprit=([0-9]).*/\1/p' "$tmp/ev" | sort | uniq -c | xargs)"
at_least "waits" 300 "$waits"
same "waits that their parts do not add up to" 0 "$bad"
at_least "waits that moved to another CPU, or had several culprits" 1 $((parts - waits))
# of TID CULPRIT [CID]: ns that the task waited because of it, in waits that ended between the looks
# shellcheck disable=SC2154
between "$tmp/ev" "$time1" "$time2" > "$tmp/mid"
of() {
	awk -v t="tid=$1" -v c="culprit=$2" -v cid="culprit_cid=${3:-}" '$2 == "sched_blame" && $4 == t && $7 == c && (cid == "culprit_cid=" || $8 == cid) {
		sub("duration=", "", $6); n += $6} END {printf "%.0f", n}' "$tmp/mid"
}
# shellcheck disable=SC2154
{
near "the victim's waits, as the kernel has them" 200000000 $((wait2 - wait1)) \
	"$(for c in 1 2 3 4 5 6 7 8 9; do of "$victim_pid" $c; echo; done | awk '{n += $1} END {printf "%.0f", n}')"
# On a busy host, more tasks run during a long wait than the module remembers: that part of it is (earlier).
earlier=$(of "$victim_pid" 6)
note "not known any more: $earlier"
near "the noisy one's share is what it ran" $((250000000 + earlier)) $((run2 - run1)) "$(of "$victim_pid" 2 "$noisy_cid")"
same "the innocent one has no share" 0 "$(of "$victim_pid" 2 "$innocent_cid")"
same "nor is there a quota" 0 "$(of "$victim_pid" 5)"
has "the culprit has its name" "sched_blame cid=$victim_cid tid=$victim_pid .* culprit=2 culprit_cid=$noisy_cid culprit_tid=$noisy_pid .* culprit_comm=\"sh\"" "$tmp/ev"
near "the bounded one waits for its quota" $(((quota2 - quota1) / 8 + 150000000)) $((quota2 - quota1)) "$(of "$bounded_pid" 5)"
at_least "which it does for longer than for others" "$(of "$bounded_pid" 2)" "$(of "$bounded_pid" 5)"
at_least "tasks of one container wait for each other" 100000000 \
	"$(awk -v c="cid=$moving_cid" '$2 == "sched_blame" && $3 == c && $7 == "culprit=1" {sub("duration=", "", $6); n += $6} END {printf "%.0f", n}' "$tmp/ev")"
at_least "in a session that may give views, a neighbour is one" 10 "$(grep -c " culprit=2 culprit_cid=0 culprit_tid=0 .* culprit_comm=\"\"" "$tmp/own")"
has_not "but not who" 'culprit_cid=[1-9]|culprit_tid=[1-9]|culprit_comm="[^"]' "$tmp/own"

# The command: the same, in rows that add up.
command -v jq > /dev/null || skip "no jq to read JSON"
sampled "$victim_pid" > "$tmp/samples" &
sampler=$!
later "kill $sampler"
ctrace blame "cid:$victim_cid" --json --duration 2 -v > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
sleep 0.2
kill $sampler
read -r from to < <(jq -r '"\(.time - .duration) \(.time)"' "$tmp/json")
# The scheduler's account has a wait when it ends. On a busy machine one may be longer than the look.
delay=$(($(at "$to" 3) - $(at "$from" 3)))
if [ $delay -gt 0 ] && [ $delay -le $((to - from)) ]; then
	near "it waited as long as the scheduler says (ns)" 400000000 $delay "$(jq '.rows[0].waited' "$tmp/json")"
else
	at_least "it waited for all of the look, or most" $(((to - from) / 2)) "$(jq '.rows[0].waited' "$tmp/json")"
fi
has "the account" '^ctrace: [0-9]+ events counted, 0 lost$' "$tmp/err"
same "one row, which adds up" '1 true' "$(jq -r '"\(.rows | length) \(.rows[0] | ([.culprits[].waited] | add) == .waited)"' "$tmp/json")"
same "the noisy one has most of it" "neighbour $noisy_cid sh" "$(jq -r '.rows[0].culprits | max_by(.waited) | "\(.culprit) \(.cid) \(.comm)"' "$tmp/json")"
ctrace blame "cid:$bounded_cid" --json --duration 1 > "$tmp/json" 2> "$tmp/err"
same "the bounded one has its quota to blame, above all" "throttled true" \
	"$(jq -r '.rows[0] | (.culprits | max_by(.waited)) as $m | "\($m.culprit) \($m.waited * 2 > .waited)"' "$tmp/json")"
look 1
ctrace blame "cid:$victim_cid" --duration 2 > "$tmp/out" 2> "$tmp/err"
look 2
# the noisy one's time on the CPU, in percent of the victim's waits
n=100
if [ "$wait2" -gt "$wait1" ] && [ $((wait2 - wait1)) -lt 3000000000 ]; then n=$((100 * (run2 - run1) / (wait2 - wait1))); fi
noisy=$(hex64 "blame noisy")
has "the victim, by name" "^$(hex64 "blame victim" | cut -c1-12) +\\(total\\) " "$tmp/out"
has "the culprit, by name" "^ +${noisy:0:12} +[0-9.]+ +[0-9.]+% +sh 100%$" "$tmp/out"
in_range "its share, about the $n % that it ran" $((n - 25)) $((n + 10)) "$(sed -nE "s/.*${noisy:0:12} +[0-9.]+ +([0-9]+)\.[0-9]%.*/\1/p" "$tmp/out")"
ctrace blame all --duration 0.5 --by comm > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
has "the heading" '^CONTAINER +COMM +CULPRIT +WAITED ms +% +TOP TASK$' "$tmp/out"
check "each block adds up, to a tenth for each line" awk '
	/\(total\)/ {if (n && (d = all - sum) * d > n * n / 100) exit 1; all = $(NF - 1); sum = n = 0; next}
	NR > 1 {match($0, / +[0-9.]+ +[0-9.]+%/); split(substr($0, RSTART, RLENGTH), f); sum += f[1]; n++}
	END {if (!n || (d = all - sum) * d > n * n / 100) exit 1}' "$tmp/out"
note "$(head -n 12 "$tmp/out")"
refuse "two keys" 'takes one key' ctrace blame --by comm,tid
refuse "an order that is none" 'no column .count. to sort by: there are waited container' ctrace blame --sort count
}
