#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: of a function that the compiler has split, ctrace says which calls it does not see; of others, nothing
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# functions that have a part of their name, each with its first part
awk '$2 ~ /[tT]/ && !$4 {if ($3 ~ /\.(part|isra|constprop)\.[0-9]+$/) {whole = $3; sub(/\.(part|isra|constprop)\..*/, "", whole); if (!(whole in part)) part[whole] = $3} else seen[$3]++}
	END {for (f in part) if (seen[f] == 1) print f, part[f]}' /proc/kallsyms | sort > "$tmp/split"
[ -s "$tmp/split" ] || skip "this kernel has no such function"
while read -r f part; do
	ctrace trace -e "kprobe:$f" -- true > "$tmp/out" 2> "$tmp/err" && break
done < "$tmp/split"
note "$(wc -l < "$tmp/split") functions; $f, $part: $(cat "$tmp/err")"
split="^ctrace: the compiler has split $f: calls that go straight to (.*, )?${part//./\\.}(, .*)? are not seen; ask for those, too\$"
has "kprobe:" "$split" "$tmp/err"
ctrace count "func:$f" -- true > "$tmp/out" 2> "$tmp/err"
has "func:" "$split" "$tmp/err"
ctrace trace -e "p:mine $f" -- true > "$tmp/out" 2> "$tmp/err"
has "a definition" "$split" "$tmp/err"
ctrace probe add "r:mine $f" 2> "$tmp/err"
has "ctrace probe" "$split" "$tmp/err"
ctrace probe del mine
ctrace trace -e "kprobe:$part" -- true > "$tmp/out" 2> "$tmp/err"
has_not "the part itself" 'has split' "$tmp/err"
ctrace trace -e kprobe:do_exit -e openat -- true > "$tmp/out" 2> "$tmp/err"
has_not "a whole function" 'has split' "$tmp/err"
has "which is traced" 'kprobe:do_exit' "$tmp/out"
