#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a unit, or another cgroup, that is a target has its own name in every view, live and recorded; why takes it; blame's (self) is the unit alone
# witness: three spinners on one CPU, two of them the unit's: each waits while the others run, and for how long they ran stands in
#	/proc/PID/schedstat; cgroup.procs
# requires: v2
# timeout: 180
# processors: its programs are pinned to either of them
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
[ "$(nproc)" -ge 2 ] || skip "it takes two CPUs"
[ "$(cut -d' ' -f1 /proc/self/schedstat)" != 0 ] || skip "the kernel keeps no account of waits"
load
cg=/sys/fs/cgroup
mkdir -p $cg/system.slice/victim.service $cg/system.slice/other.service
later "find $cg/system.slice -depth -type d -exec rmdir {} +"
# spin CGROUP: on the first CPU, with some calls. Before 6.2, to enter a cgroup undoes what taskset did
spin() {
	/bin/sh -c "echo \$\$ > $cg/$1/cgroup.procs; taskset -p 1 \$\$ > /dev/null; while :; do i=0; while [ \$i -lt 2000 ]; do i=\$((i + 1)); done; : < /dev/null; done" &
	later "kill -9 $!"
	wait_for 10 grep -q '^Cpus_allowed:[[:blank:]]*0*1$' "/proc/$!/status"
	spinners+=($!)
}
spinners=()
spin system.slice/victim.service
spin system.slice/victim.service
spin system.slice/other.service
unit=unit:victim

# three share a CPU: on a busy machine it may be a second until one of the two has its turn
ctrace trace $unit --json -e openat --duration 2 > "$tmp/out" 2> "$tmp/err"
same "trace --json" "[\"$unit\",0]" "$(grep '^{' "$tmp/out" | jq -c '[.container, .cid]' | sort -u)"
ctrace trace $unit -e openat --duration 2 > "$tmp/out" 2> "$tmp/err"
has "trace" "^[0-9:.]+ $unit +[^ ]+/[0-9]+ +\\[vtid [0-9]+\\] openat" "$tmp/out"
has_not "trace knows no other" '^[0-9:.]+ host ' "$tmp/out"
for view in stats runqlat blame 'count sched_switch' 'top -b --count 1' 'files' 'profile' 'offcpu'; do
	# shellcheck disable=SC2086 # words
	ctrace $view $unit --duration 1 > "$tmp/out" 2> "$tmp/err" || not_ok "$view: status $?: $(cat "$tmp/err")"
	has_not "${view%% *} calls nobody host" '^(container = )?host([ ,/;]|$)' "$tmp/out"
	case $view in
	offcpu) ;;	# they never sleep
	*) has "${view%% *}" "(^|[ =])$unit([ ,/;:]|\$)" "$tmp/out";;
	esac
done
ctrace stats $unit --json --duration 0.5 > "$tmp/out" 2> "$tmp/err"
same "stats --json" "\"$unit\"" "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"

# ran: prints for how long each spinner has run
ran() { for p in "${spinners[@]}"; do cut -d' ' -f1 "/proc/$p/schedstat"; done | paste -sd' '; }
before=$(ran)
ctrace blame $unit --json --duration 2 > "$tmp/out" 2> "$tmp/err"
after=$(ran)
note "$(jq -c '.rows[] | [.container, .waited, [.culprits[] | [.culprit, .container, .comm, .waited]]]' "$tmp/out")"
share() { jq "[.rows[] | . as \$r | .culprits[] | select(.culprit == \"$1\") | 100 * .waited / \$r.waited] | add | floor" "$2"; }
# expected self|host: its share. While one of the unit's runs, the other waits for it; while the third runs, both do.
expected() {
	echo "$before $after" | awk -v who="$1" '{ own = $4 - $1 + $5 - $2; out = 2 * ($6 - $3); printf "%d", 100 * (who == "self" ? own : out) / (own + out) }'
}
# about SAYS WHO: the command's own start and end are in what the witness counted, but not in what it saw
about() {
	local seen wants
	seen=$(share "$2" "$tmp/out") wants=$(expected "$2")
	if [ "${seen:--1}" -ge $((wants - 15)) ] && [ "${seen:--1}" -le $((wants + 15)) ]; then ok "$1: $seen %, by the witness $wants %"
	else not_ok "$1: seen '$seen' %, by the witness $wants %"; fi
}
about "waits for the unit's own spinner" self
about "waits for the one outside" host
same "who is called host" '"host"' "$(jq -c '.rows[].culprits[] | select(.culprit == "host") | .container' "$tmp/out" | sort -u)"
# the way with records
before=$(ran)
ctrace record -o "$tmp/rec" -e views $unit --duration 2 > "$tmp/out" 2>&1 || not_ok "record: $(cat "$tmp/out")"
after=$(ran)
ctrace blame --input "$tmp/rec" --json > "$tmp/out" 2> "$tmp/err"
about "the same from a recording: the unit's own" self
about "and the one outside" host
same "its name is in the recording" "\"$unit\"" "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"
ctrace report "$tmp/rec" --json 2> "$tmp/err" | grep '^{' | jq -r 'select(.event == "sched_switch" or .event == "sched_wait" or .event == "sched_run") | .container' | sort -u > "$tmp/out"
same "report knows it" "$unit" "$(cat "$tmp/out")"

# shellcheck disable=SC2086
for words in "$unit --duration 2" "$unit --input $tmp/rec"; do
	ctrace why $words --json > "$tmp/out" 2> "$tmp/err" || not_ok "why $words: $(cat "$tmp/err")"
	note "$(cat "$tmp/out")"
	same "why: the unit" "\"$unit\"" "$(jq -c '.rows[0].container' "$tmp/out")"
	same "why: its threads, and no others" "$(wc -l < $cg/system.slice/victim.service/cgroup.procs)" "$(jq '.rows[0].threads' "$tmp/out")"
	check "why: they ran and waited" jq -e '.rows[0].spent | .ran + .waited > 0.9 * ([.[]] | add)' "$tmp/out"
done
ctrace why $unit --duration 1 > "$tmp/out" 2> "$tmp/err"
has_not "what to type next names it in full" 'ctrace [a-z]+ (victim|host)' "$tmp/out"

note "two of them, and beside a container"
ctrace stats $unit "cgroup:/system.slice/other.service" --json --duration 0.5 > "$tmp/out" 2> "$tmp/err"
same "two units: the kernel does not tell them apart" "\"$unit, cgroup:/system.slice/other.service\"" "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"
name=/box/$(hex64 unit)
cheap box -n box -g "$name" -- /bin/sh -c 'while :; do : < /dev/null; sleep 0.01; done'
label=$(ctrace ps --json | jq -r "select(.init_pid == $pid) | .name")
ctrace stats $unit "cid:$(of_pid "$pid" cid)" --json --duration 1 > "$tmp/out" 2> "$tmp/err"
same "a unit and a container" "$(printf '"%s"\n' "$unit" "$label" | sort)" "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"
ctrace stats $unit host --json --duration 0.5 > "$tmp/out" 2> "$tmp/err"
same "with the host, it is the host" '"host"' "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"
ctrace stats "cgroup:$name" --json --duration 1 > "$tmp/out" 2> "$tmp/err"
same "a container by its cgroup is the container" "\"$label\"" "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"
mkdir -p "$cg$name/inner" && later "rmdir $cg$name/inner"
/bin/sh -c "echo \$\$ > $cg$name/inner/cgroup.procs; while :; do : < /dev/null; sleep 0.01; done" &
later "kill -9 $!"
wait_for 10 grep -q inner "/proc/$!/cgroup"
ctrace stats "cgroup:$name/inner" --json --duration 1 > "$tmp/out" 2> "$tmp/err"
same "a cgroup inside of one" "\"cgroup:$name/inner\"" "$(jq -c '.rows[].container' "$tmp/out" | sort -u)"
refuse "why looks at one" 'one container' ctrace why $unit host
refuse "not at a process" 'one container or unit' ctrace why "pid:$$" --duration 0.1
