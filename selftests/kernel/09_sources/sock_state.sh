#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: inet_sock_set_state: a connection's states, addresses and ports as the kernel's own event has them
# witness: each change compared with tracefs, v4 and v6, both ends in containers; taking the context's
#	owner in on_set_state fails it
# requires: v2,v1
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v perl > /dev/null || skip "no perl to listen"
load
if ! tplist | grep -qx inet_sock_set_state; then
	refuse "before 4.16, without that tracepoint" "inet_sock_set_state" evdump -e inet_sock_set_state -- true
	exit
fi
ip link set lo up
tracing on sock/inet_sock_set_state
client="until [ -e $tmp/go ]; do sleep 0.05; done
	for a in 127.0.0.1 ::1; do until exec 5<> /dev/tcp/\$a/7777; do sleep 0.3; done 2> /dev/null; echo x >&5; read -r _ <&5; exec 5>&-; done
	: > $tmp/done; sleep 1000"
# shellcheck disable=SC2016 # perl's
server='use IO::Socket::IP; for $a ("127.0.0.1", "::1") {
	$s = IO::Socket::IP->new(LocalHost => $a, LocalPort => 7777, Listen => 5, ReuseAddr => 1) or die "$a: $@";
	$c = $s->accept; <$c>; print $c "x\n"; close $c; close $s } sleep 1000'
cheap server -g "/box/$(hex64 server)" -- /bin/sh -c "until [ -e $tmp/go ]; do sleep 0.05; done; exec perl -e '$server'"
b=$(of_pid "$pid" cid)
cheap client -g "/box/$(hex64 client)" -- bash -c "$client"
a=$(of_pid "$pid" cid)
dump "$tmp/ev" -t all -e inet_sock_set_state
: > "$tmp/go"
wait_for 30 test -e "$tmp/done" || give_up "no connection: $(cat "$tmp"/*.out)"
sleep 0.5
stop_dump
tracing read > "$tmp/kernel"

# print both sides as: oldstate newstate sport dport saddr daddr
awk '/ inet_sock_set_state: .*protocol=IPPROTO_TCP/ {
	n = split("ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING NEW_SYN_RECV", s, " ")
	for (i = 1; i <= n; i++) nr["TCP_" s[i]] = i
	for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
	six = v["family"] == "AF_INET6"
	print nr[v["oldstate"]], nr[v["newstate"]], v["sport"], v["dport"], six ? v["saddrv6"] : v["saddr"], six ? v["daddrv6"] : v["daddr"]
}' "$tmp/kernel" | sort > "$tmp/theirs"
awk '/ inet_sock_set_state / {
	for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
	if (v["protocol"] != 6) next
	for (k in v) if (k ~ /addr$/) { gsub(",", ".", v[k]); if (v["family"] == 10)
		v[k] = v[k] ~ /^0[0.]*\.1$/ ? "::1" : v[k] ~ /^0[0.]*$/ ? "::" : v[k] }
	print v["oldstate"], v["newstate"], v["sport"], v["dport"], v["saddr"], v["daddr"]
}' "$tmp/ev" | sort > "$tmp/ours"
at_least "changes of state" 12 "$(wc -l < "$tmp/theirs")"
check "the kernel's own events, one by one" diff "$tmp/theirs" "$tmp/ours"
note "$(sed -E 's/^[0-9]+ //' "$tmp/ev")"

for f in "127,0,0,1:family=2:AF_INET" "0(,0)*,1:family=10:AF_INET6"; do
	IFS=: read -r addr family name <<< "$f"
	# On v1 a socket does not know its container. An answer that a softirq handles, because the client does
	# not hold its socket at that moment, is the network namespace's: the host's.
	answered=$a
	if [ "$(cgroup_mode)" = v1 ] && grep -qE "\] [^ ]*s[^ ]* +[0-9.]+: inet_sock_set_state: family=$name .*oldstate=TCP_SYN_SENT newstate=TCP_ESTABLISHED" "$tmp/kernel"; then
		answered=0
	fi
	# CLOSE to SYN_SENT is the task's change; SYN_SENT to ESTABLISHED comes with the packet that answers.
	has "$family: the client connects" "set_state cid=$a tid=[1-9][0-9]* .*$family protocol=6 .*dport=7777 oldstate=7 newstate=2 " "$tmp/ev"
	has "$family: and is answered" "set_state cid=$answered .*$family protocol=6 .*dport=7777 oldstate=2 newstate=1 saddr=$addr daddr=$addr$" "$tmp/ev"
	has "$family: the server listens" "set_state cid=$b tid=[1-9][0-9]* .*$family protocol=6 sport=7777 dport=0 oldstate=7 newstate=10 " "$tmp/ev"
	if [ "$(cgroup_mode)" = v2 ]; then
		has "$family: the server's end of the connection is the server's" "set_state cid=$b .*$family protocol=6 sport=7777 .*newstate=1 " "$tmp/ev"
	fi
done
has_not "none of the client's is the server's" "set_state cid=$b .*dport=7777 " "$tmp/ev"
has_not "none of the server's is the client's" "set_state cid=$a .*sport=7777 " "$tmp/ev"
