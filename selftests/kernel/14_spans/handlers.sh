#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: spans of interrupts, soft interrupts and timers are paired as the kernel's own trace has their entries and exits
# witness: tracefs' entries and exits of the same time, paired for each CPU: same handler, result,
#	interrupted task, beginning and end
# requires: any
# timeout: 60
# kernels: 6.1 debug
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
cheap busy -g "/box/$(hex64 handlers)" -- /bin/sh -c 'while :; do :; done'
cid=$(of_pid "$pid" cid)
witness irq/irq_handler_entry irq/irq_handler_exit irq/softirq_entry irq/softirq_exit \
	timer/hrtimer_expire_entry timer/hrtimer_expire_exit
recorder box -t "cid:$cid" -e irq_handler -e softirq -e hrtimer
recorder short -t host -e softirq -f 'duration > 1000000000'
recorder ev -t host -e irq_handler -e softirq -e hrtimer
# reading files makes the disk interrupt
echo 3 > /proc/sys/vm/drop_caches
find /usr/lib -xdev -name '*.so' -exec cat {} + 2> /dev/null | head -c 2000000 > /dev/null
sleep 0.3
# shellcheck disable=SC2086 # several
kill $recorders
# shellcheck disable=SC2086 # several
wait $recorders
echo 0 > $tracefs/tracing_on

# The witness's pairs, of each CPU the innermost first: "END BEGIN WHAT TID". WHAT: irq:N:RETURN, softirq:N, hrtimer:NOW
sed -nE 's/^ *.*-([0-9]+) +\[([0-9]+)\] +[^ ]+ +([0-9]+)\.([0-9]{6}): ([a-z_]+): (.*)/\2 \1 \3\4000 \5 \6/p' $tracefs/trace | awk '
	function enters(what) { d = depth[$1]++; name[$1, d] = what; begin[$1, d] = $3 }
	function leaves(what, result) {
		if (!depth[$1]) return
		d = --depth[$1]
		if (name[$1, d] != what) { depth[$1] = 0; return }
		print $3, begin[$1, d], (what ~ /^hrtimer/ ? "hrtimer:" now[what] : what result), $2
	}
	$4 == "irq_handler_entry" { sub(/irq=/, "", $5); enters("irq:" $5) }
	$4 == "irq_handler_exit" { sub(/irq=/, "", $5); leaves("irq:" $5, ":" ($6 ~ /unhandled/ ? 0 : 1)) }
	$4 == "softirq_entry" { sub(/vec=/, "", $5); enters("softirq:" $5) }
	$4 == "softirq_exit" { sub(/vec=/, "", $5); leaves("softirq:" $5) }
	$4 == "hrtimer_expire_entry" {
		what = $5
		for (i = 6; i <= NF; i++) if (sub(/^now=/, "", $i)) now[what] = $i
		enters(what)
	}
	$4 == "hrtimer_expire_exit" { leaves($5) }' > "$tmp/pairs"
# Ours, in the same form
sed -nE -e 's/^([0-9]+) irq_handler .* duration=([0-9]+) irq=([0-9]+) ret=([0-9]+) tid=([0-9]+) .*/\1 \2 irq:\3:\4 \5/p' \
	-e 's/^([0-9]+) softirq .* duration=([0-9]+) vec=([0-9]+) tid=([0-9]+)$/\1 \2 softirq:\3 \4/p' \
	-e 's/^([0-9]+) hrtimer .* duration=([0-9]+) now=([0-9]+) tid=([0-9]+)$/\1 \2 hrtimer:\3 \4/p' "$tmp/ev" |
	awk '{ printf "%s %.0f %s %s\n", $1, $1 - $2, $3, $4 }' | sort -n > "$tmp/spans"
same "every record is a span" "$(wc -l < "$tmp/ev")" "$(wc -l < "$tmp/spans")"
same "they are the host's, and no task's" "$(wc -l < "$tmp/ev")" "$(grep -c ' cid=0 tid=0 vtid=0 ' "$tmp/ev")"
same "the container has none" 0 "$(wc -l < "$tmp/box")"
same "a condition on the duration holds" 0 "$(wc -l < "$tmp/short")"
has "none was lost" ' lost 0$' "$tmp/ev.err"
first=$(head -n 1 "$tmp/spans" | cut -d' ' -f1) last=$(tail -n 1 "$tmp/spans" | cut -d' ' -f1)
between "$tmp/pairs" "${first:-0}" "${last:-0}" > "$tmp/within"
for kind in irq softirq hrtimer; do
	w=$(grep -c " $kind:" "$tmp/within")
	near "$kind: as many as the witness" $((3 + w / 50)) "$w" "$(grep -c " $kind:" "$tmp/spans")"
done
at_least "soft interrupts" 20 "$(grep -c ' softirq:' "$tmp/spans")"
at_least "some hit the container's task" 1 "$(grep -c " $pid\$" "$tmp/spans")"
# Each of ours is one of the witness's: the same handler, result, interrupted task and, in the machine's time, the same
# beginning and end. The two look one after the other, and the host may take the CPU away in between: so not all agree.
awk 'NR == FNR { n = ++count[$3, $4]; e[$3, $4, n] = $1; b[$3, $4, n] = $2; next }
	function off(x, y) { return x < y ? y - x : x - y }
	{
		found = 0
		for (i = from[$3, $4] + 1; i <= count[$3, $4] && e[$3, $4, i] < $1 + 1e6; i++) {
			if (e[$3, $4, i] < $1 - 1e8) from[$3, $4] = i
			if (off(e[$3, $4, i], $1) < 3e5 && off(b[$3, $4, i], $2) < 3e5) found = 1
		}
		split($3, kind, ":")
		all[kind[1]]++
		good[kind[1]] += found
		if (!found) print "no pair of the witness:", $0
	}
	END { for (k in all) print "agree", k, good[k] + 0, all[k] }' "$tmp/pairs" "$tmp/spans" > "$tmp/agree"
note "$(grep 'no pair' "$tmp/agree" | head -n 5)"
for kind in irq softirq hrtimer; do
	read -r _ _ good all <<< "$(grep "^agree $kind " "$tmp/agree")"
	at_least "$kind: nine of ten of ${all:-no} spans are pairs of the witness" $((${all:-10} * 9 / 10)) "${good:-0}"
done
while read -r irq name; do
	has "interrupt $irq is $name" "^ *$irq:.*$name" /proc/interrupts
done < <(sed -nE 's/.* irq=([0-9]+) ret=.* name="(.*)"$/\1 \2/p' "$tmp/ev" | sort -u)
