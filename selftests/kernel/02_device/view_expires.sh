#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a view that has had its time is taken back by a worker that is bound to no CPU
# witness: the kernel's own trace of workqueues: which worker takes it back
# requires: any
# kernels: 6.1
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tracefs_mount
program views expires "$tracefs"
