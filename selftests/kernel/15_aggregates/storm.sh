#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what 50 containers count is what their tables have, in large tables and in tiny ones; readers' intervals add up to it
# witness: 50 containers whose tasks count their own calls; per container, too; each reader's intervals
#	add up to it; switches in two tables
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2046 # words
program tables storm $(long 3 60)
