#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: tcp_connect and tcp_life: bytes each way, durations, and the owners, though the ends come in interrupts
# witness: client and server that count their bytes, in two containers; a followed command
# requires: v2,v1
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v perl > /dev/null || skip "no perl to listen"
load
ip link set lo up
# The server takes 100000 bytes, holds on for a second, and answers 5000. Then a port where nobody listens.
# shellcheck disable=SC2016 # perl's
server='use IO::Socket::INET; $SIG{PIPE} = "IGNORE";
	$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7778, Listen => 5, ReuseAddr => 1) or die "$@";
	open my $f, ">", "'$tmp'/listens"; close $f;
	$c = $s->accept; $n = 0; while ($n < 100000) { $n += sysread($c, $b, 65536) } sleep 1; syswrite $c, "y" x 5000; close $c; sleep 1000'
# shellcheck disable=SC2016
client='use IO::Socket::INET; select undef, undef, undef, 0.05 until -e "'$tmp'/go" && -e "'$tmp'/listens";
	$c = IO::Socket::INET->new("127.0.0.1:7778") or die "$@"; print $c "x" x 100000; $c->flush; $n = 0;
	while (($r = sysread($c, $b, 65536)) > 0) { $n += $r } close $c; print "got $n\n";
	IO::Socket::INET->new("127.0.0.1:7779"); open my $f, ">", "'$tmp'/done"; close $f; sleep 1000'
cheap server -g "/box/$(hex64 server)" -- perl -e "$server"
b=$(of_pid "$pid" cid) bt=$pid
cheap client -g "/box/$(hex64 client)" -- perl -e "$client"
a=$(of_pid "$pid" cid) at=$pid
dump "$tmp/ev" -v -t all -e tcp_connect -e tcp_life
all=$dumping
dump "$tmp/b" -t "cid:$b" -e tcp_connect -e tcp_life
: > "$tmp/go"
wait_for 30 test -e "$tmp/done" || give_up "no connection: $(cat "$tmp"/*.out)"
sleep 1
kill "$all" "$dumping"
wait "$all" "$dumping"
note "$(cat "$tmp/ev")"
lo="saddr=127,0,0,1 daddr=127,0,0,1"
has "the client's connect" "tcp_connect cid=$a tid=$at .* error=0 family=2 sport=[0-9]+ dport=7778 protocol=6 $lo$" "$tmp/ev"
has "a port without a listener: ECONNREFUSED" "tcp_connect cid=$a tid=$at .* error=-111 family=2 .*dport=7779 " "$tmp/ev"
same "no other connects" 2 "$(grep -c ' tcp_connect .*dport=777[89] ' "$tmp/ev")"
# The container that accepts is known by a function of kernels with security modules; without it, the one that listens is known,
# if sockets know their cgroup, which must be v2's.
accepts=1
grep -q ' security_sock_graft$' /proc/kallsyms || accepts=''
[ -n "$accepts" ] || [ "$(cgroup_mode)" = v2 ] || b=0
bytes='s/.* tx_bytes=([0-9]+) rx_bytes=([0-9]+) .*/\1 \2/p'
grep -E " tcp_life cid=$a tid=$at .* dport=7778 " "$tmp/ev" > "$tmp/client"
grep -E " tcp_life cid=$b .* sport=7778 " "$tmp/ev" > "$tmp/server"
same "both ends, once each" "1 1 2" "$(wc -l < "$tmp/client") $(wc -l < "$tmp/server") $(grep -c ' tcp_life .*port=7778 ' "$tmp/ev")"
same "bytes of the client" '100000 5000' "$(sed -nE "$bytes" "$tmp/client")"
same "bytes of the server" '5000 100000' "$(sed -nE "$bytes" "$tmp/server")"
if [ -n "$accepts" ]; then
	has "the server's is that of the task which accepted" " tid=$bt " "$tmp/server"
fi
for f in client server; do
	at_least "ms of the $f's life: more than the second that it slept" 1000 \
		"$(sed -nE 's/.* duration=([0-9]+) .*/\1/p' "$tmp/$f" | awk '{print int($1 / 1000000)}')"
	at_least "and less than its process's" 1 "$(sed -nE 's/.* duration=([0-9]+) .*/\1/p' "$tmp/$f" | awk '{print $1 < 30e9}')"
done
if [ "$b" != 0 ]; then
	same "a session for the server gets nothing else" "$b" "$(cids "$tmp/b" .)"
	same "and all of that" 1 "$(grep -c . "$tmp/b")"
fi

# A command that is followed, and both sides of it
# shellcheck disable=SC2016
evdump -e tcp_connect -e tcp_life -- perl -e 'use IO::Socket::INET;
	$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7780, Listen => 5, ReuseAddr => 1) or die;
	$c = IO::Socket::INET->new("127.0.0.1:7780") or die; $d = $s->accept; print $c "xyz"; close $c; <$d>; close $d; sleep 1' \
	> "$tmp/ev" 2> "$tmp/err"
same "a followed command's connects and lives" "1 $((1 + ${accepts:-0}))" \
	"$(grep -c 'tcp_connect .*dport=7780' "$tmp/ev") $(grep -c 'tcp_life .*port=7780' "$tmp/ev")"
