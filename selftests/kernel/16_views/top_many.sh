#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace top of 1,000 and 10,000 containers: all are shown, and an interval costs by containers, not by events
# witness: schedstat, dd's blocks, counted, the cgroup's files; tmux
# requires: any,torture
# kernels: 6.1
# timeout: 400
# torture: 400
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
mount=$(cgroup_mount)
mkdir -p "$mount/many"
later "rmdir $mount/many"
later "manybox remove $mount/many"

# cost INTERVALS: prints the CPU time of so many, in ms
cost() {
	local TIMEFORMAT='%3U %3S'
	{ time ctrace top -b --interval 0.5 --count "$1" --top 3 > "$tmp/out" 2> "$tmp/err"; } 2> "$tmp/cpu"
	awk '{print int(1000 * ($1 + $2))}' "$tmp/cpu"
}
# interval: sets ms to what an interval costs, without the beginning and the end. The least of three: time that the
# machine takes from the guest is counted as its own
interval() {
	local one eleven
	one=$(least 1)
	eleven=$(least 11)
	ms=$(((eleven - one) / 10))
	[ $ms -gt 0 ] || ms=1
}
least() { for _ in 1 2 3; do cost "$1"; done | sort -n | head -n 1; }
check "1,000 containers" manybox make "$mount/many" 0 1000
interval
few=$ms
note "an interval of 1,000 takes $few ms of CPU time here"
ctrace top --json --count 1 > "$tmp/json" 2> "$tmp/err"
at_least "all are there" 1000 "$(jq '.rows | length' "$tmp/json")"
# on a terminal
if command -v tmux > /dev/null; then
	t() { tmux -u -L "ctrace$$" "$@"; }
	shows() { t capture-pane -p -t top > "$tmp/screen" && grep -qE -e "$1" "$tmp/screen"; }
	later "t kill-server"
	LC_ALL=C.UTF-8 t -f /dev/null new-session -d -s top -x 100 -y 30 "sh -c 'trap : INT; ctrace top; echo status \$?; exec sleep 1000'"
	check "the screen has all" wait_for 10 shows '^ctrace top .* 100[0-9] containers'
	t resize-window -t top -x 60 -y 12
	check "at another size, too" wait_for 10 shows '^ctrace top .* 100[0-9] '
	t send-keys -t top End
	check "the last one" wait_for 10 shows ' 0\.0 .*[0-9a-f]{12}'
	t send-keys -t top C-c
	check "Ctrl-C ends it" wait_for 10 shows '^status 0'
	t kill-server
fi
# the same with many events
cheap storm -n storm -- sh -c 'while :; do counted 7 100000; done'
interval
check "no more than twice as much while there are many calls: $ms ms" test "$ms" -le $((2 * few + 20))
check "10,000 containers" manybox make "$mount/many" 1000 10000
interval
check "no more than in proportion: $ms ms" test "$ms" -le $((20 * few + 50))
ctrace top --json --count 1 > "$tmp/json" 2> "$tmp/err"
at_least "all are there" 10000 "$(jq '.rows | length' "$tmp/json")"
