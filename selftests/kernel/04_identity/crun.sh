#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container of crun has one cid, its path, pid namespace, init and id
# requires: crun
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../runtime.sh
. "$here/runtime.sh"

one_container crun
