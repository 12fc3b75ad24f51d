#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: where a container's time went: it adds up, and each thread's known work is in its row; what to look at next
# witness: threads that sleep, read, wait, spin, are stopped
# requires: v2,v1,hybrid,torture
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
# why NAME: its JSON is in $tmp/NAME
why() {
	ctrace why "$1" --json --duration 3 > "$tmp/$1" 2> "$tmp/$1.err"
}
# spent NAME WORD: in ms
spent() { jq ".rows[0].spent.$2 / 1e6 | floor" "$tmp/$1"; }
word() { jq -r ".rows[0].$2" "$tmp/$1"; }

# Six threads: one reads a pipe that nobody writes to, two sleep, one waits for children, one spins on CPU 1, one is stopped.
docker_box rest "sleep 1000 | cat & taskset 2 sh -c 'while :; do :; done' & sh -c 'kill -STOP \$\$' & sleep 1000"
docker_box db "exec taskset 1 sh -c 'while :; do :; done'"
db_cid=$(of_pid "$pid" cid)
docker_box web "exec taskset 1 sh -c 'while :; do :; done'"
docker_box quiet "while :; do sleep 0.2; done"
sleep 0.5
whys=''
for name in rest web quiet; do
	why $name &
	whys="$whys $!"
done
for p in $whys; do
	wait "$p" || not_ok "ctrace why: status $?"
done
# The same, of a recording.
check "ctrace record" ctrace record -o "$tmp/t" -e sched_run,sched_blame,sched_block --duration 3 rest web quiet
for name in rest web quiet; do
	ctrace why "$name" --json --input "$tmp/t" > "$tmp/$name-recorded" 2> "$tmp/$name-recorded.err"
	same "$name, recorded: status" 0 $?
	has "$name, recorded: nothing was lost" ' 0 lost' "$tmp/$name-recorded.err"
done
for name in rest web quiet rest-recorded web-recorded quiet-recorded; do
	note "$name: $(jq -c '.rows[0] | del(.culprits)' "$tmp/$name")"
	same "$name: the rows add up" true "$(jq '.rows[0] | (.spent | add) == .time' "$tmp/$name")"
	same "$name: its waits are its culprits', or not told" true \
		"$(jq '.rows[0] | ([.culprits[]? | .waited] | add // 0) + .untold == .spent.waited + .spent.throttled' "$tmp/$name")"
done
for name in rest web quiet; do
	has "$name: none missed" ' 0 unfollowed, 0 missed' "$tmp/$name.err"
done
for rest in rest rest-recorded; do
	n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/$rest")
	near "$rest: six threads, as long as they existed" 200 $((6 * n)) "$(jq '.rows[0].time / 1e6 | floor' "$tmp/$rest")"
	same "six" 6 "$(word $rest threads)"
	near "two sleep" 100 $((2 * n)) "$(spent $rest slept)"
	near "one reads" 100 "$n" "$(spent $rest files)"
	near "one waits for children" 100 "$n" "$(spent $rest children)"
	near "one is stopped" 100 "$n" "$(spent $rest stopped)"
	near "one could run" 100 "$n" $(($(spent $rest ran) + $(spent $rest waited) + $(spent $rest unknown)))
	at_least "and did, some of the time" $((n / 10)) "$(spent $rest ran)"
	check "the cause is the thread that can run: $(word $rest cause)" grep -qE '^(ran|neighbour|host|ctrace|self|cpu)$' <<< "$(word $rest cause)"
done
for web in web web-recorded; do
	n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/$web")
	near "$web: the victim runs or waits" 100 "$n" $(($(spent $web ran) + $(spent $web waited) + $(spent $web unknown)))
	at_least "it runs" $((n / 10)) "$(spent $web ran)"
	at_least "it waits" $((n / 4)) "$(spent $web waited)"
	same "a neighbour is to blame" true "$(word $web neighbour_to_blame)"
	same "which" "db $db_cid" "$(jq -r '.rows[0].culprits | map(select(.culprit == "neighbour")) | max_by(.waited) | "\(.container) \(.cid)"' "$tmp/$web")"
	case $(word $web verdict) in *"db had it"*) ok "it is named";; *) not_ok "named: $(word $web verdict)";; esac
done
for quiet in quiet quiet-recorded; do
	n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/$quiet")
	at_least "$quiet sleeps, or waits for who sleeps" $((n * 8 / 10)) $(($(spent $quiet slept) + $(spent $quiet children)))
done

# The text, and the command that it gives, which works.
ctrace why web --duration 1 > "$tmp/text" 2>&1
has "the heading" '^web: 1 thread in [12]\.' "$tmp/text"
has "the sum" '^all +[0-9.]+ +100\.0%$' "$tmp/text"
has "the neighbour" '^  db +[0-9.]+ +[0-9.]+%  sh$' "$tmp/text"
has "its words" '^Neighbours are to blame for .*: db had it' "$tmp/text"
note "$(cat "$tmp/text")"
note "$(ctrace blame all --top 3 --duration 1 2>&1)"
check "the command" sh -c "$(word web next | sed 's/--duration 10/--duration 0.5/')"
refuse "all" 'one container' ctrace why all
refuse "none" 'needs a container' ctrace why
refuse "a key" 'takes no' ctrace why web --by comm
refuse "two, of a recording" 'one container' ctrace why --input "$tmp/t" rest web
refuse "a part of a recording" 'duration cannot be used with a recording' ctrace why --input "$tmp/t" web --duration 1
ctrace record -o "$tmp/u" -e sched_switch --duration 0.1 web 2> "$tmp/err"
refuse "a recording without the events" 'no sched_run: .*record -e views' ctrace why --input "$tmp/u" web
rm "$tmp/t/ctrace/threads.json"
ctrace why --input "$tmp/t" rest > "$tmp/text" 2> "$tmp/err"
same "a recording without its threads: status" 0 $?
has "it is said" 'is not known: .*threads.json: No such file' "$tmp/err"
