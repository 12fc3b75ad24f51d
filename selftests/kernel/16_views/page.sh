#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace page records, writes the page, prints where it is, and opens it where there is a desktop; the page's
#	verdict, numbers and culprits are those of why, report --summary and blame; diff; bad input
# witness: a program of the test's own in xdg-open's place; the commands' JSON
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
mkdir "$tmp/bin" "$tmp/pages"
# shellcheck disable=SC2016 # its own $1
printf '#!/bin/sh\nid -u > %s; echo "$1" >> %s\n' "$tmp/opened" "$tmp/opened" > "$tmp/bin/xdg-open"
chmod 755 "$tmp/bin/xdg-open" && chmod 1777 "$tmp" "$tmp/pages"
export PATH=$tmp/bin:$PATH TMPDIR=$tmp/pages
unset DISPLAY WAYLAND_DISPLAY SUDO_UID SUDO_GID
cheap victim -n victim -- sh -c 'while :; do waits spin 1; cat /no-such-file; done'
spinners=$pid
cheap bully -n bully -- sh -c 'while :; do waits spin 1; done'
spinners+=" $pid"
page_json() { sed -n 's|^<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$1"; }
# nothing of other commands' footers
json() { ctrace "$@" --json 2> /dev/null; }

ctrace page --duration 3 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
note "$(cat "$tmp/err")"
# the rest is of what was recorded, and need not wait for a CPU
# shellcheck disable=SC2086 # numbers
kill -9 $spinners
page=$(cat "$tmp/out") dir=${page%/*}/recording
check "it prints the page's path, and nothing else" test -s "$page"
check "which nobody else can read" test "$(stat -c %a "${page%/*}")" = 700
page_json "$page" > "$tmp/data"
# equal WHAT COMMAND...: $tmp/a is what the command prints
equal() {
	"${@:2}" > "$tmp/b"
	check "$1" diff "$tmp/a" "$tmp/b"
}
json report --summary "$dir" | jq '[.rows[]] | sort_by(.cid)' > "$tmp/a"
equal "numbers are those of the summary" jq '[.containers[].row | select(.)] | sort_by(.cid)' "$tmp/data"
at_least "containers" 3 "$(jq length "$tmp/a")"
while read -r cid; do
	json why "$cid" --input "$dir" | jq '.rows[0]' > "$tmp/a"
	# shellcheck disable=SC2016 # jq's own $cid
	equal "the verdict on $cid is why's" jq --argjson cid "$cid" '.containers[] | select(.cid == $cid) | .why' "$tmp/data"
done < <(jq '.containers[] | select(.cid > 0) | .cid' "$tmp/data")
note "$(jq -r '.containers[] | "\(.name): \(.why.verdict // "")"' "$tmp/data")"
same "culprits add up to blame's" "$(json blame all --input "$dir" | jq '[.rows[].waited] | add')" \
	"$(jq '[.blame[].ns[] | select(. > 0)] | add' "$tmp/data")"
# sched_run is one witness of who had the CPUs, and its parts of time add up to it
same "time on CPUs adds up" "$(jq '[.containers[].row.sched_run.total // 0] | add' "$tmp/data")" \
	"$(jq '[.containers[].series.ran // [] | .[] | select(. > 0)] | add' "$tmp/data")"
check "the failed call is there with its path" jq -e '[.containers[].fails[] | select(.where == "/no-such-file" and .errno == "ENOENT")] | length > 0' "$tmp/data"
check "ctrace's own time is marked" jq -e '[.containers[] | select(.host) | .series.observer[] | select(. > 0)] | add > 0' "$tmp/data"
check "nothing was opened" test ! -e "$tmp/opened"

# a recording, a file, JSON
ctrace page "$dir" -o "$tmp/page.html" --json --diff "$dir" > "$tmp/json" 2> "$tmp/err"
same "of a recording: status" 0 $?
same "the JSON" "$tmp/page.html $dir" "$(jq -r '"\(.page) \(.recording)"' "$tmp/json")"
json diff "$dir" "$dir" | jq .rows > "$tmp/a"
page_json "$tmp/page.html" > "$tmp/data2"
equal "compared as diff does" jq .diff.rows "$tmp/data2"
DISPLAY=:0 ctrace page "$dir" -o "$tmp/page.html" > "$tmp/out" 2>&1
sleep 1
check "root opens nothing" test ! -e "$tmp/opened"
DISPLAY=:0 SUDO_UID=65534 SUDO_GID=65534 ctrace page "$dir" --no-open > "$tmp/out" 2>&1
sleep 1
check "nor with --no-open" test ! -e "$tmp/opened"
DISPLAY=:0 SUDO_UID=65534 SUDO_GID=65534 ctrace page "$dir" > "$tmp/out" 2> "$tmp/err"
wait_for 20 test -s "$tmp/opened"
same "who called sudo opens it" "65534 $(cat "$tmp/out")" "$(xargs < "$tmp/opened")"
check "and may read it" setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$(cat "$tmp/out")"
refuse "a time of no recording" 'choose a part of a recording' ctrace page --last 1s
refuse "a duration of a recording" 'shows a part of it' ctrace page "$dir" --duration 1
refuse "an old one that is none" 'is not a recording' ctrace page --diff /etc
refuse "a container that is not there" 'no-such' ctrace page no-such --duration 1
same "and no directory is left beside the three of pages" 3 "$(find "$tmp/pages" -mindepth 1 -maxdepth 1 | wc -l)"
