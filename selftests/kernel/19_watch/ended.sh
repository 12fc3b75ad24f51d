#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container that fails, crashes or is killed leaves a dump: the event, the seconds before it, and nothing of its neighbours
# witness: marked strings, searched byte by byte; the statuses and signals are the test's own
# requires: v2,v1
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../watching.sh
. "$here/watching.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
conf 'ended = failed' "on_dump = echo \"\$CTRACE_CONTAINER \$CTRACE_REASON \$CTRACE_DUMP\" >> $tmp/on_dump"
check "the configuration" w --check
watching
refuse "another watch" 'another watch' w

own=MARK-OF-ITS-OWN-7341 others=MARK-OF-A-NEIGHBOUR-9152
# loops NAME: a container's loop that says when it makes events
loops() { echo "while :; do read -r up _ < /proc/uptime; echo \$up >> $tmp/$1.up; /bin/true $own; sleep 0.3; done &"; }
docker_box other "while :; do /bin/true $others; sleep 0.2; done"
docker_box fails "$(loops fails) sleep 6; exit 3"
docker_box crashes "$(loops crashes) sleep 6; exec perl -e 'unpack(\"p\", pack(\"Q\", 1))'"
docker_box good "sleep 3; exit 0"
docker_box victim "$(loops victim) sleep 1000"
cheap killer -H -g "/box/$(hex64 killer)" -- sh -c "sleep 7; kill -9 $pid; sleep 1000"

# whole NAME: what every dump has
whole() {
	local first at second
	for f in reason.json why.json blame.json report.html recording/metadata recording/ctrace/containers.json recording/ctrace/asked.json; do
		check "$1: $f" test -s "$dump/$f"
	done
	same "$1: every report was written" 'written written written' "$(reason '.reports | [.[]] | join(" ")')"
	same "$1: the directory is root's alone" 700 "$(stat -c %a "$dump")"
	same "$1: and none of a neighbour's" '' "$(grep -rlaF "$others" "$dump")"
	ctrace report --json "$dump/recording" > "$tmp/report" 2> "$tmp/err"
	same "$1: and no event of another container" "$(reason .container.cid)" "$(jq -r 'select(.cid != null) | .cid' "$tmp/report" | sort -un | xargs)"
	at=$(reason .time)
	first=$(jq -r 'select(.time != null) | .time' "$tmp/report" | head -n 1)
	in_range "$1: it begins at most 3 s before the event, in ms" 0 3000 $(((at - first) / 1000000))
	# on a busy machine the loop may have done little in them
	second=$(awk -v at="$at" '$1 * 1e9 >= at - 3e9 {printf "%.0f\n", $1 * 1e9}' "$tmp/$1.up" | sed -n 2p)
	check "$1: and has what it did first in these" test "$first" -le "${second:-$at}"
	same "$1: nothing is missing in these, it says" true "$(reason '.recording | .whole_from == .from')"
	if [ -z "$second" ]; then note "$1 hardly ran"
	elif grep -qrF "$own" "$dump/recording"; then ok "$1: it has the container's own words"
	else not_ok "$1: it has the container's own words"; fi
	has "$1: it ends with the end of its init" "sched_process_exit" "$tmp/report"
}
dumped_as fails exit-3 60
same "its status" 3 "$(reason .details.event.status)"
same "why.json names it" 'its init ended with status 3' "$(jq -r .event.what "$dump/why.json")"
same "of one container" 1 "$(jq '.rows | length' "$dump/why.json")"
whole fails
dumped_as crashes SIGSEGV 60
same "its signal" 11 "$(reason .details.event.signal)"
has "why.json names it" 'ended by signal 11 \(SIGSEGV\)' "$dump/why.json"
whole crashes
dumped_as victim SIGKILL 60
same "who killed it" "$(hex64 killer | cut -c1-12) sh" "$(reason '.details.event.sender | "\(.container[:12]) \(.comm)"')"
has "why.json names it" 'signal 9 \(SIGKILL\) from sh/[0-9]+ of ' "$dump/why.json"
whole victim
check "on_dump ran for each" wait_for 10 lines 3 "^(fails exit-3|crashes SIGSEGV|victim SIGKILL) $dumps/2" "$tmp/on_dump"

# shellcheck disable=SC2119 # no part of a name
same "no dump of a container that ends well, nor of a neighbour" 3 "$(n_dumps)"
w list > "$tmp/list" 2> "$tmp/err"
note "$(cat "$tmp/list")"
has "list" '^20[0-9T.]*-fails-exit-3 +fails +[0-9.]+[KM] +its init ended with status 3$' "$tmp/list"
same "list --json" 3 "$(w list --json | jq -r .id | grep -c ^20)"
dump=$(ls -d "$dumps"/*-fails-exit-3)
w show "$(basename "$dump")" > "$tmp/show"
note "$(cat "$tmp/show")"
note "$(jq -r '.rows[0].verdict' "$dump/why.json"), $(jq -c '.rows[0].spent' "$dump/why.json")"
has "show" '^happened +its init ended with status 3$' "$tmp/show"
has "show" '^asked by +ended = failed$' "$tmp/show"
check "export" sh -c "cd $tmp && ctrace watch export --config conf $(basename "$dump") && tar -tf $(basename "$dump").tar | grep -q /reason.json"
check "rm" w rm "$(basename "$dump")"
check "it is gone" test ! -e "$dump"
refuse "show what is gone" 'no dump' w show "$(basename "$dump")"
refuse "a word" 'unknown command' w remove
id=$(w dump other)
check "a dump that is asked for: $id" test -s "$dumps/$id/reason.json"
same "why" asked "$(jq -r .reason "$dumps/$id/reason.json")"
check "it has the neighbour's own now" grep -qrF "$others" "$dumps/$id/recording"
has "and the state of its tasks" . <(ctrace report --json --state-dump "$dumps/$id/recording" 2> /dev/null | jq -c 'select(.event == "lttng_statedump_process_state")')
id=$(w dump all)
check "a dump of all: $id" test -s "$dumps/$id/reason.json"
refuse "of no container" 'no container' w dump nobody
has "status" '^the watch runs \(pid' <(w status)
kill "$watch"
wait "$watch"
same "it ends well" 0 $?
refuse "a dump without a watch" 'no watch runs' w dump other
