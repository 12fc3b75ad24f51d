#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: filters and definitions of random words do no harm
# witness: 600 texts of random words, half of them well-formed, seed printed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_values texts "${CTRACE_TEST_SEED:-20261120}" "${CTRACE_TEST_TEXTS:-600}"
