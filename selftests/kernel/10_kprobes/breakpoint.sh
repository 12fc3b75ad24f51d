#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: hits of a kprobe that is a breakpoint, which counts as an NMI, belong to the task and have its stacks
# witness: a breakpoint inside a function, kept from being optimised, in a container
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# The breakpoint must stay one: the kernel must not turn it into a jump, nor into a call by ftrace.
knob=/proc/sys/debug/kprobes-optimization
if [ -w $knob ]; then later "echo $(cat $knob) > $knob"; echo 0 > $knob; fi
symbol=$(open_function)
cheap box -n breakpoint -- /bin/sh -c 'while :; do cat /etc/hostname; sleep 0.05; done'
cid=$(of_pid "$pid" cid)
# Take the first offset where an instruction begins, beyond what ftrace may change.
for offset in {9..40}; do
	evdump -t "cid:$cid" -e "p:ctracetest $symbol+$offset" -s -u -d 2 > "$tmp/ev" 2> "$tmp/err" && break
done
note "at $symbol+$offset"
at_least "hits of the container" 10 "$(grep -c 'ctracetest cid' "$tmp/ev")"
same "none of another container" "$cid" "$(cids "$tmp/ev" .)"
has_not "none without a task" ' tid=0 ' "$tmp/ev"
address=$(awk -v s="$symbol" -v o="$offset" '$3 == s {print substr($1, 1, 13); exit}' /proc/kallsyms)
has "the kernel's stack begins there" "kernel_stack .* callstack=0x$address" "$tmp/ev"
has "and there is the user's" 'user_stack .* callstack=0x[0-9a-f]+,' "$tmp/ev"
