#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: more definitions, one after the other, than there are ids; an id that is in use keeps its meaning
# requires: any,torture
# kernels: 6.1
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
hasten
open=$(open_function)
ids=$((0x4000 - 0x1000)) more=300
# The session's kprobe also spares the kernel the rewriting of its code for each definition.
dump "$tmp/ev" -t cid:0 -e "p:insession $open" -d 1000
stays=$(definer add "p:stays $open")
later "definer del stays"
SECONDS=0
check "$((ids + more)) definitions" eval "definer round $((ids + more)) $open > $tmp/ids"
note "took $SECONDS s"
same "their ids" $((ids + more)) "$(wc -l < "$tmp/ids")"
same "the range, but for the two in use" $((ids - 2)) "$(sort -un "$tmp/ids" | wc -l)"
has_not "among them not the one that is defined" "^$stays\$" "$tmp/ids"
# an id comes again only after all others
awk '$1 in at && NR - at[$1] < min {min = NR - at[$1]} {at[$1] = NR} BEGIN {min = 1e9} END {print min}' "$tmp/ids" > "$tmp/min"
same "definitions between two of one id" $((ids - 2)) "$(cat "$tmp/min")"
has "what is defined still is" "^$stays kprobes stays p:stays $open\$" <(definer list)
: < /etc/passwd
wait_for 10 lines 1 ' insession cid=' "$tmp/ev" || true
stop_dump
has "the session's event has its name" ' insession cid=' "$tmp/ev"
has_not "and no other's" 'round|unknown-id' "$tmp/ev"
check "unloaded" unload
