#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: kretprobes in all their spellings: $retval is what the system call returned
# witness: the same definition in kprobe_events, hit for hit; bytes and names that the test chose; memory
#	that does not exist
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../kernel_event.sh
. "$here/kernel_event.sh"

load
def="r:back $open_symbol ret=\$retval:s32 who=\$comm \$retval:x64"
witness "$def"
evdump -e "$def" -e "p:pct $open_symbol%return ret=\$retval:s32" -e "kretprobe:$open_symbol" \
	-e "kprobe:$open_symbol" -e "r50:many $open_symbol" -e syscall:openat \
	-- cat /etc/hostname /nonexistent/ctrace /etc/passwd > "$tmp/ev" 2> "$tmp/err"
agree "returns" back "$tmp/ev"
# In cat, openat is the only call that gets there.
calls=$(sed -nE 's/^[0-9]+ syscall_exit_openat .* ret=(-?[0-9]+).*/\1/p' "$tmp/ev")
at_least "calls" 4 "$(wc -l <<< "$calls")"
same "what openat returned" "$(xargs <<< "$calls")" "$(recorded back "$tmp/ev" | sed -nE 's/ret=(-?[0-9]+) .*/\1/p' | xargs)"
same "by %return" "$(xargs <<< "$calls")" "$(recorded pct "$tmp/ev" | sed 's/ret=//' | xargs)"
has "a failure" ' back .* ret=-2 ' "$tmp/ev"
n=$(wc -l <<< "$calls")
for e in "kretprobe:$open_symbol" "kprobe:$open_symbol" many; do
	same "events $e" "$n" "$(grep -c " $e cid=" "$tmp/ev")"
done
has "nothing missed" 'lost 0' "$tmp/err"
