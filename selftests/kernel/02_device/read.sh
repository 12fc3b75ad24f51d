#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: read() returns whole records only, and blocks or not as the caller asked
# witness: compared with the number of calls made
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_read
