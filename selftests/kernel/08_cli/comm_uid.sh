#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --comm and --uid choose whose events: repeating one means or, using both means and
# witness: the same command without them; the events that pass and those that do not
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cmd='cat /etc/passwd; head -n 1 /etc/group; tail -n 1 /etc/hostname; setpriv --reuid 1234 --clear-groups cat /etc/shells'
see() { ctrace trace -o "$tmp/out" -e openat "$@" -- bash -c "$cmd" > /dev/null 2> "$tmp/err"; }
echo x >> /etc/hostname
see --comm cat
for f in passwd shells; do has "--comm: $f by cat" "/etc/$f" "$tmp/out"; done
for f in group hostname; do has_not "--comm: not $f" "/etc/$f" "$tmp/out"; done
see --comm 'hea*' --comm tail
for f in group hostname; do has "--comm twice, a pattern: $f" "/etc/$f" "$tmp/out"; done
has_not "--comm twice: not passwd by cat" '"/etc/passwd", O_RDONLY\)' "$tmp/out"
see --uid 1234
has "--uid: shells" '/etc/shells' "$tmp/out"
has_not "--uid: not passwd" '/etc/passwd", O_RDONLY\)' "$tmp/out"
see --uid root --comm cat
has "both: passwd" '/etc/passwd' "$tmp/out"
for f in shells group; do has_not "both: not $f" "/etc/$f" "$tmp/out"; done
refuse "no such user" 'no user' ctrace trace --uid no_such_user -- true
