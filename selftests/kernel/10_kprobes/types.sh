#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: every type of argument, with arrays and bit fields, matches the kernel's own event
# witness: the same definition in kprobe_events, hit for hit; bytes and names that the test chose; memory
#	that does not exist
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../kernel_event.sh
. "$here/kernel_event.sh"

load
# -100 in a register that is 64 bits wide, and text in memory
regs='' memory='' arrays=''
for t in u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64; do
	regs="$regs r_$t=%$reg1:$t"
	memory="$memory m_$t=+u1(%$reg2):$t"
	arrays="$arrays a_$t=+0(%$reg2):${t}[3]"
done
bits="b1=%$reg1:b4@4/8 b2=%$reg1:b7@3/16 b3=%$reg1:b32@0/32 b4=+u0(%$reg2):b12@20/64 bare=%$reg1"
# The name in a hit shows whether its memory was present (see kernel_event.sh).
set -- "p:r $open_symbol$regs $bits name=+0(%$reg2):ustring" "p:m $open_symbol$memory name=+0(%$reg2):ustring" "p:a $open_symbol$arrays name=+0(%$reg2):ustring"
for def; do witness "$def"; done
evdump -e "$1" -e "$2" -e "$3" -- cat /nonexistent/ctrace-has-a-longer-name > "$tmp/ev" 2> "$tmp/err"
agree "numbers of registers" r "$tmp/ev"
agree "numbers in memory" m "$tmp/ev"
agree "arrays" a "$tmp/ev"
has_not "all decodable" 'undecodable|unknown-id' "$tmp/ev"

# The last open is cat's own: we know its bytes.
recorded r "$tmp/ev" | tail -n 1 > "$tmp/r"
has "-100 in each width" 'r_u8=156 r_u16=65436 r_u32=4294967196 .*r_s8=-100 r_s16=-100 r_s32=-100 ' "$tmp/r"
recorded a "$tmp/ev" | grep ctrace-has | tail -n 1 > "$tmp/a"
has "bytes of the name" 'a_u8=47,110,111 a_u16=28207,28271,30821 ' "$tmp/a"
