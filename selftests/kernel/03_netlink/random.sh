#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: two thousand random messages do no harm
# witness: raw sockets: attributes left out, truncated, too long, meaningless; 2,000 random messages,
#	seed printed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_hostile random "${CTRACE_TEST_SEED:-20261120}" "${CTRACE_TEST_RANDOM:-2000}"
