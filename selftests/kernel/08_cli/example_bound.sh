#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a descriptor of one container, passed to a process without privileges, shows it that container only
# witness: the example binds a descriptor and passes it to nobody, who opens a reader on it; beside it, a
#	neighbour makes the same calls
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

bound=$top/userspace/build/examples/bound
[ -x "$bound" ] || give_up "the example was not built"
load
cheap a -g "/box/$(hex64 bounda)" -- ticker 50 79 5
a=$(of_pid "$pid" cid)
cheap b -g "/box/$(hex64 boundb)" -- ticker 50 79 5
timeout 100 "$bound" "$a" 100 > "$tmp/out" 2> "$tmp/err"
same "it ends by itself" 0 $?
note "$(head -n 1 "$tmp/out"; cat "$tmp/err")"
has "the reader is nobody, and bound to container $a" "^user 65534 reads container $a of session [0-9]" "$tmp/out"
same "it printed as many records as were asked for" 100 "$(grep -cE "^[0-9]+ cid $a vtid [0-9]+ event [0-9]" "$tmp/out")"
same "and none of another container" 0 "$(grep -E '^[0-9]+ cid ' "$tmp/out" | grep -vc " cid $a ")"
has "its account" '^100 records, [0-9]+ overrun$' "$tmp/out"
# The child gets no descriptor, and says so; the parent says why.
refuse "no such container" 'no session [0-9]+ or no container 4000000|there is no container|no such container|container 4000000' \
	timeout 100 "$bound" 4000000 1
