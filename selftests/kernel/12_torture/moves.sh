#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: tasks moved between containers' cgroups, asleep and running: each call belongs to where it was made
# witness: sleeping and running tasks moved between cgroups
# requires: any
# kernels: 6.1
# timeout: 60
# torture: 200
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program moves -n "$(long 60 1500)"
