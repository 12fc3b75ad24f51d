#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what the holder of a view learns of its neighbours is what SECURITY.md lists
# witness: each byte of the mapping and each answer of the descriptor, while only others work; each word
#	of a ring on a slot that others had
# requires: any
# timeout: 60
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program strangers_learn "$(long 3 60)"
