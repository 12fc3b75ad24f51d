#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each command without each of its attributes is refused by name
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_hostile missing
