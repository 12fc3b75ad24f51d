#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: strings are cut at 255 bytes, and never read beyond their end
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e syscall:openat -- provoke long > "$tmp/ev" 2> "$tmp/err"
grep -o 'filename="/x*"' "$tmp/ev" | awk '{print length($0) - 11}' > "$tmp/lengths"
same "paths of 254, 255, 256, 257, 258 and 4095 bytes" "254 255 255 255 255 255" "$(tail -n 6 "$tmp/lengths" | tr '\n' ' ' | sed 's/ $//')"
evdump -e syscall:openat -- provoke bad > "$tmp/ev" 2> "$tmp/err"
has "a string up to the last byte of a page" 'filename="/edge" ' "$tmp/ev"
same "five pointers that cannot be read: an entry each" 5 "$(grep -c 'syscall_exit_openat.* ret=-14$' "$tmp/ev")"
same "all six entries are there" 6 "$(grep -c 'syscall_entry_openat' <(tail -n 12 "$tmp/ev"))"
has_not "none undecodable" undecodable "$tmp/ev"
