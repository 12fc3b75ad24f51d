#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: nested dereferences and the stack; memory that cannot be read gives 0 or "(fault)", and never faults
# witness: the same definition in kprobe_events, hit for hit; bytes and names that the test chose; memory
#	that does not exist
# requires: any
# timeout: 90
# shellcheck disable=SC2016 # it is the kernel that expands $arg1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../kernel_event.sh
. "$here/kernel_event.sh"

load
stack='p:st vfs_open sp=$stack s0=$stack0 s1=$stack1:u32 s2=$stack2:s16 again=+8($stack):u32 pc=%'$reg_pc:u8
# struct path: follow its mount to the super block, and from there to the neighbour in the list of super
# blocks. The neighbour points back at the super block, so the device read there is the super block's own.
# Take other fields near by as well. struct filename: take the name. Lock checking changes the place of none
# of these fields, and all of them can be read. That matters: for memory that cannot be read, the kernel's own
# event has whatever its buffer held before.
nest='p:nest vfs_open sb=+8(+0($arg1)):x64 self=+8(+0(+8(+0($arg1)))):x64 dev=+16(+8(+0(+8(+0($arg1))))):u32'
nest="$nest c=-8(+8(\$arg1)):x8[4] d=+6(+0(+8(+0(\$arg1)))):u16"
# The newest kernel's function has another name.
open=$(grep -oE -m 1 ' do_(filp|file)_open$' /proc/kallsyms)
name="p:name$open"' first=+0(+0($arg2)):u8 name=+0(+0($arg2)):string'
witness "$stack"
witness "$nest"
witness "$name"
evdump -e "$stack" -e "$nest" -e "$name" -- cat /etc/passwd > "$tmp/ev" 2> "$tmp/err"
agree "the stack" st "$tmp/ev"
agree "pointers of pointers" nest "$tmp/ev"
has "to and fro" ' nest .* sb=(0x[0-9a-f]+) self=\1 ' "$tmp/ev"
agree "a string by pointers" name "$tmp/ev"
has "what was opened" ' name .* name="(/etc/)?passwd"' "$tmp/ev"

# Addresses without a page: in the kernel's half, in the user's, in the hole between them, and the null page.
# The kernel address lies below x86's kernel text, whether there are four or five levels of pages, and also
# with KASAN, whose shadow is large.
nowhere=ffffffff00000
[ "$reg1" != x0 ] || nowhere=fffffffffffff	# arm64 has modules where x86 has a hole
bad="p:bad $open_symbol k=+0(\\0x${nowhere}008) h=+0(\\0x8000000000000000):u32 u=+u0(\\0x10):u16 n=+0(+0(+0(\\8)))"
bad="$bad ks=+0(\\0x${nowhere}008):string us=+0(\\16):ustring ns=+0(+8(\\16)):string arr=+0(\\0x8000000000000000):u16[3]"
evdump -e "$bad @0x${nowhere}000:x32 \\-7:s8 \\\"x" -- true > /dev/null 2> "$tmp/err"
has "a string is no address" "takes a number" "$tmp/err"
evdump -e "$bad @0x${nowhere}000:x32 \\-7:s8" -- cat /etc/passwd > "$tmp/ev2" 2> "$tmp/err"
recorded bad "$tmp/ev2" > "$tmp/args"
at_least "hits" 3 "$(wc -l < "$tmp/args")"
same "hits with other values" 0 "$(grep -cvxF \
	'k=0 h=0 u=0 n=0 ks=(fault) us=(fault) ns=(fault) arr=0,0,0 arg9=0 arg10=-7' "$tmp/args")"
