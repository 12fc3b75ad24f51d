#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: no container gets another one's name by an id in its cgroup's name, or by a user's store
# witness: scopes of a user, of a service's user and of a container with the id of podman's container; a
#	store in a home; two that root made
# requires: podman,v2
# kernels: 6.1
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cg=$(cgroup_mount)
# names: what ctrace ps shows, a line "CID NAME" for each container
names() { ctrace ps --json | jq -r '"\(.cid) \(.name)"'; }

load
podman_run box ticker 50 2
box=$(of_pid "$pid" path)
podman_run db ticker 50 1
db=$(of_pid "$pid" cid)
same "alone it is db" "$db" "$(names | awk '$2 == "db" {print $1}')"

note "1. a local user's scopes, with the id of db in their names"
user=/user.slice/user-1000.slice/user@1000.service
mkdir -p "$cg$user" && chown 1000 "$cg$user"
for name in "docker-$id.scope" "libpod-$id.scope" "libpod-$id" "lxc.payload.db" db; do
	cheap "user-$name" -g "$user/app.slice/$name" -- ticker 50 3
	same "$name is seen" 1 "$(of_pid "$pid" cid | wc -l)"
done
chown -R 1000 "$cg$user"

note "2. a service that runs as a user, with a cgroup subtree of its own"
mkdir -p "$cg/system.slice/game.service" && chown 1001 "$cg/system.slice/game.service"
cheap game -g "/system.slice/game.service/docker-$id.scope" -- ticker 50 4
chown -R 1001 "$cg/system.slice/game.service"

note "3. a container with a cgroup subtree of its own"
cheap inner -g "$box/libpod-$id" -- ticker 50 5
inner=$(of_pid "$pid" cid)
check "it is seen" test -n "$inner"

names > "$tmp/names"
same "only db is called db" "$db" "$(awk '$2 == "db" {print $1}' "$tmp/names")"
same "no two have one name" "" "$(awk '{print $2}' "$tmp/names" | sort | uniq -d)"
traces "ctrace trace db: db alone" "$db" db
ctrace ps > "$tmp/ps"
same "in the table, too" 1 "$(awk '$2 == "db"' "$tmp/ps" | wc -l)"
refuse "the id is that of several, and says how to choose" "cid:$db.*" ctrace trace "${id:0:12}" --duration 0.1
ctrace trace "${id:0:12}" --duration 0.1 > "$tmp/out" 2>&1
has "the impostors are candidates, too" "cid:$inner( |,|:|\$)" "$tmp/out"

note "4. a user's store renames root's container"
home=$tmp/mallory
cp -p /etc/passwd "$tmp/passwd" && later "cat $tmp/passwd > /etc/passwd"
echo "mallory:x:1000:1000::$home:/bin/sh" >> /etc/passwd
store=$home/.local/share/containers/storage/overlay-containers
mkdir -p "$store/$id/userdata"
printf '[{"id": "%s", "names": ["nginx"]}]\n' "$id" > "$store/containers.json"
printf '{"annotations": {"io.kubernetes.pod.name": "kube", "io.kubernetes.container.name": "proxy"}}\n' \
	> "$store/$id/userdata/config.json"
chown -R 1000 "$home"
same "root's keeps its name" db "$(names | awk -v c="$db" '$1 == c {print $2}')"
traces "by its name it is traced" "$db" db

note "5. two that the system made, of one id"
cheap twin -g "/x/docker-$id.scope" -- ticker 50 6
twin=$(of_pid "$pid" cid)
names > "$tmp/names"
has "they are shown apart" "^$db db#$db\$" "$tmp/names"
has "both" "^$twin db#$twin\$" "$tmp/names"
refuse "the name is ambiguous" "several.*db.*cid:$db.*cid:$twin|several.*db.*cid:$twin.*cid:$db" ctrace trace db --duration 0.1
refuse "to leave out, too" "several.*cid:" ctrace trace not:db --duration 0.1
traces "db#CID is a target" "$twin" "db#$twin"
traces "and cid:N" "$db" "cid:$db"
ctrace trace "cid:$db" -e getpriority --duration 1 > "$tmp/out" 2> "$tmp/err"
has "in the lines, too" " db#$db .*getpriority" "$tmp/out"
