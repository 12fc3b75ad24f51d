#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace profile: two functions of a program, three to one, against the program's own CPU clock
# columns: profile: SELF TOTAL SAMPLES FUNCTION
# requires: any,torture
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace events 2> /dev/null | grep '^cpu_sample ' | grep -vq 'not here' || skip "no samples here"
command -v jq > /dev/null || skip "no jq to read JSON"
ctrace profile all -F 199 --json -- ctbox -n spin -- waits spin 3 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
grep '^{' "$tmp/out" > "$tmp/json"
note "$(cat "$tmp/err")"
read -r three one < <(sed -n 's/^three=\([0-9]*\) one=\([0-9]*\)$/\1 \2/p' "$tmp/out")
# FIELD of the function whose name matches
of() { jq -s "[.[].rows[] | select(.cid != 0 and (.function | test(\"$1\"))) | .$2] | add // 0" "$tmp/json"; }
samples=$(jq -s '[.[].rows[] | select(.cid != 0) | .samples] | max // 0' "$tmp/json")
at_least "samples of the container" 100 "$samples"
in_range "no more than 199 in a second of the program's CPU time, and one for the rest" 100 $((199 * (three + one) / 1000000000 + 199)) "$samples"
a=$(of '^three_parts' self) b=$(of '^one_part' self)
check "three_parts has $a of $samples, one_part $b; CPU time $three and $one ns" \
	awk -v a="$a" -v b="$b" -v three="$three" -v one="$one" \
	'BEGIN {is = a / (a + b + 1e-9); was = three / (three + one); exit !(is > was - 0.12 && is < was + 0.12)}'
at_least "what called them has them in its total" $(((a + b) * 9 / 10)) "$(of '^do_spin' total)"
same "SELF adds up to the samples" "$samples" "$(jq -s '[.[].rows[] | select(.cid != 0) | .self] | add' "$tmp/json")"
same "containers add up to the account" "$(jq -s '[.[].account.events] | add' "$tmp/json")" "$(jq -s '[.[].rows[].self] | add' "$tmp/json")"

ctrace profile all -F 99 --folded "$tmp/folded" -- ctbox -n spin -- waits spin 2 > "$tmp/out" 2> "$tmp/err"
has "folded: the container, the program, its functions" '^[^;]+;waits;(.*;)?do_spin;three_parts [0-9]+$' "$tmp/folded"
cheap spin -n again -- waits spin 60
ctrace profile "cid:$(of_pid "$pid" cid)" --duration 2 --top 1 -v > "$tmp/out" 2> "$tmp/err"
has "a block for the container" '^container = .*, [0-9]+ samples, about [0-9.]+m?s of a CPU$' "$tmp/out"
has "its first function" '^ *[0-9.]+% +[0-9.]+% +[0-9]+  three_parts ' "$tmp/out"
has "and the rest" '^ *[0-9.]+% +[0-9]+  \([0-9]+ more functions\)$' "$tmp/out"
has "how many stacks found no place" ', [0-9]+ without (its|their) stack, which found no place$' "$tmp/err"
ctrace profile "cid:$(of_pid "$pid" cid)" --duration 1 --stacks --top 2 > "$tmp/out" 2> "$tmp/err"
has "stacks" '^  three_parts\+0x' "$tmp/out"
ctrace profile host --comm no-such --duration 0.2 > "$tmp/out" 2> "$tmp/err"
same "no samples, no lines" 0 "$(wc -l < "$tmp/out")"
refuse "no frequency" 'needs a number' ctrace profile -F none
refuse "a frequency that is too high" 'sample:1 to' ctrace profile -F 100000 --duration 1
refuse "two keys" 'one key' ctrace profile --by comm,cpu
refuse "a column that is none" "no column 'size'" ctrace profile --sort size
refuse "an option of others" 'unknown option' ctrace offcpu -F 99
