#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: SYMBOL+OFFSET takes the offsets that the kernel takes, and hits as often
# witness: the offsets that the kernel takes; three sleepers and one instance, and sleepers that are not
#	traced
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../kernel_event.sh
. "$here/kernel_event.sh"

load
# Before 4.15 the kernel's code for optimized kprobes calls something before it has preemption off.
# DEBUG_PREEMPT warns of that, so turn the optimization off.
knob=/proc/sys/debug/kprobes-optimization
if kernel_before 4.15 && grep -q ' check_preemption_disabled$' /proc/kallsyms && [ -w $knob ]; then
	later "echo $(cat $knob) > $knob"
	echo 0 > $knob
fi
ours='' theirs=''
for o in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
	if echo "p:witness/at$o $open_symbol+$o" > $tracefs/kprobe_events 2> /dev/null &&
		echo 1 > "$tracefs/events/witness/at$o/enable" 2> /dev/null; then
		theirs="$theirs $o"
		[ $o -le 4 ] || past=$o
	fi
	echo 0 > $tracefs/events/enable
	: > $tracefs/kprobe_events
	if definer add "p:at$o $open_symbol+$o" > /dev/null 2>> "$tmp/err"; then ours="$ours $o"; fi
done
same "offsets where an instruction begins" "$theirs" "$ours"
has "the others are named" "'$open_symbol\+0x[0-9a-f]+': no instruction begins at that offset" "$tmp/err"

# The kernel takes offsets that lead into other functions. Of these we take none, whatever instruction begins there.
# (A kernel that refuses them itself says that there is no such function.)
# beyond SYMBOL: prints the distances from SYMBOL's entry to those of functions behind it, nearest first
beyond() {
	awk '$2 ~ /^[tT]$/ && NF == 3 {print $1, $3}' /proc/kallsyms | sort | awk -v at="$1" '
		found && $1 != last && ++n <= 3 {print "0x" from, "0x" $1}
		$2 == at {found = 1; from = $1}
		{last = $1}' |
		while read -r from to; do echo $((to - from)); done
}
mapfile -t next < <(beyond "$open_symbol")
at_least "functions behind $open_symbol" 3 ${#next[@]}
taken=''
: > "$tmp/err"
for n in "${next[@]}"; do
	for ((o = n; o <= n + 12; o++)); do
		if definer add "p:beyond$o $open_symbol+$o" > /dev/null 2>> "$tmp/err"; then taken="$taken $o"; fi
	done
done
same "offsets behind its end that are taken" '' "$taken"
has "they are named" \
	"'$open_symbol\+0x[0-9a-f]+': the offset is beyond the function's end, in '.*\+0x|or the offset is beyond its end" "$tmp/err"

[ -n "${past:-}" ] || give_up "no place past the entry"
# an offset in the first bytes, which every call executes
witness "p:past $open_symbol+$past nr=%$reg_pc:x8"
evdump -e "p:past $open_symbol+$past nr=%$reg_pc:x8" -e "kprobe:$open_symbol" -- cat /etc/hostname > "$tmp/ev" 2> "$tmp/err"
tid=$(tid_of past "$tmp/ev")
same "hits at +$past, against the kernel's" "$(witnessed past "$tid" | wc -l)" "$(grep -c ' past cid=' "$tmp/ev")"
at_least "of them" 2 "$(grep -c ' past cid=' "$tmp/ev")"
