#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace watch: a new configuration without a gap, and a wrong one; killed and started again; rate, quota, a full disk: nothing is lost in silence
# witness: the test counts what it sets off; the dumps and what the watch says are compared with that
# requires: v2
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../watching.sh
. "$here/watching.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
mkdir "$dumps"
mount -t tmpfs -o size=48M tmpfs "$dumps" || give_up "no tmpfs"
later "umount -l $dumps"
conf 'ended = failed' 'rate = none' 'rate_all = none'
watching
counts() { w status --json | jq -r ".watch.account | $1"; }
failing

# A new configuration: a dump of the next seconds has records from before it.
fails early 4 4 &
sleep 2
conf 'ended = failed' 'rate = none' 'rate_all = none' 'memory_ = 1'
kill -HUP "$watch"
check "a wrong file is refused" wait_for 10 grep -q 'the old one goes on' "$tmp/watch"
has "with the line" "conf:9: \[recorder\] has no 'memory_'" "$tmp/watch"
conf 'ended = failed' 'rate = none' 'rate_all = none' 'containers = 8'
kill -HUP "$watch"
check "a good one is taken" wait_for 10 grep -q 'was taken' "$tmp/watch"
dumped_as early exit-4 30
ctrace report --json "$dump/recording" > "$tmp/report" 2> "$tmp/err"
first=$(jq -r 'select(.time != null) | .time' "$tmp/report" | head -n 1)
at_least "it has the seconds before the new file, in ms" 2500 $((($(reason .time) - first) / 1000000))
same "as it was configured" 8 "$(reason .configured.containers)"

# Killed while it writes a dump.
mkdir "$dumps/.new-20260101T000000.000-half-oom"
echo x > "$dumps/.new-20260101T000000.000-half-oom/reason.json"
kill -9 "$watch"
wait "$watch" 2> /dev/null
refuse "without a watch" 'no watch runs' w dump all
sleep 2
watching
same "what it had begun is gone" '' "$(ls -d "$dumps"/.new-* 2> /dev/null)"
same "and is counted" 1 "$(counts .not_written.interrupted)"
fails again 5 1
dumped_as again exit-5 30
same "the next dump's account has it" 1 "$(reason .account.not_written.interrupted)"
at_least "and how long there was no watch, in ms" 1900 "$(reason '.account.away_ns / 1e6 | floor')"

# The same container fails again and again.
conf 'ended = failed' 'rate = 1 per minute'
kill -HUP "$watch"
wait_for 10 lines 1 'was taken' "$tmp/watch"
for _ in 1 2 3 4 5 6; do fails loops 6 0; done
dumped_as loops exit-6 30
sleep 2
same "one dump a minute" 1 "$(n_dumps -loops-)"
same "the others are counted" 5 "$(counts .not_written.rate)"
has "list says so" 'not written: .*held back by the container' <(w list 2>&1)

# A quota: the oldest go.
conf 'ended = failed' 'rate = none' 'rate_all = none' 'quota = 1M'
for _ in 1 2 3; do ctrace watch --config "$tmp/conf" dump all > /dev/null; done
kill -HUP "$watch"
wait_for 10 lines 2 'was taken' "$tmp/watch"
check "the quota holds at once" wait_for 3 sh -c "[ \$(du -sk --exclude=.* $dumps | cut -f1) -le 1024 ]"
at_least "removed ones are counted" 1 "$(counts .removed_quota)"

# A full disk.
conf 'ended = failed' 'rate = none' 'rate_all = none'
kill -HUP "$watch"
wait_for 10 lines 3 'was taken' "$tmp/watch"
dd if=/dev/zero of="$dumps/fill" bs=1M 2> /dev/null
refuse "a full disk" 'disk is full' w dump all
fails full 7 1
sleep 1
check "is counted" wait_for 10 sh -c "[ \$(ctrace watch --config $tmp/conf status --json | jq .watch.account.not_written.space) -ge 2 ]"
rm "$dumps/fill"
fails after 8 1
dumped_as after exit-8 30
at_least "the next dump says so" 2 "$(reason .since_last_dump.not_written.space)"
mount -o remount,ro "$dumps"
refuse "a read-only disk" 'Read-only' w dump all
mount -o remount,rw "$dumps"
check "it lives" kill -0 "$watch"

# Many at once: what is not written is counted, to the last one.
conf 'ended = failed' 'rate = none' 'rate_all = 5 per hour'
kill -HUP "$watch"
wait_for 10 lines 4 'was taken' "$tmp/watch"
n=$(counts '.written + .joined + (.not_written | add)')
for i in $(seq 40); do fails "many$i" 9 0 & done
# shellcheck disable=SC2046 # numbers
wait $(jobs -p | grep -vx "$watch")
all() { [ "$(counts '.written + .joined + (.not_written | add)')" -ge $((n + 40)) ]; }
check "40 containers that fail at once: all are accounted for" wait_for 60 all
note "$(counts tostring)"
kill -USR2 "$watch"
dumped_as all signal 30
kill "$watch"
