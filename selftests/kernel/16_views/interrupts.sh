#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: of a wait for a CPU, blame tells what interrupts took: soft interrupts of the network, in the time of a container that sends
# witness: /proc/stat's irq and softirq of that CPU, for a share of it
# requires: any
# timeout: 90
# processors: the second one is the place where containers wait
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../starve.sh
. "$here/starve.sh"

ip link set lo up
# Each datagram is sent to a hundred sockets, which the soft interrupt does.
cat > "$tmp/flood" << 'END'
use Socket;
for (1 .. 100) {
	socket(my $s, PF_INET, SOCK_DGRAM, 0) or die "socket: $!";
	setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
	setsockopt($s, SOL_SOCKET, SO_BROADCAST, 1);
	bind($s, sockaddr_in(9999, INADDR_ANY)) or die "bind: $!";
	push @s, $s;
}
$to = sockaddr_in(9999, inet_aton("127.255.255.255"));
send($s[0], "x", 0, $to) or die "send: $!";
syswrite(STDOUT, "sends\n");
while (1) { send($s[0], "x", 0, $to) }
END
docker_box victim "taskset -p 2 \$\$ > /dev/null; $spin"
share 1 2
docker_box flood "exec taskset 2 perl $tmp/flood 2>&1"
flood=$pid
share 10000 262144
wait_for 20 grep -q sends "$tmp/flood.out" || give_up "no flood: $(cat "$tmp/flood.out")"

# look SECONDS: $ours is what the view says of interrupts, $taken what /proc/stat says of this CPU, and $at_least of that in the look
# itself, which is shorter than the command; ms
cpu() { awk '/^cpu1 / {print ($7 + $8) * 10}' /proc/stat; }
now() { date +%s%3N; }
look() {
	local from before
	from=$(cpu) before=$(now)
	ctrace blame victim --duration "$1" --json > "$tmp/json" 2> "$tmp/err"
	taken=$(($(cpu) - from))
	at_least=$((taken * $1 * 1000 / ($(now) - before)))
	ours=$(jq '[.rows[].culprits[] | select(.culprit == "interrupts") | .waited] | add // 0 | . / 1e6 | floor' "$tmp/json")
	note "$(jq -c '.rows' "$tmp/json")"
}

look 3
[ "$taken" -ge 100 ] || skip "this kernel accounts for no time of interrupts: $taken ms"
at_least "interrupts take much of the CPU, ms" 500 "$taken"
at_least "the victim waits, ms" 2000 "$(waited "$tmp/json")"
in_range "interrupts' part of its waits, ms, as /proc/stat has it" $((at_least * 6 / 10)) $((taken + 50)) "$ours"
ctrace blame victim --duration 1 > "$tmp/out" 2> "$tmp/err"
has "by their name" '^ +\(interrupts\) +[0-9.]+ +[0-9.]+% *$' "$tmp/out"
kill -9 "$flood"

hog
wait_for 20 starved "$(cat "$tmp/victim.pid")"
look 1
in_range "without the flood, ms" 0 $((taken + 50)) "$ours"
at_least "which is little, ms" "$ours" 200
kill -9 "$hog"
