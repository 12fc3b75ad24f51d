#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container that is gone with its files before anyone looks has its name in trace, record, report and --follow
# witness: files that go with the notice of the birth, or half a second after; podman run --rm under
#	three readers
# requires: podman,v2
# timeout: 200
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# On v1 a container enters its hierarchies one by one, and lines that are printed before the one with its id say pidns-NUMBER.

# start NAME COMMAND ARG...: ctrace in the background, its output in $tmp/NAME.out; $job
start() {
	local name=$1
	shift
	ctrace "$@" > "$tmp/$name.out" 2> "$tmp/$name.err" & job=$!
	jobs+=("$job")
	later "kill $job"
	# shellcheck disable=SC2016 # for the inner shell
	wait_for 20 bash -c '[ "$(ctrace status --json | jq "[.sessions[] | select(.recording)] | length")" -ge $0 ]' ${#jobs[@]} ||
		give_up "$name does not record: $(cat "$tmp/$name.err")"
}
# short NAME: a container of docker that makes some calls, and whose files go before the recorder's next second
short() {
	local id
	id=$(hex64 "$1")
	mkdir -p "/var/lib/docker/containers/$id"
	printf '{"ID": "%s", "Name": "/%s", "Config": {"Image": "i", "Labels": {}}}\n' "$id" "$1" > "/var/lib/docker/containers/$id/config.v2.json"
	ctbox -g "/docker/$id" -- /bin/sh -c 'counted 91 3'
	sleep "$late"
	rm -r "/var/lib/docker/containers/$id"
}
# who NAME: the containers of the marked calls
who() { grep '^{' "$1" | jq -r 'select(.fields.who == 91) | .container' | sort -u | xargs; }

load
[ ! -e /var/lib/docker ] || give_up "this machine has docker"
later "rm -rf /var/lib/docker"
# podman's first run is slower than those that follow
podman_run first true
# Half a second after, or what twenty looks at the containers take where that is more.
late=$({ TIMEFORMAT=%R; time ctrace ps > /dev/null; } 2>&1 | awk '{t = 20 * $1; print (t > 0.5 ? t : 0.5)}')
note "files go ${late} s after"
jobs=()
start all trace all --json -e getpriority
start record record all -e getpriority -o "$tmp/rec"
start follow trace --follow 'short-*' --json -e getpriority
names=()
for i in 1 2 3; do
	short "short-$i"
	names+=("short-$i")
done
for i in 4 5; do
	podman --cgroup-manager=cgroupfs run --rm --name "short-$i" --network=none --cgroupns=private -e "PATH=$inner_path" -v /usr:/usr:ro \
		-v "$top:/ctrace:ro" --rootfs "$tmp/podman-rootfs" counted 91 3 > "$tmp/podman" 2>&1 || note "$(tail -n 3 "$tmp/podman")"
	names+=("short-$i")
done
kill "${jobs[@]}"
wait "${jobs[@]}"
ctrace report --json "$tmp/rec" > "$tmp/report.out" 2> "$tmp/report.err"
for out in all follow report; do same "$out" "${names[*]}" "$(who "$tmp/$out.out")"; done
same "all calls, followed" $((5 * 3)) "$(grep '^{' "$tmp/follow.out" | jq -c 'select(.event | test("entry"))' | wc -l)"
same "a recording's containers, chosen by name" "short-3 short-5" "$(ctrace report --json "$tmp/rec" short-3 short-5 2> /dev/null > "$tmp/chosen"; who "$tmp/chosen")"
