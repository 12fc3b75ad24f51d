#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace tcp, why, offcpu --peers: the container at the other end of a connection on this machine, between network namespaces and within one
# witness: the test knows which container connects to which; addresses and ports as the programs have them
# columns: tcp: PEER
# columns: tcp --connects: PEER
# columns: tcp --retransmits: PEER
# requires: v2
# timeout: 120
# processors: on one, the next request is there before the server sleeps
# shellcheck disable=SC2016 # perl's and jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tcp.sh
. "$here/tcp.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
load
ip link set lo up
modprobe veth 2> /dev/null
modprobe bridge 2> /dev/null
signs='use IO::Socket::INET; $| = 1; sub await { select undef, undef, undef, 0.02 until -e "'$tmp'/$_[0]" } sub mark { open my $f, ">", "'$tmp'/$_[0]" }'
# NAME PORT: answers each connection with 3 bytes after a while, and closes it
cat > "$tmp/server.pl" <<- END
	$signs
	\$SIG{PIPE} = "IGNORE";
	await "wired.\$ARGV[0]";
	\$s = IO::Socket::INET->new(LocalPort => \$ARGV[1], Listen => 5, ReuseAddr => 1) or die "\$@";
	mark "listens.\$ARGV[0]";
	while (\$c = \$s->accept) { sysread \$c, \$b, 65536; select undef, undef, undef, \$ARGV[2]; syswrite \$c, "yes"; sysread \$c, \$b, 1; close \$c }
END
# NAME TO...: when it is told, connects to each, one after the other, and says the port
cat > "$tmp/client.pl" <<- END
	$signs
	\$name = shift; mark "there.\$name"; await "go.\$name";
	for (@ARGV) { \$c = IO::Socket::INET->new(\$_) or die "\$_: \$@"; print "\$_ ", \$c->sockport, "\n"; syswrite \$c, "x"; sysread \$c, \$b, 10; close \$c }
	mark "done.\$name"; sleep 1000;
END
# each answer takes a fifth of a second
cat > "$tmp/slow.pl" <<- END
	$signs
	\$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7823, Listen => 5, ReuseAddr => 1) or die "\$@"; mark "listens.slow";
	\$c = \$s->accept; while (sysread \$c, \$b, 1) { select undef, undef, undef, 0.2; syswrite \$c, "y" }
END
cat > "$tmp/asks.pl" <<- END
	$signs
	\$c = IO::Socket::INET->new("127.0.0.1:7823") or die "\$@"; mark "asks"; while (syswrite \$c, "x") { sysread \$c, \$b, 1 }
END
wire() { # NAME PID ADDRESS: a veth to the bridge
	ip link add "peer-$1" type veth peer name eth0 netns "$2" && later "ip link del peer-$1" || return
	ip link set "peer-$1" master peer-br up
	nsenter -t "$2" -n sh -c "ip link set lo up; ip link set eth0 up; ip addr add $3/24 dev eth0"
	: > "$tmp/wired.$1"
}
docker_box db "exec unshare -n perl $tmp/server.pl db 5432 0"
db_pid=$pid db=$(of_pid "$pid" cid)
docker_box web "exec unshare -n perl $tmp/client.pl web 10.77.0.2:5432 10.77.0.1:7821"
web_pid=$pid web=$(of_pid "$pid" cid)
docker_box cache "exec perl $tmp/server.pl cache 7822 0"
cache=$(of_pid "$pid" cid)
docker_box app "exec perl $tmp/client.pl app 127.0.0.1:7822 127.0.0.1:7821"
app=$(of_pid "$pid" cid)
docker_box slow "exec perl $tmp/slow.pl"
wait_for 20 test -e "$tmp/listens.slow" || give_up "no slow server: $(cat "$tmp/slow.out")"
docker_box waits "exec perl $tmp/asks.pl"
perl "$tmp/server.pl" host 7821 0 &
later "kill $!"
: > "$tmp/wired.host"
: > "$tmp/wired.cache"
wired=1
if ! { ip link add peer-br type bridge && ip addr add 10.77.0.1/24 dev peer-br && ip link set peer-br up; } 2> "$tmp/br"; then
	note "no bridge: $(cat "$tmp/br")"
	wired=''
fi
later "ip link del peer-br"
own_net() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
for p in "$db_pid" "$web_pid"; do wait_for 20 own_net "$p" || give_up "no network namespace"; done
if [ -n "$wired" ] && ! { wire db "$db_pid" 10.77.0.2 && wire web "$web_pid" 10.77.0.3; } 2> "$tmp/wire"; then
	note "no veth: $(cat "$tmp/wire")"
	wired=''
fi
wait_for 20 test -e "$tmp/listens.cache" -a -e "$tmp/asks" -a -e "$tmp/listens.host" || give_up "no servers: $(cat "$tmp"/*.out)"
[ -z "$wired" ] || wait_for 20 test -e "$tmp/listens.db" || give_up "no server: $(cat "$tmp/db.out")"
tcp life all --json
tcp text web
tcp connects all --connects --json
tcp again all --retransmits --json
ctrace record -o "$tmp/rec" -e tcp_life all 2> "$tmp/rec.err" &
tcps="$tcps $!"
later "kill $!"
wait_for 20 recording 5 || give_up "not all record: $(cat "$tmp"/*.err)"
: > "$tmp/go.app"
wait_for 20 test -e "$tmp/done.app" || give_up "app did not end: $(cat "$tmp/app.out")"
if [ -n "$wired" ]; then
	# a SYN is lost; not the question for a hardware address, which is asked before
	lost=''
	nsenter -t "$web_pid" -n bash -c ': < /dev/tcp/10.77.0.2/1' 2> /dev/null
	modprobe sch_netem 2> /dev/null
	nsenter -t "$web_pid" -n tc qdisc add dev eth0 root netem loss 100% 2> "$tmp/tc" && lost=1
	: > "$tmp/go.web"
	[ -z "$lost" ] || { wait_for 20 grep -q '"rport":5432' "$tmp/again"; nsenter -t "$web_pid" -n tc qdisc del dev eth0 root; }
	wait_for 60 test -e "$tmp/done.web" || give_up "web did not end: $(cat "$tmp/web.out")"
fi
sleep 1
# shellcheck disable=SC2086
kill -INT $tcps
for p in $tcps; do wait "$p" || not_ok "status $? after Ctrl-C"; done
note "$(cat "$tmp"/{app,web}.out "$tmp"/{life,text,connects,again} "$tmp"/*.err)"
# peers FILE CID PORT-FIELD PORT: who is at the other end
peers() { jq -r "select(.cid == $2 and .$3 == $4) | .peer" "$tmp/$1" | sort -u | xargs; }
same "within a namespace, the client's end" cache "$(peers life "$app" rport 7822)"
same "the server's end" app "$(peers life "$cache" lport 7822)"
same "a server of the host" host "$(peers life "$app" rport 7821)"
same "the host's end" app "$(jq -r "select(.cid == 0 and .lport == 7821 and .laddr == \"127.0.0.1\") | .peer" "$tmp/life")"
same "connects" cache "$(peers connects "$app" rport 7822)"
if [ -n "$wired" ]; then
	same "between namespaces, the client's end" db "$(peers life "$web" rport 5432)"
	same "the server's end" web "$(peers life "$db" lport 5432)"
	same "the host at the bridge" host "$(peers life "$web" rport 7821)"
	same "connects" db "$(peers connects "$web" rport 5432)"
	has "text" '^web +perl +[0-9]+ +10\.77\.0\.3 +[0-9]+ 10\.77\.0\.2 +5432 +db +1 +1 ' "$tmp/text"
	[ -z "$lost" ] || same "what is sent again" db "$(peers again "$web" rport 5432)"
fi
# the same of a recording, whose end was after the clients'
ctrace tcp --json --input "$tmp/rec" > "$tmp/recorded" 2> "$tmp/recorded.err"
same "recorded: the client's end" cache "$(peers recorded "$app" rport 7822)"
same "recorded: the server's end" app "$(peers recorded "$cache" lport 7822)"
[ -z "$wired" ] || same "recorded: between namespaces" "db web" "$(peers recorded "$web" rport 5432) $(peers recorded "$db" lport 5432)"
# offcpu: who woke them, though an interrupt did
ctrace offcpu waits slow --peers --duration 2 --json > "$tmp/wakers" 2> "$tmp/wakers.err"
note "$(jq -c '.rows[] | [.container, .waker, .count]' "$tmp/wakers")"
at_least "the client is woken by the server" 1 "$(jq '[.rows[] | select(.container == "waits" and .waker == "slow (network)") | .count] | add' "$tmp/wakers")"
at_least "the server by the client" 1 "$(jq '[.rows[] | select(.container == "slow" and .waker == "waits (network)") | .count] | add' "$tmp/wakers")"
same "rows add up to the account" "$(jq .account.events "$tmp/wakers")" "$(jq '[.rows[].count] | add' "$tmp/wakers")"
# why: who is waited for
check "ctrace record" ctrace record -o "$tmp/t" -e sched_run,sched_blame,sched_block --duration 3 waits
ctrace why waits --json --duration 3 > "$tmp/why" 2> "$tmp/why.err"
same "why: status" 0 $?
note "$(jq -c '.rows[0] | del(.culprits)' "$tmp/why")"
same "the server that is waited for, and its address" '["slow","127.0.0.1:7823"]' "$(jq -c '.rows[0].servers[0] | [.container, .address]' "$tmp/why")"
has "the verdict names it" 'It waited for servers, mostly for slow at 127.0.0.1:7823' "$tmp/why"
ctrace why waits --json --input "$tmp/t" > "$tmp/recorded" 2> "$tmp/recorded.err"
same "recorded: the same" '["slow","127.0.0.1:7823"]' "$(jq -c '.rows[0].servers[0] | [.container, .address]' "$tmp/recorded")"
at_least "most of the time" 50 "$(jq '.rows[0] | 100 * .servers[0].time / .time | floor' "$tmp/why")"
