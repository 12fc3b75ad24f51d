#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what one container's view maps and reads has no secret of the host or a neighbour, and no kernel address
# witness: each byte of the mapping and of read(), searched by nobody: planted words, any five of their
#	letters, addresses that another session's records name, kernel memory passed as a string or a stack
# requires: any
# timeout: 60
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program secrets "$(long 0 120)" "${CTRACE_TEST_SEED:-20261121}" "$(open_function)"
