#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: tasks that are moved between containers' cgroups, standing and running: each call is of where it was made
# requires: any
# kernels: 6.1
# timeout: 60
# torture: 200
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program moves -n "$(long 60 1500)"
