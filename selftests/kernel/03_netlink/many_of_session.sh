#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session has at most 1,024 targets and 4,096 probes, and another one its own
# witness: 1,025 targets, 4,097 probes
# requires: any
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program nl_memory many
