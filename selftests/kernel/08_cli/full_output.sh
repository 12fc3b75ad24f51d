#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what each command prints, live, onto a full device: it fails, and says why in one line
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ip link set lo up
while :; do counted 2 1; cat "$top/Makefile" > "$tmp/copy"; : < /dev/tcp/127.0.0.1/9; sleep 0.05; done 2> /dev/null & later "kill $!"
ctrace record -o "$tmp/t" -e views -F 99 all --duration 2 2> "$tmp/err" || give_up "no recording: $(cat "$tmp/err")"
check "a definition to list" ctrace probe add 'p:full_output vfs_read'

# Linux 5.19
locks=$(tplist | grep -x contention_begin)
printf '[recorder]\ndirectory = %s\n' "$tmp/dumps" > "$tmp/watch.conf"
# A row for each form of output. Other forms of report, export, flame and views: unit/full_test
cat > "$tmp/rows" <<END
trace host --duration 0.5
trace host --duration 0.5 --json
trace host --duration 0.5 -F 99 --folded -
trace -o /dev/full host --duration 0.5
report $tmp/t
top -b --interval 0.3 --duration 0.7
top -b --interval 0.3 --duration 0.7 --json
stats host --duration 0.3
runqlat host --duration 0.3 --json
blame host --duration 0.3
why host --duration 0.3
why --input $tmp/t host
host --duration 0.3
stuck --all
stuck --json
offcpu host --duration 1
${locks:+locks host --duration 0.3}
throttle --duration 0.3 --json
profile host --duration 1
profile host --duration 1 --folded /dev/full
bio host --duration 1 --json
files host --duration 1
tcp host --connects --duration 2 --json
snoop exec host --duration 2
count host -e openat --duration 1
hist duration -e sched_wait host --duration 1
agg host -e sched_switch=>count() --duration 0.3
stackcount vfs_read host --duration 1
flame host --duration 0.3 -o -
flame host --duration 0.3 -o /dev/full
page $tmp/t --no-open -o /dev/full
export --chrome /dev/full $tmp/t
diff $tmp/t $tmp/t
ps --all
ps --all --json
explain pid:$$
events
events --json
probe list
doctor
doctor --json
status
status --json
watch status --config $tmp/watch.conf
watch status --json --config $tmp/watch.conf
watch list --config $tmp/watch.conf
END
missing=$(ctrace help | sed -n '/^Look at /,/^Options:/s/^  \([a-z]*\) .*/\1/p' | while read -r name; do
	grep -q "^$name" "$tmp/rows" || echo "$name"; done | xargs)
# record prints nothing; 08_cli/disk_full fills its disk
same "commands without a row" "record$([ -n "$locks" ] || echo " locks")" "$missing"
while read -r -a words; do
	[ ${#words[@]} -gt 0 ] || continue
	# a command that printed nothing would have nothing to lose, and succeed
	timeout 60 ctrace "${words[@]}" > /dev/full 2> "$tmp/err"
	st=$?
	if [ $st = 1 ] && [ "$(grep -c '^ctrace: cannot write .*: No space left on device$' "$tmp/err")" = 1 ]; then
		ok "${words[*]}"
	else
		not_ok "${words[*]}: expected status 1 and one line, seen $st"
		note "$(cat "$tmp/err")"
	fi
done < "$tmp/rows"
same "no session is left" "" "$(nl_sessions)"
