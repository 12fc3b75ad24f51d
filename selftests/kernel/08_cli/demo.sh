#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the demonstration (make demo) shows the answer first, in whole lines, and leaves a page for the host and nothing in the guest
# witness: podman's names of the two containers; the checksum of gzip over the page
# requires: v2, podman
# timeout: 180
# processors: its containers share the second one
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ "${VM_KERNEL:-}" != host ] || skip "it starts and removes containers named web and db"
later "podman rm -f web db > /dev/null 2>&1"
"$top/selftests/vm/demo-guest" > "$tmp/out" 2>&1
same "its status" 0 $?
sed '/^@@page /d' "$tmp/out" > "$tmp/shown"
note "$(cat "$tmp/shown")"
same "the order of what it shows" "ps why blame trace record report" "$(sed -n 's/^\$ ctrace \([a-z]*\).*/\1/p' "$tmp/shown" | xargs)"
# part COMMAND: what it printed
part() { sed -n "/^\\$ ctrace $1/,/^== /p" "$tmp/shown"; }
part why > "$tmp/why"
has "why names the neighbour" '\bdb\b' "$tmp/why"
part trace > "$tmp/trace"
at_least "lines of web's calls" 5 "$(grep -c ' web ' "$tmp/trace")"
has_not "no call is cut in two, and none is noise" 'unfinished|resumed|brk\(|mprotect\(' "$tmp/trace"
has_not "nor anybody else's" ' db ' "$tmp/trace"
sed -n 's/^@@page //p' "$tmp/out" | base64 -d | gzip -d > "$tmp/page"
same "the page arrives whole" "0 0 0" "${PIPESTATUS[*]}"
has "it is a page" '^<!DOCTYPE html>' "$tmp/page"
has "to its end" '</html>' "$tmp/page"
for name in web db; do has "with $name" "\\b$name\\b" "$tmp/page"; done
check "the module is unloaded" test ! -d /sys/module/ctrace
same "no container is left" "" "$(podman ps -a --format '{{.Names}}' | grep -xE 'web|db')"
