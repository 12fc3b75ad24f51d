#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container of containerd, by ctr, has one cid from its first call to its last, and its name
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
two_start() { ctr_run two --cgroup /elsewhere/two -- /bin/sh -c "$life"; }
two_exec() { ctr_exec two "$@"; }
two_stop() { ctr task kill -s TERM two; }

versions containerd runc
load
containerd_up env
lives one one containerd
lives two two containerd
