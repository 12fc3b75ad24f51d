#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: messages and calls made from the policy and spoilt, from many threads at once, do no harm
# requires: any
# timeout: 90
# torture: 600
# kernels: 6.1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
hasten
program fuzz "$(long 5 500)" "${CTRACE_TEST_SEED:-20261121}"
