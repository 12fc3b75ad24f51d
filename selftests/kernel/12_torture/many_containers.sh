#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: 100,000 containers: listed, traced, ended, at ten times the cost of 10,000
# witness: CPU time of the list, of a target, of a session's end with 1,000 and 10,000 (10,000 and
#	100,000) containers; that of ps and trace beside find(1), which lists the same cgroups. gc_test: 80,000
#	that die at once, on this host. With 100,000, by instructions counted in the guest: 1.4 thousand
#	million for find of the directories alone, 2.4 for ctrace ps, 1.1 for ctrace trace all, 0.03 each for a
#	target and a session's end. An emulator on a busy machine takes seconds for that
# requires: v2
# kernels: 6.1
# timeout: 300
# torture: 1800
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib.sh"

[ -n "${CTRACE_TEST_TORTURE:-}" ] || skip "04_identity/many is the short form"
# Two slices may have a third of the room each, so more room than usual.
loaded || insmod "$module" max_containers=200000 || give_up "the module does not load"
wait_for 5 test -c /dev/ctrace
MANY_FEW=10000 MANY_ALL=100000 exec bash "$here/04_identity/many.sh"
