#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace tcp: connections, connects and retransmissions of a program that asks its own sockets (TCP_INFO), over a line of known delay
# witness: its sockets' TCP_INFO, a line of known delay; exit codes, a cgroup's limit
# columns: tcp: COMM PID LADDR LPORT RADDR RPORT TX_KB RX_KB MS RTT(ms) MIN_RTT RETR
# columns: tcp: CONNECTS FAILED P50 P99 MAX latency ENDED TX RX RETRANSMITS PROBES SYNACKS
# columns: tcp --connects: COMM PID LADDR RADDR RPORT LAT(ms) ERR
# columns: tcp --retransmits: COMM PID LADDR LPORT RADDR RPORT STATE WHY BEFORE
# requires: v2,v1,hybrid,torture
# timeout: 120
# torture: 120
# shellcheck disable=SC2016 # perl's and jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tcp.sh
. "$here/tcp.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
load
ip link set lo up
# how a program and this script wait for each other
signs='use IO::Socket::INET; sub await { select undef, undef, undef, 0.02 until -e "'$tmp'/$_[0]" } sub mark { open my $f, ">", "'$tmp'/$_[0]" }'
server='use IO::Socket::INET; $SIG{PIPE} = "IGNORE";
	$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7790, Listen => 5, ReuseAddr => 1) or die "$@";
	open my $f, ">", "'$tmp'/listens"; close $f;
	while ($c = $s->accept) { $n = 0; while ($n < 101000) { $r = sysread $c, $b, 65536; last unless $r; $n += $r } syswrite $c, "y" x 5000; close $c }'
# sends 100000 bytes, and on request 1000 more; asks its socket; then one to a port where nobody listens
client=$signs'
	await "go"; $c = IO::Socket::INET->new("127.0.0.1:7790") or die "$@"; syswrite $c, "x" x 100000; mark "sent";
	await "lost"; syswrite $c, "x" x 1000; $n = 0; while (($r = sysread $c, $b, 65536) > 0) { $n += $r }
	$i = getsockopt $c, 6, 11; printf "retransmits %d received %d rtt %d min %d\n", unpack("L", substr $i, 100, 4), $n, unpack("L", substr $i, 68, 4), length $i >= 152 ? unpack("L", substr $i, 148, 4) : 0; $| = 1; STDOUT->flush; close $c;
	IO::Socket::INET->new("127.0.0.1:7791"); mark "done"; sleep 1000'
cheap server -g "/box/$(hex64 server)" -- perl -e "$server"
wait_for 20 test -e "$tmp/listens" || give_up "no server"
server_cid=$(of_pid "$pid" cid)
cheap client -g "/box/$(hex64 client)" -- perl -e "$client"
cid=$(of_pid "$pid" cid)
delay=''
modprobe sch_netem 2> /dev/null
if command -v tc > /dev/null && tc qdisc add dev lo root netem delay 40ms 2> "$tmp/tc"; then
	later "tc qdisc del dev lo root"
	delay=40
fi
note "delay of a packet: ${delay:-none: $(cat "$tmp/tc" 2>&1)} ms"
tcp life all
tcp life.json "cid:$cid" --json
tcp connects all --connects
tcp failed all --connects --failed --json
tcp retransmits all --retransmits --json
tcp rtext "cid:$cid" --retransmits -T
tcp summary all --summary --json
tcp stext "cid:$cid" --summary
# counted NAME: prints a number of this network namespace
counted() {
	awk -v name="$1" '/^TcpExt:/ && !n {n = split($0, names)} /^TcpExt:/ {split($0, v)}
		END {for (i = 1; i <= n; i++) if (names[i] == name) print v[i]}' /proc/net/netstat
}
# what was sent again, SYN-ACKs too
segments() { awk '$1 == "Tcp:" && $13 ~ /^[0-9]/ {print $13}' /proc/net/snmp; }
segments=$(segments) probes=$(counted TCPLossProbes) timeouts=$(counted TCPTimeouts)
wait_for 20 recording 8 || give_up "not all record: $(cat "$tmp"/*.err)"
: > "$tmp/go"
wait_for 20 test -e "$tmp/sent"
sleep 0.3
# bytes sent now are lost until the line is repaired
[ -z "$delay" ] || tc qdisc change dev lo root netem delay 40ms loss 100%
: > "$tmp/lost"
sleep 1
[ -z "$delay" ] || tc qdisc change dev lo root netem delay 40ms loss 0%
wait_for 40 test -e "$tmp/done" || give_up "the client did not end: $(cat "$tmp/client.out")"
sleep 0.5
# shellcheck disable=SC2086
kill -INT $tcps
for p in $tcps; do wait "$p" || not_ok "status $? after Ctrl-C"; done
note "$(cat "$tmp/client.out" "$tmp/life" "$tmp/connects" "$tmp/rtext" "$tmp/stext" "$tmp"/*.err)"

a='127\.0\.0\.1 +'
has "heads" '^CONTAINER +COMM +PID +LADDR +LPORT +RADDR +RPORT +PEER +TX_KB +RX_KB +MS +RTT\(ms\) +MIN_RTT +RETR$' "$tmp/life"
has "a life: the client's" "^[^ ]+ +perl +$pid +${a}[0-9]+ +${a}7790 +[^ ]+ +99 +5 +[0-9]+\\.[0-9]+ +[0-9.-]+ +[0-9.-]+ +[0-9]+$" "$tmp/life"
# Without security_sock_graft() nothing says who accepts; then it is the container that listens, which v1 does not tell (14_spans/tcp).
server=1 accepted='perl +[0-9]+'
if ! grep -q ' security_sock_graft$' /proc/kallsyms; then
	accepted='- +-'
	[ "$(cgroup_mode)" = v2 ] || server=''
fi
[ -z "$server" ] || has "and the server's" "^[^ ]+ +$accepted +${a}7790 +${a}[0-9]+ +[^ ]+ +5 +99 +[0-9]+\\.[0-9]+ +[0-9.-]+ +[0-9.-]+ +[0-9]+$" "$tmp/life"
same "bytes" '[101000,5000,7790]' "$(jq -c '[.tx_bytes, .rx_bytes, .rport]' "$tmp/life.json")"
check "with as many segments that were sent again as the socket said, or more" sh -c "jq -e '.retransmits >= $(sed -n 's/^retransmits \([0-9]*\) .*/\1/p' "$tmp/client.out")' '$tmp/life.json'"
rtt=$(sed -n 's/.* rtt \([0-9]*\) .*/\1/p' "$tmp/client.out") min=$(sed -n 's/.* min \([0-9]*\)$/\1/p' "$tmp/client.out")
check "the round trip time is about the socket's, $rtt us" sh -c "jq -e '.srtt > $rtt * 500 and .srtt < $rtt * 2000' '$tmp/life.json'"
[ "$min" = 0 ] || check "and the shortest not more than the socket's, $min us" sh -c "jq -e '.min_rtt > 0 and .min_rtt <= $min * 1000' '$tmp/life.json'"
check "and as long as it was open" sh -c "jq -e '.duration > 1200000000 and .duration < 60000000000' '$tmp/life.json'"
has "a connect" "^[^ ]+ +perl +$pid +${a}[0-9]+ +${a}7790 +[^ ]+ +[0-9.]+ -$" "$tmp/connects"
has "one that fails, with the error's name" "^[^ ]+ +perl +$pid +${a}[0-9]+ +${a}7791 +[^ ]+ +[0-9.]+ ECONNREFUSED$" "$tmp/connects"
same "--failed" '["ECONNREFUSED",7791]' "$(jq -c '[.errno, .rport]' "$tmp/failed")"
ours() { jq -c "select(.cid == $cid) | [.rport, .pid]" "$tmp/retransmits" | sort | uniq -c | xargs; }
if [ -n "$delay" ]; then
	check "a connect takes two delays" sh -c "jq -e '.rows[] | select(.cid == $cid) | .latency.count == 1 and .latency.max >= 80000000 and .latency.max < 10000000000 and
		([.latency.p50, .latency.p99] | all(. >= 53000000 and . < 10000000000))' '$tmp/summary'"
	check "and so says its line" awk '$7 == 7790 {n++; bad += $9 < 80 || $9 >= 10000} END {exit n != 1 || bad}' "$tmp/connects"
	same "sent again, as this network namespace counts it" $(($(segments) - segments)) "$(jq '[.rows[] | .retransmits + .synacks] | add' "$tmp/summary")"
	same "and to probe" $(($(counted TCPLossProbes) - probes)) "$(jq '[.rows[].probes] | add' "$tmp/summary")"
	n=$(sed -n 's/^retransmits \([0-9]*\) .*/\1/p' "$tmp/client.out")
	at_least "the socket says that it sent again" 1 "$n"
	# What is lost is one segment. What came after the socket was asked has a larger number. At first it did not count what probes
	# for a lost tail.
	seen=$(jq ".rows[] | select(.cid == $cid) | .retransmits" "$tmp/summary")
	told=$(jq -s "[.[] | select(.cid == $cid and .rport == 7790 and .before < $n)] | length" "$tmp/retransmits")
	! kernel_before 3.15 || [ "$told" != $((n + 1)) ] || n=$told
	same "counted" "$n" "$told"
	same "as often, by the client, though a timer does it" "$seen [7790,$pid]" "$(ours)"
	same "some only probe for a lost tail" "$(($(counted TCPLossProbes) - probes))" "$(grep -c '"how":"PROBE"' "$tmp/retransmits")"
	at_least "others come after a timeout" 1 "$(grep -c '"how":"TIMEOUT"' "$tmp/retransmits")"
	same "each timeout sends one" "$(($(counted TCPTimeouts) - timeouts))" "$(grep -c '"how":"TIMEOUT"' "$tmp/retransmits")"
	same "counted apart" "$(grep -c "\"cid\":$cid,.*\"how\":\"PROBE\"" "$tmp/retransmits")" "$(jq ".rows[] | select(.cid == $cid) | .probes" "$tmp/summary")"
	has "with its state" " perl +$pid +${a}[0-9]+ +${a}7790 +[^ ]+ +TCP_ESTABLISHED +(PROBE|TIMEOUT) +0$" "$tmp/rtext"
fi
same "counted: connects, failed, ended, bytes" '[2,1,1,101000,5000]' "$(jq -c ".rows[] | select(.cid == $cid) | [.connects, .failed, .ended, .tx_bytes, .rx_bytes]" "$tmp/summary")"
[ -z "$server" ] || same "counted: the server's" '[0,0,1,5000,101000]' "$(jq -c ".rows[] | select(.cid == $server_cid) | [.connects, .failed, .ended, .tx_bytes, .rx_bytes]" "$tmp/summary")"
has "as text" '^CONTAINER +CONNECTS +FAILED +P50 +P99 +MAX +ENDED +BEFORE +OPEN +TX +RX +RETRANSMITS +PROBES +SYNACKS$' "$tmp/stext"
# When its time is over, what is still in this end's queue is not sent again (since 3.15), and so not counted.
if [ -n "$delay" ]; then
	queued=$signs'
		$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7792, Listen => 5) or die "$@";
		$c = IO::Socket::INET->new("127.0.0.1:7792") or die "$@"; mark "up"; await "slow"; syswrite $c, "x" x 1000;
		select undef, undef, undef, 1.2; $i = getsockopt $c, 6, 11; printf "%d\n", unpack("L", substr $i, 100, 4); $| = 1; STDOUT->flush; mark "asked"; sleep 1000'
	perl -e "$queued" > "$tmp/queued" &
	later "kill $!"
	wait_for 20 test -e "$tmp/up" || give_up "not connected"
	tcp again host --retransmits --json
	again=$!
	wait_for 20 recording 1 || give_up "does not record: $(cat "$tmp/again.err")"
	tc qdisc change dev lo root netem delay 10000ms
	before=$(counted TCPSpuriousRtxHostQueues)
	: > "$tmp/slow"
	wait_for 20 test -e "$tmp/asked" || give_up "the program did not end"
	n=$(cat "$tmp/queued")
	kill -INT "$again"
	wait "$again"
	tc qdisc change dev lo root netem delay 40ms
	seen=$(grep -c '"rport":7792' "$tmp/again")
	if [ -n "$before" ] && ! kernel_before 3.15; then
		at_least "it was to be sent again, and could not" $((before + 1)) "$(counted TCPSpuriousRtxHostQueues)"
		same "what was sent again" "$n" "$seen"
	fi
fi
# A socket that answers a SYN once more if no data comes (TCP_DEFER_ACCEPT)
grep -q retransmit_synack "$tracefs/available_events" 2> /dev/null || tracefs_mount
if grep -q retransmit_synack "$tracefs/available_events"; then
	[ -z "$delay" ] || tc qdisc del dev lo root
	cheap defers -g "/box/$(hex64 defers)" -- perl -e 'use IO::Socket::INET; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7796,
		Listen => 5) or die "$@"; setsockopt $s, 6, 9, pack("i", 1) or die $!; open my $f, ">", "'"$tmp"'/defers"; close $f; sleep 1000'
	wait_for 20 test -e "$tmp/defers" || give_up "no socket that defers"
	defers=$(of_pid "$pid" cid)
	tcp synacks all --retransmits --json
	again=$!
	tcp counted all --summary --json
	wait_for 20 recording 2 || give_up "does not record: $(cat "$tmp/synacks.err")"
	before=$(counted TCPSynRetrans)
	perl -e 'use IO::Socket::INET; $c = IO::Socket::INET->new("127.0.0.1:7796") or die "$@"; sleep 1000' &
	later "kill $!"
	answered() { [ "$(counted TCPSynRetrans)" -gt "$before" ]; }
	wait_for 20 answered || give_up "no SYN-ACK was sent again"
	sleep 0.3
	kill -INT "$again" "$!"
	# shellcheck disable=SC2086
	kill -INT $tcps 2> /dev/null
	wait "$again"
	wait_for 10 test -s "$tmp/counted"
	n=$(($(counted TCPSynRetrans) - before))
	same "SYN-ACKs that are sent again, of the container that listens" "$n" "$(grep -c "\"cid\":$defers,.*\"lport\":7796,.*\"state\":\"TCP_SYN_RECV\",.*\"how\":\"SYNACK\"" "$tmp/synacks")"
	same "the first had none before" 0 "$(grep '"how":"SYNACK"' "$tmp/synacks" | head -n 1 | jq .before)"
	same "counted apart from segments" "[$n,0]" "$(jq -c ".rows[] | select(.cid == $defers) | [.synacks, .retransmits]" "$tmp/counted")"
fi
ctrace trace -e tcp_connect -- perl -e 'use IO::Socket::INET; IO::Socket::INET->new("127.0.0.1:7791")' > "$tmp/out" 2>&1
has "trace: the error by its name" 'tcp_connect .* error=ECONNREFUSED ' "$tmp/out"
ctrace tcp host --connects --comm nobody-has-this --duration 0.2 > "$tmp/out" 2> "$tmp/err"
same "no events: heads alone" 1 "$(wc -l < "$tmp/out")"
has "and an account" '^ctrace: 0 events.* 0 lost' "$tmp/err"
refuse "two of them" 'choose one' ctrace tcp --connects --summary
refuse "--interval without --summary" 'is for tables' ctrace tcp --interval 1
refuse "--failed of lives" 'nothing that can fail' ctrace tcp --failed
refuse "-e" 'has its own events' ctrace tcp -e read
