#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each system call has as many arguments as the kernel's own tracer says, with addresses in the same places
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
tracefs_mount
cd "$tracefs/events/syscalls" || skip "this kernel describes no system calls"
# Make lines of NAME and a letter for each argument: p is an address, n a number. The first field is the
# call's number, and is skipped. The newest kernels add a field with the data at an address.
awk '/^name:/ {line = $2; sub(/sys_enter_/, "", line); line = line " "; first = 1}
	/field:/ && !/ common_|__data_loc/ {
		if (!first) line = line (/\*|:(const )?cap_user_|:__sighandler_t/ ? "p" : "n")
		first = 0
	}
	/^print fmt/ {print line}' sys_enter_*/format | sort > "$tmp/theirs"
cd /
ctrace events --json 'syscalls:*' > "$tmp/events"
jq -r 'select(.name | startswith("syscall_entry_")) | "\(.name | ltrimstr("syscall_entry_")) \([.fields[] | select(.name != "marks" and .type != "u8[]" and (.type == "string" and (.name | test("(fd[a-z_]*|fildes|mqdes|ret)_path$")) | not)) |
	if .type == "string" or (.type | startswith("x")) then "p" else "n" end] | join(""))"' "$tmp/events" | sort > "$tmp/ours"
# The kernel's tracer names some calls by their functions (newstat). join leaves out those that only one side
# has.
join "$tmp/theirs" "$tmp/ours" > "$tmp/both"
at_least "calls that both describe" 250 "$(wc -l < "$tmp/both")"
same "described otherwise" "" "$(awk '$2 != $3' "$tmp/both")"
# Where the headers have no names for the arguments, our table gives them by hand.
same "arguments without a name" "" "$(jq -r 'select(.name | startswith("syscall_entry_")) |
	select(.fields[0].name == "arg0" and (.fields | length) < 6) | .name' "$tmp/events")"
