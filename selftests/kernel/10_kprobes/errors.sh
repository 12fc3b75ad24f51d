#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a refused probe names what is wrong: symbol, offset, register, type
# witness: the words of each refusal, kprobes/list, 1,024 definitions, nobody's listing
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
open=$(open_function)
# wrong WORDS DEFINITION: the definition is refused with these words
wrong() { refuse "$2" "$1" definer add "$2"; }

wrong "'no_such_function': no such kernel function.*inlined" 'p:x no_such_function'
wrong "'no_such_function': no such kernel function" 'r:x no_such_function'
wrong "'nosuch:do_exit': no such module, or no such function in it" 'p:x nosuch:do_exit'
# a function that kprobes themselves need
wrong "'get_kprobe': cannot take a kprobe: .*blacklist" 'p:x get_kprobe'
wrong "'get_kprobe': cannot take a kprobe: .*blacklist" 'r:x get_kprobe'
# Some kernels list no data symbols.
! grep -q ' jiffies$' /proc/kallsyms || wrong "'jiffies': cannot take a kprobe: .*not a function" 'p:x jiffies'
wrong "'$open\+0x1': no instruction begins" "p:x $open+1"
wrong "'$open\+0x40000000': " "p:x $open+0x40000000"
wrong "'%rdi': unknown register '%rdi'" "p:x $open %rdi"
wrong "'a=%$reg1:u7': unknown type 'u7'" "p:x $open a=%$reg1:u7"
wrong "'%$reg1:string': a string must be in memory" "p:x $open %$reg1:string"
wrong "'\\\$retval': .*known only at a function's return" "p:x $open \$retval"
wrong "'\\\$arg1': .*known only at a function's entry" "r:x $open \$arg1"
wrong "'\\+0\\(%$reg1': a '\\)' is missing" "p:x $open +0(%$reg1"
wrong "'@jiffies': .*takes a number" "p:x $open @jiffies"
wrong "needs no definition" "kprobe:$open"
wrong "begins with p" "sched_switch"
wrong "an event 'sched_switch' already exists" "p:sched_switch $open"
check "what is right is taken after all that" definer add "p:right $open a=%$reg1:s32"
same "only that one" 1 "$(definer list | wc -l)"
refuse "a name twice in a session" "already" evdump -t all -e right -e kprobes:right -d 0

check "nothing is left of what was refused" wait_for 10 bash -c "! grep $open /sys/kernel/debug/kprobes/list"
