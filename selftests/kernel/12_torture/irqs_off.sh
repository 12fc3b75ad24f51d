#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: with 10,000 containers, ctrace keeps interrupts off for less than 100 us at a time
# witness: the kernel's own trace of where they go off and on, of ctrace's code only; a thousand
#	instructions are 1 us; seen: 4 us, as containers are removed
# requires: v2
# kernels: irqsoff
# timeout: 600
# torture: 600
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Everything in which containers count: they are born, listed, wanted, left, removed and forgotten. The kernel's own
# trace has where interrupts go off and on again. Its tracer irqsoff keeps the longest time of the whole kernel, which
# is not ours: so only what begins and ends in ctrace is recorded, and the longest of that is looked for.
load
tracefs_mount || give_up "no tracefs"
case $(uname -r) in *-irqsoff) ;; *) skip "a kernel with checkers takes longer, and other kernels do not trace this";; esac
[ -d $tracefs/events/preemptirq ] || give_up "this kernel does not trace where interrupts go off"
mount=$(cgroup_mount)
mkdir -p "$mount/many"
later "rmdir $mount/many"
later "manybox remove $mount/many"

at() { printf '%d' $((16#$1 - 16#$(awk '$3 == "_stext" {print $1; exit}' /proc/kallsyms))); }
text=$(awk '$4 == "[ctrace]" && tolower($2) == "t" {print $1}' /proc/kallsyms | sort)
first=$(at "${text%%$'\n'*}") last=$(at "${text##*$'\n'}")
ours="caller_offs >= $first && caller_offs <= $last || parent_offs >= $first && parent_offs <= $last"
echo 0 > $tracefs/tracing_on
echo 60000 > $tracefs/buffer_size_kb
for e in irq_disable irq_enable; do
	# shellcheck disable=SC2016 # for bash
	check "$e in ctrace" bash -c 'echo "$1" > "$0/filter" && echo 1 > "$0/enable"' "$tracefs/events/preemptirq/$e" "$ours"
done
later "echo 0 > $tracefs/events/enable; echo > $tracefs/trace; echo 1 > $tracefs/tracing_on"
# within WHAT COMMAND...
within() {
	echo > $tracefs/trace
	echo 1 > $tracefs/tracing_on
	"${@:2}" > "$tmp/out" 2>&1 || not_ok "$1: $(tail -n 1 "$tmp/out")"
	echo 0 > $tracefs/tracing_on
	# CPU TIME (us) WHAT WHERE
	sed -nE 's/.*\[([0-9]+)\] [^ ]+ +([0-9]+)\.([0-9]{6}): irq_(disable|enable): (.*)/\1 \2\3 \4 \5/p' $tracefs/trace |
		awk '$3 == "disable" {from[$1] = $2; where[$1] = $4 " " $5}
			$3 == "enable" && ($1 in from) {
				n++
				if ($2 - from[$1] >= most) {most = $2 - from[$1]; at = where[$1]}
				delete from[$1]
			}
			END {print most + 0, n + 0, at}' > "$tmp/most"
	read -r most n at < "$tmp/most"
	if [ "$n" -gt 0 ] && [ "$most" -lt 100 ]; then ok "$1: at most $most us ($n times, $at)"; else
		not_ok "$1: expected less than 100 us, seen $most us ($n times, $at)"
	fi
}
within "10,000 are born" manybox make "$mount/many" 0 10000
within "listed, wanted, left" manybox time
within "traced" ctrace trace --duration 100ms -e sched_process_exec all
gone() { [ "$(manybox time | awk '$1 == "list" {print $4}')" -lt 100 ]; }
removed() { manybox remove "$mount/many" && wait_for 60 gone; }
within "removed and forgotten" removed
