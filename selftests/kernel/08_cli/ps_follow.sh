#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ps --follow prints births and deaths as they happen, and ends with its reader and with Ctrl-C
# witness: files as Kubernetes' runtimes and podman 4.3 write them; files that others than root may
#	write; a busy container
# requires: v2
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# follow FILE OPTION...: starts it, and waits until it sees births; sets $job
follow() {
	local out=$1
	shift
	# A background child of this shell ignores INT unless it resets the signal.
	bash -c 'trap - INT; exec ctrace ps --follow "$@"' sh "$@" > "$out" 2> "$out.err" & job=$!
	later "kill -9 $job"
	until [ -s "$out" ] || [ $SECONDS -gt 100 ]; do ctbox -g "/box/probe-$RANDOM" -- true; sleep 0.3; done
}

load
cheap old -g "/docker/$(hex64 old)" -- sleep 1000
mkdir -p /run/ctrace/names.d && later "rm -rf /run/ctrace"
echo '{"name": "young", "runtime": "test"}' > "/run/ctrace/names.d/$(hex64 young).json"
follow "$tmp/out"
follow "$tmp/json" --json
json=$job
cheap young -g "/box/$(hex64 young)" -- sleep 1000
cid=$(of_pid "$pid" cid)
wait_for 20 grep -q " born .* young " "$tmp/out"
has "a birth" "^[0-9:]{8}\.[0-9]{6}  born +$cid  young  test  /box/$(hex64 young)\$" "$tmp/out"
has_not "it lives" " died .* young " "$tmp/out"
kill -9 "$pid"
wait_for 20 grep -q " died .* young " "$tmp/out"
has "its death" "^[0-9:]{8}\.[0-9]{6}  died +$cid  young  test  /box/" "$tmp/out"
same "once each" 2 "$(grep -c " young " "$tmp/out")"
wait_for 20 grep -q '"died".*"young"' "$tmp/json"
same "json" "born died" "$(jq -r "select(.cid == $cid) | .event" "$tmp/json" | xargs)"
same "json: name and times" "young true true" \
	"$(jq -r "select(.cid == $cid and .event == \"died\") | \"\(.name) \(.time > .first_seen) \(.realtime > .time)\"" "$tmp/json")"
has_not "no news of an older one" "$(hex64 old)" "$tmp/out"

note "many that live for a moment"
for i in $(seq 40); do ctbox -g "/box/moment-$i" -- true; done
wait_for 20 grep -q " died .*moment-40\$" "$tmp/out"
same "each born and dead" "40 40" "$(grep -c ' born .*moment' "$tmp/out") $(grep -c ' died .*moment' "$tmp/out")"
same "a death follows its birth" "" "$(awk '/moment/ {if ($2 == "born") seen[$3] = 1; else if (!seen[$3]) print}' "$tmp/out")"
same "in order of time" "" "$(sort -c "$tmp/out" 2>&1)"

note "ends"
kill -INT "$json"
wait "$json"
same "Ctrl-C" 0 $?
same "says nothing" "" "$(cat "$tmp/json.err")"
same "the last line is whole" "" "$(tail -n 1 "$tmp/json" | jq -r 'empty' 2>&1)"
{ ctrace ps --follow 2> "$tmp/pipe.err"; echo $? > "$tmp/status"; } | head -n 1 > "$tmp/first" &
until [ -s "$tmp/first" ] || [ $SECONDS -gt 150 ]; do ctbox -g "/box/pipe-$RANDOM" -- true; sleep 0.3; done
check "its reader has gone" wait_for 10 test -s "$tmp/status"
same "status" 0 "$(cat "$tmp/status")"
same "no complaint" "" "$(cat "$tmp/pipe.err")"
refuse "with other options" "json is the only option" ctrace ps --follow --tree
