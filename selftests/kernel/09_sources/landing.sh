#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: no kernel function that the module reaches through a pointer has lost the instruction that indirect calls must land on
# witness: probes of each kind in Bochs, whose CPU checks; bytes in /proc/kcore
# requires: any
# kernels: 6.12,newest
# timeout: 60
#
# A CPU that checks (guest/ibt has one) ends with a kernel BUG. Here the running kernel's bytes are read, which are the same.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# the kernel takes seconds to print it
address() { awk -v name="$1" '$3 == name { print $1; exit }' "$tmp/kallsyms"; }
cat /proc/kallsyms > "$tmp/kallsyms"
bytes() { address "$1" | kbytes "$2" | cut -d' ' -f2; }

[ -n "$(address __ibt_endbr_seal)" ] || skip "this kernel does not overwrite these instructions (X86_KERNEL_IBT)"
endbr=f30f1efa
load
# with the module's own
cat /proc/kallsyms > "$tmp/kallsyms"
check "a raw tracepoint is recorded" evdump -e raw:sys_exit -- true
getter=bpf_get_raw_tracepoint
if [ "$(bytes $getter 4)" = $endbr ]; then
	not_ok "$getter still has the instruction, so this test shows nothing"
else
	ok "$getter has lost it: $(bytes $getter 4)"
fi
# a jump by a distance, which counts from the end of its five bytes
code=$(bytes __SCT__ctrace_raw_event_map 5)
same "the module reaches it by a direct jump" e9 "${code:0:2}"
distance=$((0x${code:8:2}${code:6:2}${code:4:2}${code:2:2}))
[ $distance -lt $((1 << 31)) ] || distance=$((distance - (1 << 32)))
same "that leads there" "0x$(address $getter)" "$(printf 0x%x $((0x$(address __SCT__ctrace_raw_event_map) + 5 + distance)))"

# Whatever the module has the address of, but does not call by name: data, too, and what the module itself defines
readelf -rW "$module" | awk '/^Relocation section/ { debug = /debug|orc|__mcount|return_sites|retpoline|_loc/ }
	!debug && ($3 == "R_X86_64_64" || $3 == "R_X86_64_32S") { print $5 }' | sort -u > "$tmp/pointed"
# code of the kernel, not of modules; some kernels give their data the letter of code
awk -v from="x$(address _stext)" -v to="x$(address _etext)" 'NF == 3 && "x" $1 >= from && "x" $1 < to { print $3, $1 }' "$tmp/kallsyms" |
	sort -u -k1,1 > "$tmp/functions"
join "$tmp/pointed" "$tmp/functions" > "$tmp/called"
at_least "functions of the kernel that the module has pointers to" 2 "$(wc -l < "$tmp/called")"
cut -d' ' -f2 "$tmp/called" | kbytes 4 | awk -v endbr=$endbr '$2 != endbr { print $1 }' > "$tmp/without"
same "none of them has lost the instruction" '' "$(grep -Ff "$tmp/without" "$tmp/called" | tr '\n' ' ')"
