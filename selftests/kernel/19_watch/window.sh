#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace watch: the seconds of a dump, when the clock is set, when the machine sleeps, and when the rings are too small for them
# witness: date, rtcwake, the difference of two clocks; the time of the first record
# requires: v2
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../watching.sh
. "$here/watching.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
failing
conf 'ended = failed' 'rate = none' 'rate_all = none'
watching
# first_ms: how long before its event the recording of $dump begins
first_ms() {
	ctrace report --json "$dump/recording" > "$tmp/report" 2> "$tmp/err"
	echo $((($(reason .time) - $(jq -r 'select(.time != null) | .time' "$tmp/report" | head -n 1)) / 1000000))
}
whole() { same "$1: nothing is missing, it says" true "$(reason '.recording | .whole_from == .from')"; }

# set_clock SECONDS: adds to the time of day. wait_for() counts by it, so what comes before the next step must be short
[ "${VM_KERNEL:-}" != host ] || skip "it sets the clock"
right=$(date +%s) up=$(cut -d. -f1 /proc/uptime)
right() { date -s "@$((right - up + $(cut -d. -f1 /proc/uptime)))" > /dev/null; }
later right
set_clock() { date -s "@$(($(date +%s) + $1))" > /dev/null; }
# stepped NAME STATUS SECONDS: while it lives, the clock is set
stepped() {
	fails "$1" "$2" 5 &
	sleep 3
	set_clock "$3"
	wait $!
	dumped_as "$1" "exit-$2" 30
	in_range "$1: it has the seconds before the event, in ms" 2500 3000 "$(first_ms)"
	whole "$1"
	in_range "$1: it happened now, by the new clock" -60 60 $(($(date +%s) - $(date -d "$(reason .realtime)" +%s)))
}
stepped forward 11 7200
stepped back 12 -10800
same "both are kept" 2 "$(n_dumps)"
right

# Asleep: what is before it belongs to the seconds before the event, as CLOCK_MONOTONIC stands still.
slept() { awk '{printf "%d\n", $1 * 1000}' /proc/uptime; }
awake() { perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%d\n", 1000 * clock_gettime(CLOCK_MONOTONIC)'; }
if command -v perl > /dev/null && command -v rtcwake > /dev/null && grep -qF '[deep]' /sys/power/mem_sleep 2> /dev/null; then
	before=$(($(slept) - $(awake)))
	fails sleeper 13 5 &
	sleep 2
	if rtcwake -m mem -s 3 > "$tmp/rtcwake" 2>&1 && [ $(($(slept) - $(awake) - before)) -ge 1500 ]; then
		wait $!
		dumped_as sleeper exit-13 30
		in_range "asleep: it has the seconds before the event, in ms" 2500 3000 "$(first_ms)"
		whole "asleep"
	else
		note "this machine did not sleep: $(tail -n 1 "$tmp/rtcwake")"
		wait $!
	fi
else
	note "no sleep: no rtcwake, no perl, or a machine that cannot"
fi

# The least memory, and more events than it holds for three seconds.
conf 'memory = 1M' 'events = calls' 'ended = failed' 'rate = none' 'rate_all = none'
sed -i '/^memory = 32M/d' "$tmp/conf"
kill -HUP "$watch"
check "a smaller recorder" wait_for 10 grep -q 'was taken' "$tmp/watch"
sleep 4	# until the older one's rings are not needed
docker_box busy "n=0; while [ \$n -lt 60 ]; do calls 2000 > /dev/null; n=\$((n + 1)); done; exit 14"
dumped_as busy exit-14 120
whole=$(reason '(.time - .recording.whole_from) / 1e6 | floor')
in_range "it says that it has less, in ms" 0 2900 "$whole"
in_range "as it has: its first record, less that, in ms" -300 300 $(($(first_ms) - whole))
has "show says so" 'begins .* s before it, not 3.0' <(w show "${dump##*/}")
kill "$watch"
