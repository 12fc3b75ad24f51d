#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: 10,000 births beside the container that --follow means
# witness: half of 500 (11,000) births have no name; CPU time for each of the few and of the many,
#	memory; the container that is meant is born last. Natively, CPU time of 2,000 and of 20,000 births
# requires: v2
# kernels: 6.1
# timeout: 300
# torture: 1200
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib.sh"

[ -n "${CTRACE_TEST_TORTURE:-}" ] || skip "08_cli/follow_births is the short form"
BIRTHS_FEW=1000 BIRTHS_ALL=10000 exec bash "$here/08_cli/follow_births.sh"
