#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the example in C++ prints the files that a container opens
# witness: an installation in a throw-away root; a host without rustc gets a hint how to get it
# requires: torture
# timeout: 60
# torture: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

opens=$top/userspace/build/examples/opens
[ -x "$opens" ] || skip "no C++ compiler to build the example"
load
cheap box -g "/box/$(hex64 opens)" -- /bin/sh -c 'while :; do cat /etc/passwd > /dev/null; done'
cid=$(of_pid "$pid" cid)
timeout 100 "$opens" "$cid" 100 > "$tmp/out" 2>&1
same "it ends by itself" 0 $?
has "a file" "^$cid /etc/passwd\$" "$tmp/out"
same "as many as were asked for" 100 "$(grep -cE "^$cid /" "$tmp/out")"
has "its account" '^[0-9]+ records, [0-9]+ overrun$' "$tmp/out"
refuse "no such container: the library's sentence" 'container 4000000' "$opens" 4000000
