#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: probe add, list and del; a defined probe is an event by its name
# witness: the file that cat opened, and the descriptor it got
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

load
open=$(open_function)
check "add" ctrace probe add "p:c_opened $open%return fd=\$retval:s32"
ctrace probe del c_opened
check "add two" ctrace probe add "p:c_open $open dfd=%$reg1:s32 name=+0(%$reg2):ustring" "r:c_opened $open fd=\$retval:s32"
ctrace probe list > "$tmp/list"
has "list: name, fields, definition" "^c_open +dfd:s32 name:string +p:c_open $open dfd=%$reg1:s32" "$tmp/list"
same "list: as JSON" 's32' "$(ctrace probe list --json | jq -r 'select(.name == "c_opened") | .fields[0].type')"
has "events has it, too" '^c_open ' <(ctrace events)
ctrace trace --json -e c_open,c_opened -- cat /etc/passwd > "$tmp/out" 2> "$tmp/err"
grep '^{' "$tmp/out" > "$tmp/lines"
same "its arguments: what cat opened" /etc/passwd "$(jq -r 'select(.event == "c_open") | .fields.name' "$tmp/lines" | grep passwd)"
at_least "and the descriptor it got" 3 "$(jq -r 'select(.event == "c_opened") | .fields.fd' "$tmp/lines" | tail -n 1)"
ctrace trace -e 'c_opened if fd < 0' -- cat /no/such/file > "$tmp/out" 2> "$tmp/err"
has "with a condition: what passes" 'c_opened fd=-2$' "$tmp/out"
has_not "and what does not" 'c_opened fd=[0-9]' "$tmp/out"
ctrace trace -e "p:c_now $open name=+0(%$reg2):ustring if name ~ \"/etc/*\"" -- cat /etc/passwd > "$tmp/out" 2> "$tmp/err"
has "inline" 'c_now name="/etc/passwd"' "$tmp/out"
has_not "inline: the condition" 'c_now name="/(usr|lib)' "$tmp/out"
refuse "a name twice" 'c_open|exist' ctrace probe add 'p:c_open vfs_read'
refuse "no such function" no_such_function ctrace probe add 'p:c_x no_such_function'
refuse "taken apart by the shell" 'quotes' ctrace probe add p:c_x vfs_read
check "del" ctrace probe del c_open c_opened
same "list: gone" 0 "$(ctrace probe list --json | wc -l)"
refuse "del: not there" c_open ctrace probe del c_open
refuse "and no event any more" 'c_open' ctrace trace -e c_open -- true
