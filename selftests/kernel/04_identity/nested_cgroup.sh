#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a cgroup with a runtime's name inside a container's cgroup is a container with a parent
# requires: v2
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap outer -g "/box/$(hex64 outer)" -- sleep 1000
a=$pid
cheap inner -g "/box/$(hex64 outer)/libpod-$(hex64 inner).scope" -- sleep 1000
at_least "the outer has a cid" 1 "$(of_pid "$a" cid)"
same "the inner's parent" "$(of_pid "$a" cid)" "$(of_pid "$pid" parent)"
same "the inner's id" "$(hex64 inner)" "$(of_pid "$pid" runtime_id)"
