#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace-watch.service, as it is shipped: systemd's notices, reload, watchdog; a container of docker that fails has a dump and an entry in the journal
# witness: docker's exit status and id; systemctl, journalctl
# requires: v2,torture
# kernels: runtimes
# timeout: 200
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

versions docker.io systemd
load
image "$tmp"
docker_up /var/lib/ctrace-docker --exec-opt native.cgroupdriver=cgroupfs
program=$(command -v ctrace)
sed "s|/usr/bin/ctrace|$(readlink -f "$program")|" "$top/userspace/packaging/ctrace-watch.service" > /run/systemd/system/ctrace-watch.service
later "rm /run/systemd/system/ctrace-watch.service; systemctl daemon-reload"
mkdir -p /etc/ctrace
sed 's/^#seconds = 30/seconds = 3/' "$top/userspace/packaging/watch.conf" > /etc/ctrace/watch.conf
later "rm -r /etc/ctrace/watch.conf /var/lib/ctrace/watch"
check "the configuration that is shipped" ctrace watch --check
systemctl daemon-reload
if systemd-analyze --version > /dev/null 2>&1; then
	same "systemd has nothing against the unit" '' "$(systemd-analyze verify /run/systemd/system/ctrace-watch.service 2>&1 | grep ctrace-watch | grep -v "'man ctrace-watch(1)' failed")"
fi
check "it starts, and says so" systemctl start ctrace-watch
later "systemctl stop ctrace-watch"
has "its status" 'Status: "recording into 64.0M, 2 triggers' <(systemctl status ctrace-watch)
has "ctrace status knows it" '^watch: runs \(pid [0-9]+\)' <(ctrace status)
docker_run web -- /bin/sh -c 'sleep 5; exit 3'
same "docker's word of its end" 3 "$(docker wait web)"
dump=''
dumped() { dump=$(find /var/lib/ctrace/watch -maxdepth 1 -name '2*-web-exit-3' | tail -n 1); [ -n "$dump" ]; }
wait_for 60 dumped
check "a dump" test -n "$dump"
same "reports were written inside the unit" 'written written written' "$(jq -r '.reports | [.[]] | join(" ")' "$dump/reason.json")"
entry() { journalctl --no-pager -o json MESSAGE_ID=5b2c9f0d8a8f4c0b9d7b6f4f0c1e7a35 | tail -n 1; }
check "an entry in the journal" wait_for 20 sh -c 'journalctl --no-pager -o json MESSAGE_ID=5b2c9f0d8a8f4c0b9d7b6f4f0c1e7a35 | grep -q CTRACE_DUMP'
same "whose" "web $id ${dump##*/}" "$(entry | jq -r '"\(.CONTAINER_NAME) \(.CONTAINER_ID_FULL) \(.CTRACE_DUMP_ID)"')"
pid=$(systemctl show -p MainPID --value ctrace-watch)
echo 'secnds = 4' >> /etc/ctrace/watch.conf
systemctl reload ctrace-watch
check "a wrong file: the status says so" wait_for 10 sh -c 'systemctl status ctrace-watch | grep -q "old one goes on"'
sed -i '$d' /etc/ctrace/watch.conf
systemctl reload ctrace-watch
check "a good one" wait_for 10 sh -c 'systemctl status ctrace-watch | grep -q "recording into"'
same "the same process" "$pid" "$(systemctl show -p MainPID --value ctrace-watch)"
kill -9 "$pid"
again() { [ "$(systemctl is-active ctrace-watch)" = active ] && [ "$(systemctl show -p MainPID --value ctrace-watch)" != "$pid" ]; }
check "killed: systemd starts it again" wait_for 20 again
check "stop" systemctl stop ctrace-watch
same "it ended well" success "$(systemctl show -p Result --value ctrace-watch)"
