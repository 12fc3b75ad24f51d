#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: thousands of a user's cgroups, nested namespaces, unread dumps and forks cost others neither time nor records
# witness: 2,000 (100,000) cgroups in a delegated subtree, 32 nested pid namespaces, dumps that are never
#	read, forks: time of lists and sessions, and a traced container's account
# requires: any
# timeout: 120
# torture: 1800
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
top=$(cgroup_mount)
later "rmdir $top/strangers-user/* $top/strangers-user"
# shellcheck disable=SC2046 # words
program strangers_many $(long '2000 3' '100000 30')
