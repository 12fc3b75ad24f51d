#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --follow does not lose the container that is meant among very many that are born, and takes no more for each as they get more
# witness: half of 500 (11,000) births have no name; CPU time for each of the few and of the many,
#	memory; the container that is meant is born last. Natively, CPU time of 2,000 and of 20,000 births
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Half of them never get a name: their records wait for four seconds, and that needs room.
# In the everyday suite a few hundred; in 12_torture/follow_births 1,000 and 10,000.
few=${BIRTHS_FEW:-100} all=${BIRTHS_ALL:-400} known=100

load
[ ! -e /var/lib/docker ] || give_up "this machine has docker"
later "rm -rf /var/lib/docker"
docker=$(cgroup_mount)/docker
mkdir -p "$docker"
later "rmdir $docker"
# named ID NAME: docker's file for a container
named() {
	mkdir -p "/var/lib/docker/containers/$1"
	printf '{"ID": "%s", "Name": "/%s", "Config": {"Image": "i", "Labels": {}}}\n' "$1" "$2" > "/var/lib/docker/containers/$1/config.v2.json"
}
for ((i = 1; i <= known; i++)); do named "$(printf %064x "$i")" "db-$i"; done

setsid bash -c 'trap - INT; exec ctrace trace --follow "web*" --json -e getpriority --buffer-size 128M' > "$tmp/out" 2> "$tmp/err" & job=$!
later "kill -9 $job"
# shellcheck disable=SC2016 # for the inner shell
wait_for 20 bash -c 'ctrace status --json | jq -e ".sessions[] | select(.name == \"ctrace\" and .recording)"' || give_up "it does not record: $(cat "$tmp/err")"
# used: sets cpu, the CPU time that ctrace has taken, in ms, and kb, the most memory that it had
used() {
	cpu=$(awk -v hz="$(getconf CLK_TCK)" '{sub(/.*\) /, ""); print int(($12 + $13) * 1000 / hz)}' "/proc/$job/stat")
	kb=$(awk '/^VmHWM:/ {print $2}' "/proc/$job/status")
}
SECONDS=0
used; cpu0=$cpu
manybox births "$docker" 0 "$few" $known || give_up "manybox births"
sleep 5
used; cpu1=$cpu kb1=$kb
note "$few births, at $SECONDS s: $((cpu1 - cpu0)) ms, $kb1 kB"
manybox births "$docker" "$few" $((few + all)) $known || give_up "manybox births"
note "$all more, at $SECONDS s"
named "$(hex64 web)" web
cheap web -g "/docker/$(hex64 web)" -- /bin/sh -c 'counted 64 20; exec sleep 1000'
web=$(of_pid "$pid" cid)
# the shown, in JSON: calls that were entered
shown() { grep '^{' "$tmp/out" | jq -c 'select(.fields.who == 64 and (.event | test("entry")))' 2> /dev/null; }
wait_for 30 bash -c "[ \$(grep -c '\"who\":64' $tmp/out) -ge 20 ]"
note "its calls are shown, at $SECONDS s"
sleep 5
used
note "all, at $SECONDS s: $((cpu - cpu1)) ms, $kb kB"
# Three times as much for each, and a second, are still far from what a look at all others takes.
bound=$((3 * (cpu1 - cpu0) * all / few + 1000))
if [ $((cpu - cpu1)) -le $bound ]; then ok "time: $((cpu - cpu1)) ms"; else
	not_ok "time: expected at most $bound ms, since it took $((cpu1 - cpu0)) ms of $few, seen $((cpu - cpu1)) ms"
fi
bound=$((kb1 + 2 * all + 4096))
if [ "$kb" -le $bound ]; then ok "memory: $kb kB"; else not_ok "memory: expected at most $bound kB, seen $kb kB"; fi
kill -INT "$job"
wait "$job"
same "Ctrl-C: status" 0 $?
same "the last one's calls, from its first" 20 "$(shown | wc -l)"
same "nobody else's" "$web" "$(grep '^{' "$tmp/out" | jq -r '.cid // empty' | sort -un | xargs)"
# Of hundreds that are born in a second without a name, more waits than a shared ring holds. Then the loss is reported.
[ "$all" -gt 1000 ] || has "nothing was lost" ' 0 lost' "$tmp/err"
note "$(tail -n 3 "$tmp/err")"
