#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: packets belong to the container whose socket sends them, even when another's interrupt sends them out
# witness: the length of a datagram shows its sender; over lo, sent at once and by a timer (netem), while
#	both containers spin; counts of tracefs; current in on_start_xmit fails it
# requires: v2,v1
# kernels: 5.10, newest
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events > "$tmp/events"
! grep -q '^net_dev_xmit .*not here' "$tmp/events" || skip "the kernel does not tell whose packet is sent (before 3.14)"
ip link set lo up
tracing on net/net_dev_queue net/net_dev_xmit net/netif_receive_skb
events=(-e net_dev_queue -e net_dev_xmit -e net_if_receive_skb)

# sends 30 datagrams of the given length to a port where nothing listens; each sender has a length of its own,
# and is 42 more at the device
sender="until [ -e $tmp/go ]; do sleep 0.05; done
	for ((i = 0; i < 30; i++)); do printf %0\$0d 0 > /dev/udp/127.0.0.1/9; done; : > $tmp/done.\$0; while :; do :; done"
run() {
	rm -f "$tmp"/go "$tmp"/done.*
	cheap "a$1" -g "/box/$(hex64 "a$1")" -- bash -c "$sender" 100
	a=$(of_pid "$pid" cid)
	cheap "b$1" -g "/box/$(hex64 "b$1")" -- bash -c "$sender" 300
	b=$(of_pid "$pid" cid)
	tracing clear
	dump "$tmp/ev" -t all "${events[@]}"
	all=$dumping
	dump "$tmp/one" -t "cid:$a" "${events[@]}"
	one=$dumping
	: > "$tmp/go"
	wait_for 30 test -e "$tmp/done.100" -a -e "$tmp/done.300" || give_up "the senders did not end"
	sleep 0.5
	kill "$all" "$one"
	wait "$all" "$one"
	tracing read > "$tmp/kernel"
	sed -nE 's/^[0-9]+ (net_[a-z_]+) (cid=[0-9]+) .*[ ](len=[0-9]+) name="lo".*/\1 \3 \2/p' "$tmp/ev" | sort | uniq -c |
		awk '{print $2, $3, $4, $1}' > "$tmp/whose"
	note "$1: $(cat "$tmp/whose")"
	for name in net_dev_queue net_dev_xmit net_if_receive_skb; do
		kernel=${name/net_if/netif}
		for len in 142 342; do
			# a received packet has lost the link's 14 bytes already
			[ $name != net_if_receive_skb ] || len=$((len - 14))
			same "$1: $name of length $len, as often as the kernel says" "$(grep -c " $kernel: .*dev=lo .*len=$len\b" "$tmp/kernel")" \
				"$(grep "^$name len=$len " "$tmp/whose" | awk '{n += $4} END {print n + 0}')"
		done
	done
	same "$1: queued by the one" "net_dev_queue len=142 cid=$a 30" "$(grep "^net_dev_queue len=142 " "$tmp/whose" | paste -sd,)"
	same "$1: queued by the other" "net_dev_queue len=342 cid=$b 30" "$(grep "^net_dev_queue len=342 " "$tmp/whose" | paste -sd,)"
	has_not "$1: nothing the one sent or was sent is the other's" "len=(142|128) cid=$b " "$tmp/whose"
	has_not "$1: and the other way round" "len=(342|328) cid=$a " "$tmp/whose"
	has_not "$1: what the kernel answers is nobody's" "^net_dev_queue len=(170|370) cid=[1-9]" "$tmp/whose"
	same "$1: a session for the one gets nothing else" "$a" "$(cids "$tmp/one" .)"
	same "$1: and all that it sent" 30 "$(grep -c ' net_dev_queue .*len=142 ' "$tmp/one")"
	has "$1: sent without error" ' net_dev_xmit .* rc=0 len=142 name="lo"$' "$tmp/ev"
}

run direct
same "direct: sent by the one" "net_dev_xmit len=142 cid=$a 30" "$(grep "^net_dev_xmit len=142 " "$tmp/whose" | paste -sd,)"

# packets held back for a while, and then sent by a timer
if tc qdisc add dev lo root netem delay 20ms 2> /dev/null || tc qdisc add dev lo root tbf rate 50kbit burst 2k limit 100k 2> /dev/null; then
	later "tc qdisc del dev lo root"
	run held
	# the socket knows its v2 cgroup only
	if [ "$(cgroup_mode)" = v2 ]; then owner=$a; else owner=0; fi
	same "held: sent for the one by the timer" "net_dev_xmit len=142 cid=$owner 30" "$(grep "^net_dev_xmit len=142 " "$tmp/whose" | paste -sd,)"
else
	note "no qdisc that holds back"
fi
