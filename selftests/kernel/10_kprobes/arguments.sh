#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a kprobe's arguments match the kernel's own kprobe event, hit for hit
# witness: the same definition in kprobe_events, hit for hit; bytes and names that the test chose; memory
#	that does not exist
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../kernel_event.sh
. "$here/kernel_event.sh"

load
def="p:opened $open_symbol dfd=%$reg1:s32 name=+0(%$reg2):ustring same=+u0(%$reg2):string %$reg3 who=\$comm"
witness "$def"
evdump -e "$def" -- cat /etc/hostname /nonexistent/ctrace /etc/passwd > "$tmp/ev" 2> "$tmp/err"
agree "open" opened "$tmp/ev"
recorded opened "$tmp/ev" > "$tmp/args"
has "the cause's own name" '^dfd=-100 name=/nonexistent/ctrace same=/nonexistent/ctrace arg4=0x[0-9a-f]+ who=cat$' "$tmp/args"
has_not "all decodable" 'undecodable|unknown-id' "$tmp/ev"

# a function's arguments by number, and the memory they point to: argv[1] of an execve
def="p:executed ${sys}_execve path=+0($(sys_arg 1)):ustring argv1=+0(+u8($(sys_arg 2))):ustring regs=\$arg1"
witness "$def"
evdump -t all -e "$def" -- sh -c '/bin/echo marked-argument > /dev/null; :' > "$tmp/ev2" 2> "$tmp/err"
has "the second word of the command" 'executed .*argv1="marked-argument"' "$tmp/ev2"
tid=$(sed -nE 's/.* tid=([0-9]+) .*marked-argument.*/\1/p' "$tmp/ev2" | head -n 1)
same "as the kernel's" "$(witnessed executed "$tid")" "$(recorded executed "$tmp/ev2" "$tid")"
