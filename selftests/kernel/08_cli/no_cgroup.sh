#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a podman container without a cgroup of its own (--cgroups=disabled) has the name that podman gave it
# witness: podman inspect
# requires: podman,v2
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
podman_opts=(--cgroups=disabled)
podman_run loose /bin/sh -c 'while :; do sleep 1; done'
same "podman: its cgroups" disabled "$(podman inspect --format '{{.HostConfig.Cgroups}}' "$id")"
cid=$(of_pid "$pid" cid)
note "$(ctrace ps)"
check "it is a container" test -n "$cid"
wait_for 10 sh -c "ctrace ps --json | jq -e 'select(.cid == $cid and .name == \"loose\")'"
same "its name" loose "$(ctrace ps --json | jq -r "select(.cid == $cid) | .name")"
ctrace trace loose -e sched_process_exec --duration 3 > "$tmp/out" 2> "$tmp/err"
has "it is found by its name" ' loose +.*sched_process_exec .*sleep' "$tmp/out"
