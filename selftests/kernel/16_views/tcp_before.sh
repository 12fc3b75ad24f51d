#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace tcp: a connection that began before the session has a line when it ends, at both ends, without an age; it is counted by itself;
#	by a session that began while another one already followed them, too; what is not traced is not
# witness: bytes as the programs count them, and as their sockets do (TCP_INFO)
# columns: tcp: ENDED BEFORE TX RX TX_KB RX_KB
# requires: v2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tcp.sh
. "$here/tcp.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
load
ip link set lo up
# shellcheck disable=SC2016 # perl's
signs='use IO::Socket::INET; $| = 1; sub await { select undef, undef, undef, 0.02 until -e "'$tmp'/$_[0]" } sub mark { open my $f, ">", "'$tmp'/$_[0]" }'
# shellcheck disable=SC2016
server=$signs'$SIG{PIPE} = "IGNORE"; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7797, Listen => 5, ReuseAddr => 1) or die "$@";
	mark "listens"; while ($c = $s->accept) { push @c, $c; $n = 0; while ($n < 20000) { $n += sysread $c, $b, 65536 } syswrite $c, "y" x 3000; mark "served.$#c" }'
# NAME: connects, sends and receives; then, when it is told, 1000 more bytes, and ends
# shellcheck disable=SC2016
client=$signs'$c = IO::Socket::INET->new("127.0.0.1:7797") or die "$@"; syswrite $c, "x" x 20000; $n = 0; while ($n < 3000) { $n += sysread $c, $b, 65536 }
	mark "up.$ARGV[0]"; await "go.$ARGV[0]"; syswrite $c, "x" x 1000; select undef, undef, undef, 0.5; $i = getsockopt $c, 6, 11;
	print unpack("Q", substr $i, 120, 8), " ", unpack("Q", substr $i, 128, 8), "\n"; close $c; mark "done.$ARGV[0]"; sleep 1000'
cheap server -g "/box/$(hex64 server)" -- perl -e "$server"
server_cid=$(of_pid "$pid" cid)
wait_for 20 test -e "$tmp/listens" || give_up "no server"
cheap one -g "/box/$(hex64 one)" -- perl -e "$client" one
one=$(of_pid "$pid" cid)
cheap two -g "/box/$(hex64 two)" -- perl -e "$client" two
two=$(of_pid "$pid" cid)
wait_for 20 test -e "$tmp/up.one" -a -e "$tmp/up.two" || give_up "no connections: $(cat "$tmp"/*.out)"
tcp all all --json
tcp own "cid:$one" --json
tcp text "cid:$one"
tcp summary all --summary --json
wait_for 20 recording 4 || give_up "not all record: $(cat "$tmp"/*.err)"
# one that begins now, and a session that begins after that
cheap three -g "/box/$(hex64 three)" -- perl -e "$client" three
three=$(of_pid "$pid" cid)
wait_for 20 test -e "$tmp/up.three" || give_up "no third connection"
tcp late all --json
wait_for 20 recording 5 || give_up "the last one does not record: $(cat "$tmp/late.err")"
: > "$tmp/go.one"
: > "$tmp/go.two"
: > "$tmp/go.three"
wait_for 20 test -e "$tmp/done.one" -a -e "$tmp/done.two" -a -e "$tmp/done.three" || give_up "they did not end"
sleep 0.5
kill -9 "$(cat "$tmp/server.pid")"	# its ends close, too
sleep 1
# shellcheck disable=SC2086
kill -INT $tcps
for p in $tcps; do wait "$p" || not_ok "status $? after Ctrl-C"; done
note "$(cat "$tmp"/*.out "$tmp/all" "$tmp/late" "$tmp/text" "$tmp/summary")"
lives() { jq -c "select(.cid == $2) | [.tx_bytes, .rx_bytes, .duration == null]" "$tmp/$1"; }
same "the socket's own numbers: the SYN counts" "21001 3000" "$(cat "$tmp/one.out")"
same "the client's: all bytes, no age" '[21001,3000,true]' "$(lives all "$one")"
same "another's, the same" '[21001,3000,true]' "$(lives all "$two")"
same "one that began meanwhile has its age" '[21000,3000,false]' "$(lives all "$three")"
same "for a session that began after it, it has none" '[21001,3000,true]' "$(lives late "$three")"
same "the server's ends" '[3000,21000,false] [3000,21000,true] [3000,21000,true]' "$(lives all "$server_cid" | sort | xargs)"
same "a session for one sees that one's end alone" "$one" "$(jq .cid "$tmp/own" | sort -u)"
has "as text: no age" '^[^ ]+ .* 7797 +[^ ]+ +21 +3 +- +[0-9.]+ ' "$tmp/text"
# before Linux 5.9 nothing says whose connections there are in a namespace that containers share
new=1000
kernel_before 5.9 && new=0
same "counted apart, with the bytes of the interval" "[1,1,$new,0]" "$(jq -c ".rows[] | select(.cid == $one) | [.ended, .before, .tx_bytes, .rx_bytes]" "$tmp/summary")"
same "others are not" '[1,0,21000,3000]' "$(jq -c ".rows[] | select(.cid == $three) | [.ended, .before, .tx_bytes, .rx_bytes]" "$tmp/summary")"
same "the server's: both kinds" "[3,2,3000,$((21000 + 2 * new))]" "$(jq -c ".rows[] | select(.cid == $server_cid) | [.ended, .before, .tx_bytes, .rx_bytes]" "$tmp/summary")"
