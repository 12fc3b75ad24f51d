#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: packets that a network namespace receives, and those its kernel sends, are its container's
# witness: a veth pair; the length of a datagram shows its sender; a second container in the namespace,
#	one that began before the owner, ends of containers and namespaces, a timer's sending; before, all that
#	was received was the host's
# requires: any
# kernels: 5.10, newest
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

modprobe veth 2> /dev/null
ip netns add ctr0 2> /dev/null || skip "no network namespaces"
later "ip netns del ctr0"
ip link add ctr-h type veth peer name ctr-c || skip "no veth"
later "ip link del ctr-h"
ip link set ctr-c netns ctr0
ip addr add 10.77.0.1/24 dev ctr-h
ip link set ctr-h up
ip -n ctr0 addr add 10.77.0.2/24 dev ctr-c
ip -n ctr0 link set ctr-c up
ip -n ctr0 link set lo up
# else the datagrams sent first use up what its kernel may answer in a second
nsenter --net=/run/netns/ctr0 sh -c 'echo 0 > /proc/sys/net/ipv4/icmp_ratelimit'
load
events=(-e net_dev_queue -e net_dev_xmit -e net_if_receive_skb -e inet_sock_set_state)

# box NAME NETNS COMMAND...: a container in the network namespace, as if CNI had made that for it; sets $pid, $cid.
# (`ip netns exec` would hide the cgroups.)
box() {
	local name=$1 ns=$2
	shift 2
	nsenter --net="/run/netns/$ns" ctbox -i "$tmp/$name.pid" -g "/box/$(hex64 "$name")" -- "$@" > "$tmp/$name.out" 2>&1 &
	later "kill -9 \$(cat $tmp/$name.pid)"
	wait_for 20 test -s "$tmp/$name.pid" || give_up "no container $name: $(cat "$tmp/$name.out")"
	pid=$(cat "$tmp/$name.pid")
	cid=$(of_pid "$pid" cid)
	[ -n "$cid" ] || give_up "container $name is not known"
}
# At the device a datagram has 42 bytes more, of which it has lost 14 where it is received.
datagrams() { # datagrams TO LENGTH: sends 20
	local i
	for ((i = 0; i < 20; i++)); do printf "%0$2d" 0 > "/dev/udp/$1/9"; done
}
# whose FILE: prints "NAME DEVICE LENGTH CID TIMES" of the datagrams' events
whose() {
	sed -nE 's/^[0-9]+ (net_[a-z_]+) cid=([0-9]+) .*[ ]len=([0-9]+) name="([a-z-]+)".*/\1 \4 \3 \2/p' "$1" | sort | uniq -c |
		awk '{print $2, $3, $4, $5, $1}'
}
now() { whose "$tmp/ev" > "$tmp/whose"; }
# received TEXT LENGTH CID: the 20 datagrams of that length, at the container's end
arrived() { lines 20 " net_if_receive_skb .*len=$(($1 + 28)) name=\"ctr-c\"" "$tmp/ev"; }
received() {
	wait_for 10 arrived "$2"
	now
	same "$1" "net_if_receive_skb ctr-c $(($2 + 28)) $3 20" "$(grep "^net_if_receive_skb ctr-c $(($2 + 28)) " "$tmp/whose" | paste -sd,)"
}

# --- one container ---------------------------------------------------------------
# shellcheck disable=SC2016 # bash's, perl's
life='until [ -e $0/go ]; do sleep 0.05; done; for ((i = 0; i < 20; i++)); do printf %0300d 0 > /dev/udp/10.77.0.1/9; done
	: > $0/sent; exec perl -e '\''use IO::Socket::INET; $s = IO::Socket::INET->new(LocalPort => 7777, Listen => 5, ReuseAddr => 1) or die;
	while ($c = $s->accept) { <$c>; print $c "x\n"; close $c }'\'
datagrams 10.77.0.2 10	# the host's, before the namespace is a container's
box web ctr0 bash -c "$life" "$tmp"
web=$cid webpid=$pid
dump "$tmp/ev" -t all "${events[@]}"
all=$dumping
dump "$tmp/one" -t "cid:$web" "${events[@]}"
one=$dumping
dump "$tmp/above" -t "cgroup:$(cgroup_dirs /box | head -n 1)" "${events[@]}"
above=$dumping
datagrams 10.77.0.2 100
: > "$tmp/go"
wait_for 20 test -e "$tmp/sent"
sleep 0.5
received "received by the container" 100 "$web"
at_least "what its kernel answers is the container's, too" 1 "$(awk -v c="$web" '$1 == "net_dev_queue" && $2 == "ctr-c" && $3 == 170 && $4 == c {n += $5} END {print n}' "$tmp/whose")"
has_not "and nobody else's" "ctr-c (170|128) $((web == 1 ? 2 : 0)) " "$tmp/whose"
for e in "queue ctr-c 342" "xmit ctr-c 342"; do
	same "net_dev_$e: sent by the container" "net_dev_$e $web 20" "$(grep "^net_dev_$e " "$tmp/whose" | paste -sd,)"
done
same "received by the host" "net_if_receive_skb ctr-h 328 0 20" "$(grep "^net_if_receive_skb ctr-h 328 " "$tmp/whose" | paste -sd,)"
has_not "nothing at the host's end is the container's" " ctr-h [0-9]+ $web " "$tmp/whose"
same "a session for the container gets them" "net_if_receive_skb ctr-c 128 $web 20" "$(whose "$tmp/one" | grep 'receive_skb ctr-c 128 ')"
same "and one for a cgroup above it" "net_if_receive_skb ctr-c 128 $web 20" "$(whose "$tmp/above" | grep 'receive_skb ctr-c 128 ')"
same "the former gets nothing else" "$web" "$(cids "$tmp/one" .)"

if command -v perl > /dev/null && tplist | grep -qx inet_sock_set_state; then
	wait_for 10 bash -c 'exec 5<> /dev/tcp/10.77.0.2/7777; echo x >&5; read -r _ <&5'
	sleep 0.3
	has "a connection that a packet opens is the container's" "set_state cid=$web .* sport=7777 .*newstate=1 " "$tmp/ev"
	has_not "and not the host's" "set_state cid=0 .* sport=7777 " "$tmp/ev"
fi

# --- packets held back, and sent by a timer -----------------------------------------
if nsenter --net=/run/netns/ctr0 tc qdisc add dev ctr-c root netem delay 20ms 2> /dev/null ||
	nsenter --net=/run/netns/ctr0 tc qdisc add dev ctr-c root tbf rate 50kbit burst 2k limit 100k 2> /dev/null; then
	# shellcheck disable=SC2016 # bash's
	box sender ctr0 bash -c 'for ((i = 0; i < 20; i++)); do printf %0400d 0 > /dev/udp/10.77.0.1/9; done; sleep 10000'
	sleep 3
	now
	# A socket knows its v2 cgroup only. Where that says nothing, the namespace does.
	if [ "$(cgroup_mode)" = v2 ]; then owner=$cid; else owner=$web; fi
	same "held: sent by the timer" "net_dev_xmit ctr-c 442 $owner 20" "$(grep "^net_dev_xmit ctr-c 442 " "$tmp/whose" | paste -sd,)"
	nsenter --net=/run/netns/ctr0 tc qdisc del dev ctr-c root
else
	note "no qdisc that holds back"
	box sender ctr0 sleep 10000
fi
sender=$cid senderpid=$pid

# --- a second container in the namespace, and the first one's end --------------------
sleep 0.3
datagrams 10.77.0.2 110
sleep 0.3
received "with a second container in the namespace: the first one's" 110 "$web"
dies() { # dies PID CID: ends that container, and waits until it is forgotten
	kill -9 "$1"
	wait_for 20 bash -c "! subscribe | awk '\$2 == $2 {f = 1} END {exit !f}'"
}
dies "$webpid" "$web"
subscribe > /dev/null	# looks at all tasks
datagrams 10.77.0.2 120
sleep 0.3
received "the first one is gone: the second one's" 120 "$sender"
dies "$senderpid" "$sender"
datagrams 10.77.0.2 130
sleep 0.3
received "both are gone: nobody's" 130 0
nsenter --net=/run/netns/ctr0 bash -c 'exit'	# a program of the host
box next ctr0 sleep 10000
next=$cid
datagrams 10.77.0.2 150
sleep 0.3
received "a third one executes its program there: that one's" 150 "$next"

# --- one that began before the owner executes a program there after it -----------------
# As if the module had come while a pod ran, and had seen the app's program before it saw the pause container.
ip netns add pod
later "ip netns del pod"
ip -n pod link set lo up
rm -f "$tmp/go"
# shellcheck disable=SC2016 # bash's
cheap pause -g "/box/$(hex64 pause)" -- bash -c 'until [ -e $0/go ]; do sleep 0.05; done; exec nsenter --net=/run/netns/pod sleep 10000' "$tmp"
pause=$(of_pid "$pid" cid)
box app pod sleep 10000
local_to() { nsenter --net=/run/netns/pod bash -c "printf %0$1d 0 > /dev/udp/127.0.0.1/9"; }
local_owner() { sleep 0.3; now; grep "^net_if_receive_skb lo $(($1 + 28)) " "$tmp/whose"; }
local_to 700
same "the only one in it" "net_if_receive_skb lo 728 $cid 1" "$(local_owner 700)"
: > "$tmp/go"
wait_for 20 grep -qx sleep "/proc/$(cat "$tmp/pause.pid")/comm"
local_to 710
same "one that began before it is the owner from then on" "net_if_receive_skb lo 738 $pause 1" "$(local_owner 710)"
box third pod sleep 10000
local_to 720
same "and stays it, beside one that began later" "net_if_receive_skb lo 748 $pause 1" "$(local_owner 720)"

# --- a namespace that is made where a container's was ---------------------------------
for i in 1 2 3 4 5; do
	ip netns add "ctr$i"
	later "ip netns del ctr$i"
	ip -n "ctr$i" link set lo up
	box "short$i" "ctr$i" sleep 10000
	nsenter --net="/run/netns/ctr$i" bash -c "printf %0$((500 + i))d 0 > /dev/udp/127.0.0.1/9"
	shorts="${shorts:-} $i:$cid"
	kill -9 "$pid"
	wait_for 10 test ! -e "/proc/$pid"
	ip netns del "ctr$i"
	ip netns add "ctr$i"
	ip -n "ctr$i" link set lo up
	for _ in 1 2 3; do nsenter --net="/run/netns/ctr$i" bash -c "printf %0$((600 + i))d 0 > /dev/udp/127.0.0.1/9"; done
done
sleep 0.3
kill "$all" "$one" "$above"
wait "$all" "$one" "$above"
now
for i in $shorts; do
	same "namespace $i, a container's" "net_if_receive_skb lo $((528 + ${i%:*})) ${i#*:} 1" "$(grep "^net_if_receive_skb lo $((528 + ${i%:*})) " "$tmp/whose" | paste -sd,)"
	same "its successor is the host's" "net_if_receive_skb lo $((628 + ${i%:*})) 0 3" "$(grep "^net_if_receive_skb lo $((628 + ${i%:*})) " "$tmp/whose" | paste -sd,)"
done

# --- a container that is older than the module ------------------------------------------
unload
load
next=$(of_pid "$(cat "$tmp/next.pid")" cid)
dump "$tmp/ev" -t all "${events[@]}"
datagrams 10.77.0.2 140
sleep 0.3
stop_dump
received "older than the module" 140 "$next"
