#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: views of 10,000 containers: a container with known work has its own numbers, and all adds up
# witness: each kind of mistake; containers that come and go all the time
# requires: any,torture
# kernels: 6.1
# timeout: 400
# torture: 400
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
mount=$(cgroup_mount)
mkdir -p "$mount/many" "$mount/more"
later "rmdir $mount/many $mount/more"
later "manybox remove $mount/many; manybox remove $mount/more"
cheap busy -n busy -- sh -c "until [ -e $tmp/go ]; do sleep 0.05; done; while :; do counted 7 200; dd if=/dev/zero of=$tmp/file bs=1000 count=50 conv=fsync 2> /dev/null; (sleep 0.01); done"
cid=$(of_pid "$pid" cid)
check "10,000 containers" manybox make "$mount/many" 0 10000
# so that each may have a quota. From then on, v2 lets no process into many itself.
[ "$(cgroup_mode)" != v2 ] || echo +cpu > "$mount/many/cgroup.subtree_control" || give_up "no cpu controller"
# each makes a call of its own, while some view looks
churn() { while :; do manybox births "$mount/more" 20000 20100 100; done; }
churn > "$tmp/churn" 2>&1 &
churning=$!
later "kill $churning; wait $churning"
: > "$tmp/go"
for words in stats runqlat offcpu blame 'files' 'count calls' 'bio' 'throttle --all' 'profile' 'tcp --summary'; do
	# shellcheck disable=SC2086 # words
	ctrace $words all --duration 2 --json -v > "$tmp/json" 2> "$tmp/err"
	same "$words: status" 0 $?
	note "$(tail -n 1 "$tmp/err"), $(jq -s '[.[].rows[]] | length' "$tmp/json") rows"
	has "$words: nothing is lost" ', 0 lost' "$tmp/err"
	case $words in
	stats | 'count calls' | files | runqlat | offcpu | blame)
		at_least "$words: it is there" 1 "$(jq -s "[.[].rows[] | select(.cid == $cid)] | length" "$tmp/json")";;
	# on v1 they are in another hierarchy than cpu, and so have no quota
	throttle*) [ "$(cgroup_mode)" != v2 ] || at_least "$words: all are there" 10000 "$(jq -s '[.[].rows[]] | length' "$tmp/json")";;
	esac
done
ctrace why "cid:$cid" --duration 2 --json > "$tmp/json" 2> "$tmp/err"
same "why: status" 0 $?
check "why adds up" jq -e '.rows[0] | (([.spent | .. | numbers] | length) > 3)' "$tmp/json"
