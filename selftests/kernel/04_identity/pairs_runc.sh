#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: short-lived containers made by runc: no event is attributed to another container
# witness: a known number of marked calls in each
# requires: runc
# timeout: 170
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../runtime.sh
. "$here/runtime.sh"

many_containers runc
