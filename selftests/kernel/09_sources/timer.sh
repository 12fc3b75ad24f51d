#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: timers against the kernel's own trace; an interval timer belongs to its process
# witness: tracefs, expiry by expiry; a container's own setitimer
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness timer/timer_expire_entry timer/hrtimer_expire_entry timer/itimer_expire timer/hrtimer_start timer/hrtimer_cancel timer/hrtimer_expire_exit
cheap box -g "/box/$(hex64 timer)" -- /bin/sh -c "while [ ! -e $tmp/go ]; do sleep 0.05; done; exec cause itimer 5"
cid=$(of_pid "$pid" cid)
dump "$tmp/ev" -t host -t "cid:$cid" -e timer_expire_entry -e timer_hrtimer_expire_entry -e timer_itimer_expire \
	-e timer_hrtimer_start -e timer_hrtimer_cancel -e timer_hrtimer_expire_exit
touch "$tmp/go"
wait_for 20 grep -q pid= "$tmp/box.out" || give_up "cause itimer: $(cat "$tmp/box.out")"
wait_for 20 test ! -d "/proc/$pid"
stop_dump
witnessed "$tmp/w"
same "the container's timer, in the container" 5 "$(grep -cE "timer_itimer_expire cid=$cid tid=$pid vtid=1 which=0 pid=$pid now=" "$tmp/ev")"
same "and nowhere else" 5 "$(grep -c "timer_itimer_expire .* pid=$pid " "$tmp/ev")"
same "as the witness has it" 5 "$(grep -c "itimer_expire: which=0 pid=$pid " "$tmp/w")"
first=$(head -n 1 "$tmp/ev" | cut -d' ' -f1) last=$(tail -n 1 "$tmp/ev" | cut -d' ' -f1)
between "$tmp/w" "$first" "$last" > "$tmp/w2"
n=$(grep -c ' hrtimer_expire_entry:' "$tmp/w2")
near "high-resolution timers" $((2 + n / 100)) "$n" "$(grep -c ' timer_hrtimer_expire_entry cid=0 tid=0 ' "$tmp/ev")"
for what in start cancel expire_exit; do
	n=$(grep -c " hrtimer_$what:" "$tmp/w2")
	near "high-resolution timers, $what" $((2 + n / 100)) "$n" "$(grep -c " timer_hrtimer_$what cid=0 tid=0 " "$tmp/ev")"
done
n=$(grep -c ' timer_expire_entry:' "$tmp/w2")
near "timers" $((2 + n / 100)) "$n" "$(grep -c ' timer_expire_entry cid=0 tid=0 ' "$tmp/ev")"
sed -nE 's/.* hrtimer_expire_entry: .*now=([0-9]+).*/\1/p' "$tmp/w" | sort -u > "$tmp/b"
sed -nE 's/.* timer_hrtimer_expire_entry .* now=([0-9]+)$/\1/p' "$tmp/ev" | sort -u > "$tmp/a"
sed -nE 's/.* hrtimer_start: .* expires=([0-9]+) softexpires=([0-9]+).*/\1 \2/p' "$tmp/w" | sort -u > "$tmp/b2"
sed -nE 's/.* timer_hrtimer_start .* expires=([0-9]+) softexpires=([0-9]+)$/\1 \2/p' "$tmp/ev" | sort -u > "$tmp/a2"
same "each started for a time that the witness knows" 0 "$(comm -23 "$tmp/a2" "$tmp/b2" | wc -l)"
same "each at a time that the witness knows" 0 "$(comm -23 "$tmp/a" "$tmp/b" | wc -l)"
