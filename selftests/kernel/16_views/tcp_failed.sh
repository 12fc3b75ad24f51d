#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace tcp --connects: each connect that fails has the error that its program got, also if no SYN was sent: no route, no free
#	port, a BPF program of the cgroup, an address that cannot be; and what gives up itself is told from them
# witness: errno and address as the program has them
# columns: tcp: CONNECTS FAILED
# columns: tcp --connects: PID LPORT RADDR RPORT ERR
# requires: any
# timeout: 90
# shellcheck disable=SC2016 # perl's and jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tcp.sh
. "$here/tcp.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
grep -q ' tcp_v4_connect$' /proc/kallsyms || skip "no function to look at"
load
ip link set lo up
# nothing leads there (the addresses of RFC 5737 and 3849)
nowhere=192.0.2.1
! ip route get $nowhere > /dev/null 2>&1 || { ip route add unreachable 192.0.2.0/24 && later "ip route del unreachable 192.0.2.0/24"; }
# connects HOST PORT...: prints "ERRNO HOST PORT" of each; then waits
program='use Socket qw(:all); use Errno; $| = 1; $all = @ARGV;
	sub name { my $e = $! + 0; for (sort keys %!) { $! = $e; return $_ if $!{$_} } return $e }
	select undef, undef, undef, 0.05 until -e "'$tmp'/go";
	while (@ARGV) { ($host, $port) = splice @ARGV, 0, 2; $v6 = $host =~ /:/;
		socket my $s, $v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0 or next; push @kept, $s;
		$to = $v6 ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $host)) : pack_sockaddr_in($port, inet_aton($host));
		$e = connect($s, $to) ? "-" : name(); print "$e $host $port\n" }
	open $f, ">", "'$tmp'/done.$all"; close $f; sleep 1000'
server='use IO::Socket::INET; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7793, Listen => 50, ReuseAddr => 1) or die;
	open my $f, ">", "'$tmp'/listens"; close $f; sleep 1000'
perl -e "$server" &
later "kill $!"
wait_for 20 test -e "$tmp/listens" || give_up "no server"
# There is one local port: the second connect to the same address has no free one
range=$(cat /proc/sys/net/ipv4/ip_local_port_range)
later "echo $range > /proc/sys/net/ipv4/ip_local_port_range"
echo 45678 45678 > /proc/sys/net/ipv4/ip_local_port_range || give_up "cannot limit the ports"
cheap client -g "/box/$(hex64 client)" -- perl -e "$program" 127.0.0.1 7793 127.0.0.1 7793 $nowhere 80 127.0.0.1 7794 \
	2001:db8::1 82
cid=$(of_pid "$pid" cid)
# one that the cgroup refuses
denied=''
if [ "$(cgroup_mode)" = v2 ]; then
	cheap denied -g "/box/$(hex64 denied)" -- perl -e "$program" 127.0.0.1 7793
	dcid=$(of_pid "$pid" cid)
	for d in $(cgroup_dirs "/box/$(hex64 denied)"); do nobpf "$d" && denied=$dcid; done
fi
tcp all.json all --connects --json
tcp failed.json all --connects --failed --json
tcp summary all --summary --json
wait_for 20 recording 3 || give_up "not all record: $(cat "$tmp"/*.err)"
: > "$tmp/go"
ended() { [ "$(find "$tmp" -name 'done.*' | wc -l)" -ge "$1" ]; }
[ "$(cgroup_mode)" = v2 ] && n=2 || n=1
wait_for 20 ended "$n" || give_up "the programs did not end: $(cat "$tmp"/*.out)"
sleep 0.5
# shellcheck disable=SC2086
kill -INT $tcps
for p in $tcps; do wait "$p" || not_ok "status $? after Ctrl-C"; done
note "$(cat "$tmp/client.out" "$tmp/failed.json" "$tmp"/*.err)"
seen() { jq -r "select(.cid == $2) | \"\\(.errno // \"-\") \\(.raddr) \\(.rport)\"" "$1"; }
has "the program met no free port" '^EADDRNOTAVAIL 127.0.0.1 7793$' "$tmp/client.out"
same "all connects, each with the program's error and address" "$(cat "$tmp/client.out")" "$(seen "$tmp/all.json" "$cid")"
same "from the port that there is" 45678 "$(jq "select(.cid == $cid and .errno == null) | .lport" "$tmp/all.json")"
same "--failed: those that failed" "$(grep -v '^-' "$tmp/client.out")" "$(seen "$tmp/failed.json" "$cid")"
same "--summary counts them" "$(grep -c . "$tmp/client.out") $(grep -vc '^-' "$tmp/client.out")" \
	"$(jq -r ".rows[] | select(.cid == $cid) | \"\\(.connects) \\(.failed)\"" "$tmp/summary")"
same "each failed at once" 0 "$(jq "select(.cid == $cid and .duration > 10000000000)" "$tmp/failed.json" | grep -c .)"
same "with the program's process" 1 "$(jq ".pid | select(. == $(cat "$tmp/client.pid"))" "$tmp/failed.json" | sort -u | grep -c .)"
if [ -n "$denied" ]; then
	same "the cgroup's BPF program says no" "$(cat "$tmp/denied.out")" "$(seen "$tmp/failed.json" "$denied")"
	has "as EPERM" '^EPERM 127.0.0.1 7793$' "$tmp/denied.out"
fi
# what a task gives up itself: it has no error of its own
ctrace tcp host --connects --failed --json > "$tmp/gave" 2> "$tmp/gave.err" &
later "kill $!"
gave=$!
wait_for 20 recording 1 || give_up "does not record: $(cat "$tmp/gave.err")"
modprobe sch_netem 2> /dev/null
if command -v tc > /dev/null && tc qdisc add dev lo root netem delay 2000ms 2> /dev/null; then
	later "tc qdisc del dev lo root"
	perl -e 'use IO::Socket::INET; IO::Socket::INET->new(PeerAddr => "127.0.0.1:7795", Blocking => 0); select undef, undef, undef, 0.2'
	sleep 0.3
	kill -INT "$gave"
	wait "$gave"
	same "a task that closes its socket" ECONNABORTED "$(jq -r 'select(.rport == 7795) | .errno' "$tmp/gave")"
fi
