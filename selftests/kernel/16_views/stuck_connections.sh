#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace stuck: TCP connections that are not established yet, at both ends, with owner, peer, age and how often the SYN or its
#	answer was sent again; a neighbour's are not shown
# witness: a server whose answers are lost, and an address where nobody is; each namespace's /proc/net/tcp; the test's clock
# columns: stuck: STATE LOCAL REMOTE PEER RETRANSMITS
# requires: v2
# timeout: 180
# shellcheck disable=SC2016 # perl's and jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
modprobe veth 2> /dev/null
load
signs='use IO::Socket::INET; sub await { select undef, undef, undef, 0.02 until -e "'$tmp'/$_[0]" } sub mark { open my $f, ">", "'$tmp'/$_[0]" }'
cat > "$tmp/db.pl" <<- END
	$signs
	await "wired"; \$s = IO::Socket::INET->new(LocalPort => 5432, Listen => 5, ReuseAddr => 1) or die "\$@";
	mark "listens"; await "stop.db"; close \$s; mark "closed"; sleep 1000;
END
# two children connect; they end when they are told
cat > "$tmp/web.pl" <<- END
	$signs
	await "go";
	for my \$to ("10.78.0.2:5432", "10.78.0.9:81") { push @kids, my \$kid = fork; if (!\$kid) { IO::Socket::INET->new(\$to); exit } }
	await "stop.web"; kill 9, @kids; wait for @kids; mark "quiet"; sleep 1000;
END
docker_box db "exec unshare -n perl $tmp/db.pl"
db=$pid
docker_box web "exec unshare -n perl $tmp/web.pl"
web=$pid
own_net() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
for p in "$db" "$web"; do wait_for 20 own_net "$p" || give_up "no network namespace"; done
ip link add stuck-db type veth peer name stuck-web || skip "no veth"
later "ip link del stuck-db 2> /dev/null"
ip link set stuck-db netns "$db" || give_up "cannot move the veth"
ip link set stuck-web netns "$web" || give_up "cannot move the veth"
nsenter -t "$db" -n sh -c 'ip link set stuck-db up; ip addr add 10.78.0.2/24 dev stuck-db'
nsenter -t "$web" -n sh -c 'ip link set stuck-web up; ip addr add 10.78.0.3/24 dev stuck-web'
# frames to an address that nobody has: what db answers is lost, and nobody answers at 10.78.0.9
nsenter -t "$db" -n ip neigh replace 10.78.0.3 lladdr 02:00:00:00:00:99 dev stuck-db nud permanent || give_up "no static neighbour"
nsenter -t "$web" -n ip neigh replace 10.78.0.9 lladdr 02:00:00:00:00:99 dev stuck-web nud permanent || give_up "no static neighbour"
: > "$tmp/wired"
wait_for 20 test -e "$tmp/listens" || give_up "no server: $(cat "$tmp/db.out")"

look() {
	before=$(date +%s%N)
	ctrace stuck --json "$@" > "$tmp/json" 2> "$tmp/err"
	after=$(date +%s%N)
}
# of REMOTE EXPRESSION: of the connections to that end
of() { jq -c "[.connections[] | select(.remote | test(\"^$1\")) | $2]" "$tmp/json"; }
# proc PID PORT-OR-ADDRESS STATE: how often it was sent again, by the namespace's own table
proc() { echo $((16#$(awk -v to="$2" -v st="$3" '$4 == st && ($2 " " $3) ~ to {print $7}' "/proc/$1/net/tcp"))); }

began=$(date +%s%N)
: > "$tmp/go"
again() { look --longer 1s web && [ "$(of 10.78.0 .retransmits | jq -c 'length == 2 and all(. >= 2)')" = true ]; }
wait_for 40 again || not_ok "no connects whose SYNs were sent again"
note "$(jq -c '.connections[]' "$tmp/json"): $(cat "$tmp/err" "/proc/$web/net/tcp" "/proc/$db/net/tcp")"
same "whose, and in which state" '[["web","SYN_SENT"],["web","SYN_SENT"]]' "$(of 10.78.0 '[.container, .state]')"
same "the server's container" '["db"]' "$(of 10.78.0.2:5432 .peer)"
same "an address where nobody is" '[null]' "$(of 10.78.0.9:81 .peer)"
for port in 1538 0051; do	# 5432 and 81
	remote=$([ $port = 0051 ] && echo 10.78.0.9:81 || echo 10.78.0.2:5432)
	n=$(of "$remote" .retransmits | tr -d '[]')
	# it may have been sent once more since
	in_range "$remote: as often as the kernel's table says" $(($(proc "$web" ":$port\$" 02) - 1)) "$(proc "$web" ":$port\$" 02)" "$n"
	# the kernel's timers are late by an eighth at most, and on a busy host the whole guest is
	in_range "$remote: its age, at most since the test let it begin" $(((before - began) * 7 / 8 - 1500000000)) $((after - began)) "$(of "$remote" .age | tr -d '[]')"
done
same "from the program's address" true "$(of 10.78.0 .local | jq -c 'all(startswith("10.78.0.3:"))')"
same "a neighbour's are not shown" web "$(jq -r '.connections[].container' "$tmp/json" | sort -u)"
same "the thread is there, too" true "$(jq -c '[.rows[] | select(.in == "network" and .call == "connect")] | length == 2' "$tmp/json")"

answers() { look db && [ "$(of 10.78.0.3 .state)" = '["SYN_RECV"]' ]; }
check "the server's end" wait_for 20 answers
note "$(jq -c '.connections[]' "$tmp/json"): $(cat "$tmp/err")"
same "whose, for whom, from where" '["db","web","10.78.0.2:5432"]' "$(of 10.78.0.3 '[.container, .peer, .local]' | jq -c '.[0]')"
at_least "its answer was sent again, at least as often as by the timer" "$(proc "$db" ':1538 ' 03)" "$(of 10.78.0.3 .retransmits | tr -d '[]')"
same "a neighbour's are not shown" db "$(jq -r '.connections[].container' "$tmp/json" | sort -u)"

ctrace stuck web db > "$tmp/table" 2> "$tmp/err"
note "$(cat "$tmp/table")"
has "a table" '^CONTAINER +AGE +STATE +LOCAL +REMOTE +PEER +RETRANSMITS$' "$tmp/table"
has "a row" '^web +[0-9.]+s +SYN_SENT +10\.78\.0\.3:[0-9]+ +10\.78\.0\.2:5432 +db +[0-9]+$' "$tmp/table"
has "an age that is not known" '^db +- +SYN_RECV +10\.78\.0\.2:5432 +10\.78\.0\.3:[0-9]+ +web +[0-9]+$' "$tmp/table"
look --longer 1h web
same "none is so old" '[]' "$(jq -c .connections "$tmp/json")"
: > "$tmp/stop.web"
wait_for 20 test -e "$tmp/quiet" || give_up "the client did not end"
look --longer 0 web
same "the program has ended, and its connections are not shown" '[]' "$(jq -c .connections "$tmp/json")"
: > "$tmp/stop.db"
wait_for 20 test -e "$tmp/closed" || give_up "the server did not close"
# the kernel forgets it when it would send its answer again
gone() { look --longer 0 db && [ "$(jq -c .connections "$tmp/json")" = '[]' ]; }
check "the server has stopped listening, and its end is not shown" wait_for 60 gone
