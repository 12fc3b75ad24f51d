#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: names.d names containers, and runtimes.d runtimes; only root's files are believed; malformed ones are reported
# witness: files as Kubernetes' runtimes and podman 4.3 write them; files that others than root may
#	write; a busy container
# columns: ps: NAME RUNTIME NAMESPACE POD CONTAINER RESTARTS
# requires: v2
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

dir=/run/ctrace/names.d
name_of() { ctrace ps --json 2> "$tmp/err" | jq -r "select(.cid == $1) | .name"; }

load
[ ! -e /run/ctrace ] || give_up "this machine has /run/ctrace"
later "rm -rf /run/ctrace"
id=$(hex64 batch)
cheap batch -g "/nomad/$id" -- sleep 1000
batch=$(of_pid "$pid" cid)
cheap byhand -g /mine/byhand -- sleep 1000
byhand=$(of_pid "$pid" cid)
same "no name yet" "${id:0:12}" "$(name_of "$batch")"
mkdir -p $dir
echo '{"name": "batch", "runtime": "nomad", "namespace": "jobs", "pod": "batch-7", "container": "main", "restarts": 2}' \
	> "$dir/$id.json"
same "a name" batch "$(name_of "$batch")"
same "its record" "nomad jobs batch-7 main 2" "$(ctrace ps --json |
	jq -r "select(.cid == $batch) | \"\(.runtime) \(.namespace) \(.pod) \(.container) \(.restarts)\"")"
echo '{"name": "byhand", "cgroup": "/mine/byhand"}' > $dir/any.json
same "by its cgroup" byhand "$(name_of "$byhand")"
same "nothing to complain of" "" "$(cat "$tmp/err")"
ctrace explain batch > "$tmp/out"
has "explain has the file" "believed +'batch' of $dir/$id.json" "$tmp/out"
same "a target" "" "$(ctrace trace pod:jobs/batch-7 --duration 0.1 2>&1 | grep 'no container')"

note "whose the file is"
disbelieved() {
	same "$1" "${id:0:12}" "$(name_of "$batch")"
	ctrace explain "cid:$batch" > "$tmp/out"
	has "explain says so" "not +'batch' of $dir/$id.json: others than root may" "$tmp/out"
}
chown 1000 "$dir/$id.json"
disbelieved "a user's file"
chown 0 "$dir/$id.json" && chmod 666 "$dir/$id.json"
disbelieved "a file that all may write"
chmod 644 "$dir/$id.json"
same "root's alone" batch "$(name_of "$batch")"
chmod 777 $dir
disbelieved "a directory that all may write"
chmod 755 $dir && chown 1000 /run/ctrace
disbelieved "a directory that a user may replace"
chown 0 /run/ctrace
mkdir "$tmp/elsewhere" && mv "$dir/$id.json" "$tmp/elsewhere" && ln -s "$tmp/elsewhere/$id.json" "$dir/$id.json"
disbelieved "a link"
rm "$dir/$id.json" && mv "$tmp/elsewhere/$id.json" $dir
same "as before" batch "$(name_of "$batch")"

note "malformed files"
echo '{"name": "bat' > $dir/cut.json
echo '{"name": 7}' > $dir/number.json
ctrace ps > "$tmp/out" 2> "$tmp/err"
same "ps works" 0 $?
has "cut off" "^ctrace: $dir/cut.json is not used: it is not a JSON object" "$tmp/err"
has "of the wrong type" "^ctrace: $dir/number.json is not used: name must be a text" "$tmp/err"
same "once each" 2 "$(wc -l < "$tmp/err")"
has "the others count" "^ *$batch +batch +nomad" "$tmp/out"

note "patterns"
[ ! -e /etc/ctrace ] || give_up "this machine has /etc/ctrace"
later "rm -rf /etc/ctrace"
mkdir -p /etc/ctrace/runtimes.d
cheap cell -g /cells/cell-77/top -C -- sleep 1000
cell=$(of_pid "$pid" cid)
of_cell() { ctrace ps --json 2> "$tmp/err" | jq -r "select(.cid == $cell) | \"\(.runtime) \(.id) \(.name)\""; }
same "no runtime, no id" "  top" "$(of_cell)"
printf '# of this site\ncell-{id}/top cells\nalone\n' > /etc/ctrace/runtimes.d/site.conf
echo '{"name": "cellar"}' > $dir/77.json
same "by a pattern" "cells 77 cellar" "$(of_cell)"
has "a line that is wrong" "runtimes.d/site.conf:3 is not used: a line has a pattern and a runtime" "$tmp/err"
ctrace explain "cid:$cell" > "$tmp/out" 2> "$tmp/err"
has "explain has it" "it matches cell-\{id\}/top, of /etc/ctrace/runtimes.d/site.conf:2, whose runtime is cells" "$tmp/out"
chmod 666 /etc/ctrace/runtimes.d/site.conf
same "not of a file that all may write" "  top" "$(of_cell)"
