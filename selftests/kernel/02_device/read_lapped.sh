#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: read tells in a record of its own what was lost
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_read lapped
