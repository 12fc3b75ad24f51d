#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace tcp: connections that began before it are counted, and --summary has the bytes that they carry meanwhile: those that
#	stay open and those that end, in the machine's network namespace and in one of a container's own, which is not kept by the look
# witness: ss -tin in the namespaces, /proc/net/tcp; bytes as the programs count them
# columns: tcp: OPEN TX RX ENDED BEFORE
# requires: v2
# timeout: 120
# shellcheck disable=SC2016 # perl's and jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tcp.sh
. "$here/tcp.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
command -v ss > /dev/null || skip "no ss"
# since Linux 5.9 the kernel says in which cgroup a socket was made
kernel_before 5.9 && skip "no cgroup of a socket"
load
ip link set lo up
signs='use IO::Socket::INET; $| = 1; sub await { select undef, undef, undef, 0.02 until -e "'$tmp'/$_[0]" } sub mark { open my $f, ">", "'$tmp'/$_[0]" }'
# takes what comes, answers each connection with 300 bytes
cat > "$tmp/server.pl" <<- END
	$signs
	\$SIG{PIPE} = "IGNORE"; \$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7811, Listen => 5, ReuseAddr => 1) or die "\$@";
	\$select = "";
	mark "listens.\$ARGV[0]";
	vec(\$select, fileno \$s, 1) = 1;
	while (1) {
		select \$r = \$select, undef, undef, undef;
		if (vec \$r, fileno \$s, 1) { \$c = \$s->accept; \$of{fileno \$c} = \$c; vec(\$select, fileno \$c, 1) = 1; syswrite \$c, "y" x 300 }
		for (keys %of) { next unless vec \$r, \$_, 1; next if sysread \$of{\$_}, \$b, 65536; vec(\$select, \$_, 1) = 0; delete \$of{\$_} }
	}
END
# NAME FIRST THEN ENDS: connects, sends FIRST bytes, gets the answer; when it is told, sends THEN more, and perhaps ends
cat > "$tmp/client.pl" <<- END
	$signs
	(\$name, \$first, \$then, \$ends) = @ARGV;
	\$c = IO::Socket::INET->new("127.0.0.1:7811") or die "\$@"; syswrite \$c, "x" x \$first; \$n = 0; \$n += sysread \$c, \$b, 1000 while \$n < 300;
	mark "up.\$name"; await "go"; syswrite \$c, "x" x \$then;
	select undef, undef, undef, 0.02 until unpack("Q", substr getsockopt(\$c, 6, 11), 120, 8) > \$first + \$then;
	mark "sent.\$name"; await "end"; close \$c if \$ends; mark "done.\$name"; sleep 1000;
END
# the same in a namespace of its own: both ends
cat > "$tmp/inner.sh" <<- END
	ip link set lo up
	perl $tmp/server.pl inner & 
	until [ -e $tmp/listens.inner ]; do sleep 0.02; done
	exec perl $tmp/client.pl inner 7000 1100 ''
END
docker_box server "exec perl $tmp/server.pl server"
server=$(of_pid "$pid" cid)
wait_for 20 test -e "$tmp/listens.server" || give_up "no server: $(cat "$tmp/server.out")"
docker_box stays "exec perl $tmp/client.pl stays 20000 1000 ''"
stays=$(of_pid "$pid" cid)
docker_box ends "exec perl $tmp/client.pl ends 30000 500 1"
ends=$(of_pid "$pid" cid)
docker_box inner "exec unshare -n sh $tmp/inner.sh"
inner=$(of_pid "$pid" cid) inner_pid=$pid
wait_for 30 test -e "$tmp/up.stays" -a -e "$tmp/up.ends" -a -e "$tmp/up.inner" || give_up "no connections: $(cat "$tmp"/*.out)"
# what is shared with the host ends with the container, if nobody keeps its namespace
wire=''
modprobe veth 2> /dev/null
ip link add inv-h type veth peer name inv-c netns "$inner_pid" 2> "$tmp/wire" && wire=1
look() { # NAME: ss of both namespaces
	ss -tin state established > "$tmp/$1.ss"
	nsenter -t "$inner_pid" -n ss -tin state established > "$tmp/$1-inner.ss"
}
established() { awk '$4 == "01"' "$@" | wc -l; }
look before
before=$(established /proc/net/tcp "/proc/$inner_pid/net/tcp")
tcp summary all --summary --json
tcp own "cid:$stays" --summary
tcp parts all --summary --json --interval 0.5
tcp life all
ctrace record -o "$tmp/rec" -e tcp_connect,tcp_life,tcp_retransmit all 2> "$tmp/rec.err" &
tcps="$tcps $!"
later "kill $!"
wait_for 20 recording 5 || give_up "not all record: $(cat "$tmp"/*.err)"
# one that begins now, and stays
docker_box late "exec perl $tmp/client.pl late 4000 600 ''"
late=$(of_pid "$pid" cid)
wait_for 20 test -e "$tmp/up.late" || give_up "no late connection: $(cat "$tmp/late.out")"
sleep 1.2
: > "$tmp/go"
wait_for 20 test -e "$tmp/sent.stays" -a -e "$tmp/sent.ends" -a -e "$tmp/sent.inner" -a -e "$tmp/sent.late" || give_up "not sent: $(cat "$tmp"/*.out)"
# a look has seen it
carried() { [ "$(jq -s "[.[].rows[] | select(.cid == $ends) | .tx_bytes] | add" "$tmp/parts")" = 500 ]; }
check "an interval has what it sent" wait_for 20 carried
: > "$tmp/end"
wait_for 20 test -e "$tmp/done.ends" || give_up "it did not end"
sleep 1
look after
# shellcheck disable=SC2086
kill -INT $tcps
for p in $tcps; do wait "$p" || not_ok "status $? after Ctrl-C"; done
note "$(cat "$tmp/before.ss" "$tmp/after.ss" "$tmp/before-inner.ss" "$tmp/after-inner.ss" "$tmp/summary" "$tmp/own" "$tmp/life" "$tmp"/*.err)"
# told FILE NAME REMOTE: a number that ss says of the ends in FILE whose other end is the server, or the client, added up
told() {
	awk -v name="$2" -v to="$3" '/^[0-9]/ {mine = to == "server" ? $4 ~ /:7811$/ : $3 ~ /:7811$/}
		mine {for (i = 1; i <= NF; i++) if (index($i, name ":") == 1) n += substr($i, length(name) + 2)} END {printf "%d\n", n}' "$1"
}
row() { jq -c ".rows[] | select(.cid == $2) | $3" "$tmp/$1"; }
same "how many had begun before, as /proc/net/tcp says" "$before" "$(jq .began_before.connections "$tmp/summary")"
same "six: both ends of three" 6 "$before"
same "none is left out" '[0,0]' "$(jq -c '.began_before | [.shared, .left_out]' "$tmp/summary")"
has "it is said" '^ctrace: 6 connections had begun before, 4 of them are still open$' "$tmp/summary.err"
has "lines say it, with the bytes" '^ctrace: 6 connections had begun before, 4 of them are still open: sent 2\.[01]K, received 2\.[01]K meanwhile$' "$tmp/life.err"
same "one that stays: open, with the bytes of the interval" '[1,0,0,1000,0]' "$(row summary "$stays" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')"
same "one that ended: the same" '[0,1,1,500,0]' "$(row summary "$ends" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')"
same "one that began meanwhile: all bytes, and its SYN" '[1,0,0,4601,300]' "$(row summary "$late" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')"
same "the server's ends" '[2,1,1,300,6100]' "$(row summary "$server" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')"
same "in a network namespace of its own: both ends" '[2,0,0,1100,1100]' "$(row summary "$inner" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')"
grown() { echo $(($(told "$tmp/after$1.ss" "$2" "$3") - $(told "$tmp/before$1.ss" "$2" "$3"))); }
same "as ss says of the inner client" 1100 "$(grown -inner bytes_acked server)"
same "and of the inner server" 1100 "$(grown -inner bytes_received client)"
# the client that ended had 30001 of them
same "as ss says of the clients that stay" $((1000 + 4601 - 30001)) "$(grown '' bytes_acked server)"
has "text" "^stays +0 +0 +- +- +- +0 +0 +1 +1000 +0 +" "$tmp/own"
at_least "intervals" 3 "$(jq -s length "$tmp/parts")"
same "bytes of intervals add up" '[1000,500,4601,1100]' "$(jq -sc "[[$stays, $ends, $late, $inner][] as \$c | [.[].rows[] | select(.cid == \$c) | .tx_bytes] | add]" "$tmp/parts")"
same "an end is in one of them" 1 "$(jq -s "[.[].rows[] | select(.cid == $ends) | .before] | add" "$tmp/parts")"
same "each has what is open at its end" '[1]' "$(jq -sc "[.[].rows[] | select(.cid == $stays) | .open] | unique" "$tmp/parts")"
ctrace tcp --summary --json --input "$tmp/rec" > "$tmp/recorded" 2> "$tmp/recorded.err"
same "of a recording: status" 0 $?
for cid in $stays $ends $late $server $inner; do
	same "of a recording: the same of $cid" "$(row summary "$cid" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')" \
		"$(row recorded "$cid" '[.open, .ended, .before, .tx_bytes, .rx_bytes]')"
done
has "it says so, too" '^ctrace: 6 connections had begun before, 4 of them are still open$' "$tmp/recorded.err"
same "of a part of it, what was open is not known" null "$(ctrace tcp --summary --json --input "$tmp/rec" --last 1s 2> /dev/null | jq -c .began_before)"
rm "$tmp/rec/ctrace/sockets.json"
same "nor without the file" null "$(ctrace tcp --summary --json --input "$tmp/rec" 2> /dev/null | jq -c .began_before)"
check "--by dport" ctrace tcp all --summary --by dport --duration 0.2
same "with --by, sockets have no keys: nothing is said" null "$(ctrace tcp all --summary --by comm --duration 0.2 --json 2> /dev/null | jq .began_before)"
# a look does not keep the namespace of a container that ends
if [ -n "$wire" ]; then
	tcp kept all
	wait_for 20 recording 1 || give_up "does not record: $(cat "$tmp/kept.err")"
	kill -9 "$inner_pid"
	gone() { ! ip link show inv-h > /dev/null 2>&1; }
	check "a namespace that was looked at ends with its container" wait_for 30 gone
	kill -INT "${tcps##* }"
	wait "${tcps##* }"
	has "its connections were counted" '^ctrace: [0-9]+ connections had begun before' "$tmp/kept.err"
fi
