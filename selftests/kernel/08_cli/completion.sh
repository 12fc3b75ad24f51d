#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the completion file loads and completes
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

file=$top/userspace/completion/ctrace.bash
[ -e "$file" ] || give_up "no completion file"
check "bash takes it" bash -n "$file"
load
bash --norc -c ". '$file'; complete -p ctrace" > "$tmp/out" 2>&1
has "it is there for ctrace" 'ctrace$' "$tmp/out"
fn=$(sed -n 's/.*-F \([^ ]*\) .*/\1/p' "$tmp/out")
bash --norc -c ". '$file'; COMP_WORDS=(ctrace tr) COMP_CWORD=1 COMP_LINE='ctrace tr' COMP_POINT=9; $fn ctrace tr ctrace; printf '%s\n' \"\${COMPREPLY[@]}\"" > "$tmp/out" 2>&1
has "tr becomes trace" '^trace ?$' "$tmp/out"
