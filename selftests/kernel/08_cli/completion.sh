#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the completion file loads and completes; each option that it knows is in the help
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
# complete_words WORD...: prints what the last word may become
complete_words() {
	bash --norc -c ". '$file'; compopt() { :; }; COMP_WORDS=(ctrace $*) COMP_CWORD=$#; $fn; printf '%s\n' \"\${COMPREPLY[@]}\"" 2>&1
}
complete_words help targ > "$tmp/out"
has "a topic of help" '^targets ?$' "$tmp/out"
# examples may have any option
ctrace help options > "$tmp/options"
for command in $(ctrace help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	ctrace "$command" --help | sed '/^Examples:/,/^$/d' > "$tmp/help"
	grep -q 'ctrace help options' "$tmp/help" && cat "$tmp/options" >> "$tmp/help"
	complete_words "$command" all -- | sed -n 's/^\(--[a-z-]*\).*/\1/p' | while read -r option; do
		grep -q -e "$option\>" "$tmp/help" || echo "$command: $option"; done
done > "$tmp/missing"
same "options that neither the command's help has nor the topic that it names" "" "$(cat "$tmp/missing")"
