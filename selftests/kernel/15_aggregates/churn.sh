#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: rows of containers that have gone are given to others, and no count is lost, nor counted twice in any reader's interval
# witness: containers that come and go, each makes 20 calls; four readers, whose sum never shrinks
# requires: any
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2046 # words
program tables churn $(long 3 60)
