#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: explain prints the facts of a container, the file that gave its name, and the files that are not believed
# witness: docker's files elsewhere, in a container, behind a link; machined's; made up by the test
# requires: podman,v2
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cg=$(cgroup_mount)
load
podman_run db sleep 1000
db=$(of_pid "$pid" cid) path=$(of_pid "$pid" path) init=$pid
store=$(podman info -f '{{.Store.GraphRoot}}')

ctrace explain db > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
has "whose" "^db is container $db, of podman\$" "$tmp/out"
has "its cgroup, and the id" "cgroup .*$path is its own.*$id" "$tmp/out"
has "its pid namespace and init" "pid namespace $(pidns_of "$init") is its own, and process $init" "$tmp/out"
has "its parent" "inside +the host" "$tmp/out"
has "who made it" "made by +the system" "$tmp/out"
has "the file of its name" "name +$store/.*containers.json" "$tmp/out"
has "and why it is believed" "believed +'db' of $store/.*containers.json: the file is the system's" "$tmp/out"
has_not "nothing to beware of" "beware" "$tmp/out"
ctrace explain --json db > "$tmp/json"
same "json" "$db db true" "$(jq -r '"\(.cid) \(.name) \(any(.claims[]; .believed and .name == "db"))"' "$tmp/json")"
same "json: the file" "$store" "$(jq -r .name_from "$tmp/json" | cut -c1-${#store})"
same "one line" 1 "$(wc -l < "$tmp/json")"

note "an impostor"
user=/user.slice/user-1000.slice/user@1000.service
mkdir -p "$cg$user" && chown 1000 "$cg$user"
cheap user -g "$user/libpod-$id.scope" -- sleep 1000
imp=$(of_pid "$pid" cid)
ctrace explain "cid:$imp" > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
has "is called by id and number" "^${id:0:12}#$imp is container $imp" "$tmp/out"
has "why it is not db" "not +'db' of .*: the file is the system's, and the container is in a user's slice" "$tmp/out"
has "no name" "name +no file has one that is believed" "$tmp/out"
has "who made it" "made by +not the system" "$tmp/out"
has "beware of the other" "beware +container $db \(db\) has the same id" "$tmp/out"
ctrace explain db > "$tmp/out"
has "db's own says so, too" "beware +container $imp" "$tmp/out"
has "and keeps its name" "^db is container $db" "$tmp/out"

note "processes and cgroups"
same "a process" "$db" "$(ctrace explain "pid:$init" --json | jq .cid)"
ctrace explain "pid:$init" > "$tmp/out"
has "by what" "^process $init is in it by its cgroup and its pid namespace" "$tmp/out"
same "ourselves" 0 "$(ctrace explain pid:$$ --json | jq .cid)"
same "a cgroup" "$db" "$(ctrace explain "cgroup:$path" --json | jq .cid)"
mkdir "$cg$path/below" && later "rmdir $cg$path/below"
same "one below it" "$db" "$(ctrace explain "cgroup:$path/below" --json | jq .cid)"
same "one of the host" 0 "$(ctrace explain "cgroup:/" --json | jq .cid)"
cheap plain -N -- sleep 1000
same "a pid namespace" "$(of_pid "$pid" cid)" "$(ctrace explain "pid:$pid" --json | jq .cid)"

note "what it refuses"
status() { "$@" > "$tmp/out" 2>&1; echo $?; }
same "no such container" 1 "$(status ctrace explain nobody)"
has "says so" "no container 'nobody'" "$tmp/out"
same "several" 1 "$(status ctrace explain "${id:0:12}")"
has "lists them" "cid:$db .*cid:$imp|cid:$imp .*cid:$db" "$tmp/out"
same "no such process" 1 "$(status ctrace explain pid:3999999)"
same "no such cgroup" 1 "$(status ctrace explain cgroup:/no/such)"
same "as JSON" "no process 3999999: see 'ps ax'" "$(ctrace explain pid:3999999 --json | jq -r .error)"
same "nothing" 2 "$(status ctrace explain)"
same "a bad number" 2 "$(status ctrace explain pid:x)"
same "help" 0 "$(status ctrace explain --help)"
has "has examples" "ctrace explain pid:4711" "$tmp/out"
