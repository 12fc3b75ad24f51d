#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: 100,000 containers: listed, traced, ended, at ten times the cost of 10,000
# requires: v2
# kernels: 6.1
# timeout: 300
# torture: 1800
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib.sh"

[ -n "${CTRACE_TEST_TORTURE:-}" ] || skip "04_identity/many is the short form"
# Two slices may have a third of the room each, so more room than usual.
loaded || insmod "$module" max_containers=200000 || give_up "the module does not load"
wait_for 5 test -c /dev/ctrace
MANY_FEW=10000 MANY_ALL=100000 exec bash "$here/04_identity/many.sh"
