#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the wall clock is set back and forth, and slewed, while it is traced: no event is early, late or lost
# witness: set back and forth by hours and days, and slewed
# requires: babeltrace2,any,torture
# timeout: 90
# torture: 120
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
seconds=$(long 3 30)
# extra seconds that a slow machine may need; less than any step of the clock
more=600
mono() { cut -d' ' -f1 /proc/uptime; }
# Set the clock right again at the end, whatever happened.
true_offset=$(awk -v now="$(date +%s.%N)" '{printf "%.3f", now - $1}' /proc/uptime)
later "date -s @\$(awk '{printf \"%.3f\", \$1 + $true_offset}' /proc/uptime)"
slew() {
	# adjtimex(): modes ADJ_FREQUENCY, offset, freq in units of 2^-16 ppm
	perl -e '$b = pack("Lx4qq", 2, 0, $ARGV[0] << 16) . "\0" x 400; exit(syscall(159, $b) < 0)' -- "$1"
}
later "slew 0"

# A single process, because starting new ones all the time is too much for a debug kernel.
perl -e 'getpriority(0, 0), select(undef, undef, undef, 0.02) while 1' & later "kill $!"
began=$(mono)
before=$(date +%s)
ctrace record -o "$tmp/t" host --no-state-dump -e getpriority --duration "$seconds" 2> "$tmp/record.err" & record=$!
ctrace trace host -e getpriority --duration "$seconds" > "$tmp/lines" 2> "$tmp/trace.err" & trace=$!
ctrace trace host --relative -e getpriority --duration "$seconds" > "$tmp/relative" 2> "$tmp/relative.err" & relative=$!
# Both tools read the wall clock when they start. Wait until they have.
wait_for 20 test -s "$tmp/lines" -a -s "$tmp/relative" -a -e "$tmp/t/metadata" || give_up "they did not start"
steps=0
while kill -0 $trace 2> /dev/null; do
	for by in '+1 hour' '-3 hours' '+400 days' '-400 days' '+2 hours'; do
		date -s "$(date -d "$by" '+%Y-%m-%d %H:%M:%S')" > /dev/null || give_up "date -s"
		slew $((RANDOM % 1000 - 500)) || give_up "adjtimex"
		steps=$((steps + 1))
		sleep 0.2
	done
done
wait $record
same "record: status" 0 $?
wait $trace
same "trace: status" 0 $?
wait $relative
took=$(awk -v a="$began" -v b="$(mono)" 'BEGIN {print int(b - a)}')
check "they took $took s, not what the clock on the wall says" test "$took" -ge "$seconds" -a "$took" -le $((seconds + more))
note "the clock was set $steps times"

# The times of records are CLOCK_MONOTONIC's. Those of a recording go by the wall clock at the start, those of lines by
# the present one.
has "record: nothing lost" ' 0 lost' "$tmp/record.err"
babeltrace2 --clock-seconds "$tmp/t" 2> "$tmp/bt.err" | sed 's/^\[\([0-9.]*\)\].*/\1/' > "$tmp/times"
at_least "events recorded" 10 "$(wc -l < "$tmp/times")"
check "in order" sort -nc "$tmp/times"
# shellcheck disable=SC2016 # awk's
check "all of the time by the clock as it was at the start" awk -v a="$before" -v s="$seconds" -v more=$more \
	'$1 < a - 2 || $1 > a + s + more {bad++} END {exit bad > 0}' "$tmp/times"
sed -nE 's/^([0-9]+):([0-9]+):([0-9.]+) .*/\1 \2 \3/p' "$tmp/lines" | awk '{print $1 * 3600 + $2 * 60 + $3}' > "$tmp/day"
at_least "lines shown" 10 "$(wc -l < "$tmp/day")"
# The steps modulo a day: none, an hour, two, and 21 for three back.
# shellcheck disable=SC2016 # awk's
check "lines: in order, but for the clock's own steps" awk 'function near(a, b) {return a > b - 60 && a < b + 60}
	NR > 1 {by = ($1 - last + 86460) % 86400 - 60
		if (near(by, 3600) || near(by, 7200) || near(by, 75600)) steps++; else if (by > 60 || by < -2) bad++}
	{last = $1} END {exit bad > 0 || steps < 2}' "$tmp/day"
# shellcheck disable=SC2016 # awk's
check "relative times: in order, none longer than it took" awk -v most=$((seconds + more)) \
	'$1 ~ /^[0-9.]+$/ {if ($1 < last || $1 > most) bad++; last = $1; n++} END {exit bad > 0 || n < 10}' "$tmp/relative"
note "$(head -n 1 "$tmp/lines" | cut -c1-100)"
note "$(head -n 1 "$tmp/relative" | cut -c1-100)"
