# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # what lib.sh has, and for those who source it
# real.sh: runtimes that people use, started for real, in the guest `runtimes`. Source it after lib.sh.

# The first process of each container runs this: 20 marked calls, the first of them its first call but the
# shell's; 5 more at SIGTERM.
life='counted 7 20; trap "counted 8 5; exit 0" TERM; sleep 1000 & wait'

[ "$(cat /proc/1/comm)" = systemd ] || skip "systemd is not process 1"
# took WHAT: notes the seconds since the test began
took() { note "$1, at $SECONDS s"; }
# versions PACKAGE...: notes the versions that dpkg knows
versions() { note "$(dpkg-query -W -f '${Package} ${Version}\n' "$@")"; }

# name_of CID: prints "NAME RUNTIME" of that container
name_of() { ctrace ps --json | jq -r "select(.cid == $1) | \"\(.name) \(.runtime)\""; }
# cid_of_process PID: prints the cid of the container that PID is in
cid_of_process() { ctrace explain "pid:$1" --json | jq .cid; }
# of_id ID FIELD: as of_pid, of the container whose id that is
of_id() { subscribe | awk -v id="$1" -v f="$(field "$2")" '$9 == id && $6 !~ /[13579bdf]$/ {print $f}'; }

# lives LABEL NAME RUNTIME: the life of one container, from its first call to its last. These functions are the
# caller's, of LABEL:
#	LABEL_start		starts it with $life, and sets $pid to its init, as the host has it
#	LABEL_exec COMMAND...	runs a command in it
#	LABEL_stop		ends it by SIGTERM
#	LABEL_meanwhile		more checks while it runs, if there are any
# It sets $cid. Every call that was made must be there, with one cid. The monitor ($monitor, or else the parent
# of the init) must be in container $monitor_in, or else the host's.
lives() {
	local label=$1 ev=$tmp/$1.ev
	monitor='' monitor_in=0
	dump "$ev" -d 2000 -t all -e syscall:getpriority
	"$1_start"
	wait_for 60 lines 20 'entry_getpriority.*who=7( |$)' "$ev" || give_up "$1: no calls of its init"
	took "$1 runs"
	cid=$(cid_of_process "$pid")
	check "$1: it is a container" test "${cid:-0}" -gt 0
	same "$1: by name" "$2 $3" "$(name_of "$cid")"
	monitor=${monitor:-$(ps -o ppid= -p "$pid" | tr -d ' ')}
	note "$1: its monitor: $(cat "/proc/$monitor/comm")"
	same "$1: whose the monitor is" "$monitor_in" "$(cid_of_process "$monitor")"
	"$1_exec" counted 9 10 > "$tmp/exec" 2>&1 < /dev/null || not_ok "$1: exec: $(tail -n 3 "$tmp/exec")"
	[ -z "$(declare -F "$1_meanwhile")" ] || "$1_meanwhile"
	"$1_stop" > "$tmp/stop" 2>&1
	wait_for 20 lines 5 'entry_getpriority.*who=8( |$)' "$ev" || note "$(cat "$tmp/stop")"
	stop_dump
	same "$1: the cid of every marked call" "$cid" "$(cids "$ev" 'entry_getpriority.*who=[789]( |$)')"
	same "$1: calls of init, of exec, of the end" "20 10 5" "$(calls_of "$ev" 7 9 8)"
	took "$1 has ended"
}
# calls_of FILE WHO...: prints how many marked calls each WHO made
calls_of() {
	local f=$1 who
	shift
	for who; do grep -cE "entry_getpriority.*who=$who( |\$)" "$f"; done | xargs
}

# wire PID: gives PID's network namespace the device pod-c, 10.78.0.2, whose other end the host has: 10.78.0.1
wire() {
	modprobe veth 2> /dev/null
	# the last pod's namespace ends some time after its processes
	wait_for 20 wired "$1" || give_up "no veth: $(ip link add pod-h type veth peer name pod-c netns "$1" 2>&1)"
	later "ip link del pod-h"
	ip addr add 10.78.0.1/24 dev pod-h
	ip link set pod-h up
	# a program of the host: it makes no container the owner
	nsenter -t "$1" -n sh -c 'ip addr add 10.78.0.2/24 dev pod-c; ip link set pod-c up; ip link set lo up'
}
wired() { ip link add pod-h type veth peer name pod-c netns "$1"; }
# packets LABEL TARGET OWNER SENDER EXEC...: the container SENDER, where EXEC runs a command, shares the wired network
# namespace of the container OWNER. What the namespace receives is OWNER's, what SENDER sends is its own, and a trace
# of TARGET, a pod, has both.
packets() {
	local label=$1 target=$2 owner=$3 sender=$4 was=$dumping job one i
	shift 4
	# shellcheck disable=SC2016 # for the inner shell
	setsid bash -c 'trap - INT; exec ctrace trace "$0" --json -e net_if_receive_skb,net_dev_queue' "$target" \
		> "$tmp/net" 2> "$tmp/net.err" & job=$!
	later "kill -9 $job"
	# shellcheck disable=SC2016 # for the inner shell
	wait_for 20 bash -c 'ctrace status --json | jq -e ".sessions[] | select(.name == \"ctrace\" and .recording)"' ||
		give_up "$label: no trace of $target: $(cat "$tmp/net.err")"
	dump "$tmp/one" -t "cid:$sender" -e net_if_receive_skb -e net_dev_queue
	one=$dumping dumping=$was
	# In the tracepoints a packet has 28 bytes more than its text, and as it is sent the link's 14, too.
	for ((i = 0; i < 20; i++)); do printf %0100d 0 > /dev/udp/10.78.0.2/9; done
	"$@" bash -c 'for ((i = 0; i < 20; i++)); do printf %0300d 0 > /dev/udp/10.78.0.1/9; done' < /dev/null > "$tmp/exec" 2>&1 ||
		not_ok "$label: exec: $(tail -n 3 "$tmp/exec")"
	wait_for 10 lines 20 'net_dev_queue .*len=342 ' "$tmp/one"
	wait_for 10 bash -c "[ \$(jq -c 'select(.fields.len == 128 or .fields.len == 342)' $tmp/net 2> /dev/null | wc -l) -ge 40 ]"
	kill -INT "$job"
	wait "$job"
	kill "$one"
	wait "$one"
	same "$label: what the pod receives is that of its first container" "20 $owner" "$(net_cids net_if_receive_skb 128)"
	same "$label: what a container sends is its own" "20 $sender" "$(net_cids net_dev_queue 342)"
	same "$label: by itself it has sent them" 20 "$(grep -c 'net_dev_queue .*len=342 ' "$tmp/one")"
	has_not "$label: and received nothing" net_if_receive_skb "$tmp/one"
}
# net_cids EVENT LENGTH: prints "TIMES CID" of those packets at the pod's device
net_cids() {
	jq -r "select(.event == \"$1\" and .fields.name == \"pod-c\" and .fields.len == $2) | .cid" "$tmp/net" | sort | uniq -c | xargs
}

# image DIR: an image that has nothing but places for the host's own programs (lib.sh: rootfs), as a tar
image() {
	rootfs "$1/image"
	tar -C "$1/image" -c . > "$1/image.tar"
}

# alice_up: starts the manager of alice, who has no privileges; as_alice COMMAND...: runs one as her
alice_up() {
	[ -S /run/user/1000/bus ] || systemctl start user@1000.service || give_up "alice has no manager"
	wait_for 20 test -S /run/user/1000/bus || give_up "alice has no bus"
	took "alice's manager runs"
}
as_alice() {
	(cd /home/alice && exec setpriv --reuid 1000 --regid 1000 --init-groups env HOME=/home/alice USER=alice \
		XDG_RUNTIME_DIR=/run/user/1000 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus "$@")
}

# split_run NAME [OPTION]... -- COMMAND...: sets $name, $opts and $command, which are the caller's
split_run() {
	name=$1 opts=()
	shift
	while [ "$1" != -- ]; do
		opts+=("$1")
		shift
	done
	command=("${@:2}")
}

# --- docker ---------------------------------------------------------------------------

# docker_up DIR OPTION...: starts a dockerd with its state in DIR. It has no bridge and no iptables: the
# containers have no network.
docker_up() {
	local dir=$1
	shift
	mkdir -p "$dir"
	dockerd --host "unix://$dir/docker.sock" --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/pid" \
		--bridge=none --iptables=false --ip-forward=false --ip-masq=false "$@" > "$dir/log" 2>&1 &
	later "kill $!; wait $!"
	later "docker ps -q | xargs -r docker kill"
	export DOCKER_HOST=unix://$dir/docker.sock
	wait_for 60 docker_answers "$dir/docker.sock" || give_up "no dockerd: $(tail -n 5 "$dir/log")"
	docker import "$tmp/image.tar" box > "$tmp/import" 2>&1 || give_up "docker import: $(cat "$tmp/import")"
	took "dockerd runs"
}
docker_answers() { [ -S "$1" ] && docker version; }
# docker_run NAME [OPTION]... -- COMMAND...: starts a container; sets $id and $pid
docker_run() {
	local name opts command
	split_run "$@"
	id=$(docker run -d --name "$name" --network=none --log-driver=none --stop-timeout=60 -e "PATH=$inner_path" \
		-v /usr:/usr:ro -v "$top:/ctrace:ro" "${opts[@]}" box "${command[@]}" 2> "$tmp/docker.err") ||
		give_up "docker run $name: $(tail -n 3 "$tmp/docker.err")"
	pid=$(docker inspect -f '{{.State.Pid}}' "$name")
}

# --- containerd -----------------------------------------------------------------------

# containerd_up COMMAND...: starts containerd by COMMAND (env, unshare), where it has its state on any machine
containerd_up() {
	printf 'version = 2\nroot = "%s"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n' "$tmp/containerd" \
		> "$tmp/containerd.toml"
	"$@" containerd --config "$tmp/containerd.toml" > "$tmp/containerd.log" 2>&1 &
	later "kill $!; wait $!"
	later "ctr task ls -q | xargs -r -n 1 ctr task rm -f"
	wait_for 60 ctr version || give_up "no containerd: $(tail -n 5 "$tmp/containerd.log")"
	took "containerd runs"
}
# ctr_run NAME [OPTION]... -- COMMAND...: starts a container of containerd; sets $pid
ctr_run() {
	local name opts command
	split_run "$@"
	[ -d "$tmp/image" ] || image "$tmp"
	ctr run -d --null-io --rootfs --env "PATH=$inner_path" --mount type=bind,src=/usr,dst=/usr,options=rbind:ro \
		--mount "type=bind,src=$top,dst=/ctrace,options=rbind:ro" "${opts[@]}" "$tmp/image" "$name" "${command[@]}" \
		> "$tmp/ctr" 2>&1 < /dev/null || give_up "ctr run $name: $(tail -n 3 "$tmp/ctr")"
	pid=$(ctr task ls | awk -v n="$name" '$1 == n {print $2}')
}
# ctr_exec NAME COMMAND...
ctr_exec() { local n=$1; shift; ctr task exec --exec-id "e$SECONDS" "$n" "$@"; }
