#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: where a container's time went: it adds up, and each thread that does what it is told has it in its row; what to look at next
# requires: v2,v1,hybrid,torture
# timeout: 90
# shellcheck disable=SC2154 # set by box
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

# box NAME COMMAND: a container, with a name as docker gives it; NAME_cid is its number
box() {
	local id
	id=$(hex64 "why $1")
	mkdir -p "/var/lib/docker/containers/$id"
	later "rm -rf /var/lib/docker/containers/$id"
	printf '{"ID": "%s", "Name": "/%s"}\n' "$id" "$1" > "/var/lib/docker/containers/$id/config.v2.json"
	cheap "$1" -g "/docker/$id" -- sh -c "$2"
	eval "$1_cid=$(of_pid "$pid" cid)"
}
# Six threads: one reads a pipe that nobody writes to, two sleep, one waits for children, one spins on CPU 1, one is stopped.
box rest "sleep 1000 | cat & taskset 2 sh -c 'while :; do :; done' & sh -c 'kill -STOP \$\$' & sleep 1000"
box db "exec taskset 1 sh -c 'while :; do :; done'"
box web "exec taskset 1 sh -c 'while :; do :; done'"
box quiet "while :; do sleep 0.2; done"
sleep 0.5
whys=''
for name in rest web quiet; do
	why $name &
	whys="$whys $!"
done
for p in $whys; do
	wait "$p" || not_ok "ctrace why: status $?"
done
for name in rest web quiet; do
	note "$name: $(jq -c '.rows[0] | del(.culprits)' "$tmp/$name")"
	same "$name: the rows add up" true "$(jq '.rows[0] | (.spent | add) == .time' "$tmp/$name")"
	same "$name: its waits are its culprits'" true "$(jq '.rows[0] | ([.culprits[]? | .waited] | add // 0) == .spent.waited + .spent.throttled' "$tmp/$name")"
	has "$name: none missed" ' 0 unfollowed, 0 missed' "$tmp/$name.err"
done
n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/rest")
near "six threads, as long as they existed" 200 $((6 * n)) "$(jq '.rows[0].time / 1e6 | floor' "$tmp/rest")"
same "six" 6 "$(word rest threads)"
near "two sleep" 100 $((2 * n)) "$(spent rest slept)"
near "one reads" 100 "$n" "$(spent rest files)"
near "one waits for children" 100 "$n" "$(spent rest children)"
near "one is stopped" 100 "$n" "$(spent rest stopped)"
near "one could run" 100 "$n" $(($(spent rest ran) + $(spent rest waited) + $(spent rest unknown)))
at_least "and did, some of the time" $((n / 4)) "$(spent rest ran)"
same "the cause" ran "$(word rest cause)"

n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/web")
near "the victim runs half the time" $((n / 4)) $((n / 2)) "$(spent web ran)"
near "and waits half the time" $((n / 4)) $((n / 2)) "$(spent web waited)"
same "a neighbour is to blame" true "$(word web neighbour_to_blame)"
same "which" "db $db_cid" "$(jq -r '.rows[0].culprits | max_by(.waited) | "\(.container) \(.cid)"' "$tmp/web")"
case $(word web verdict) in *"db had it"*) ok "it is named";; *) not_ok "named: $(word web verdict)";; esac
at_least "which sleeps, or waits for who sleeps" $((n * 8 / 10)) $(($(spent quiet slept) + $(spent quiet children)))

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
