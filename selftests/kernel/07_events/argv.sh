#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: an exec has its program's arguments, also those with blanks, none, and too many; filters see them
# witness: blanks, none, too many; a filter, text, JSON, babeltrace2
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
long=$(printf 'x%.0s' {1..3000})
cat > "$tmp/run" <<EOF
/bin/echo "a  b" '' 'c\\d' "\$(printf 'e\\nf')" ' '
/bin/echo $long
/bin/true
EOF
evdump -e sched_process_exec -- sh "$tmp/run" > "$tmp/ev" 2> "$tmp/err"
has "blanks, nothing, a backslash, a line's end" 'sched_process_exec .* argv="/bin/echo a\\134 \\134 b  c\\134\\134d e\\012f \\134 "$' "$tmp/ev"
has "the last is whole" 'sched_process_exec .* argv="/bin/true"$' "$tmp/ev"
same "what is too long is cut" 1022 "$(sed -n 's/.* argv="\(.bin.echo xx*\)"$/\1/p' "$tmp/ev" | tr -d '\n' | wc -c)"
same "a filter on the arguments" 1 "$(evdump -e sched_process_exec -f 'argv ~ "*c\\*d*"' -- sh "$tmp/run" 2> "$tmp/err" | grep -c sched_process_exec)"
ctrace trace --json -e sched_process_exec -- /bin/true -- ' ' '' > "$tmp/json" 2> "$tmp/err"
same "JSON: a list" '["/bin/true","--"," ",""]' "$(jq -c 'select(.event == "sched_process_exec") | .fields.argv' "$tmp/json" | tail -n 1)"
ctrace trace -e sched_process_exec -- sh "$tmp/run" 2> "$tmp/err" | grep -a sched_process_exec > "$tmp/out"
has "text: a list" ' argv=\["/bin/echo", "a  b", "", "c\\\\d", "e\\nf", " "\]$' "$tmp/out"
has "text: what was cut" ' argv=\["/bin/echo", "x*"\.\.\.\]$' "$tmp/out"
if command -v babeltrace2 > /dev/null; then
	ctrace record -o "$tmp/t" -e sched_process_exec -- sh "$tmp/run" > /dev/null 2> "$tmp/err"
	has "a CTF reader" 'argv = "/bin/true"' <(babeltrace2 "$tmp/t")
fi
