#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: as in kind: containerd and runc that are not in the machine's first mount namespace; each container has one cid
# requires: v2,torture
# kernels: runtimes
# timeout: 150
# torture: 150
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

one_start() { ctr_run one -- /bin/sh -c "$life"; }
one_exec() { ctr_exec one "$@"; }
one_stop() { ctr task kill -s TERM one; }
one_meanwhile() { same "one container with that init" 1 "$(of_pid "$pid" cid | wc -w)"; }

versions containerd runc
load
containerd_up unshare --mount --propagation slave
check "its mounts are others" test "$(readlink "/proc/$!/ns/mnt")" != "$(readlink /proc/1/ns/mnt)"
lives one one containerd
