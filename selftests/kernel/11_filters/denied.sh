#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a call that a seccomp filter denies is recorded with its arguments, as denied: a filter of our own, and a profile of podman's
# witness: a filter of the test's own; a profile that podman is given; a call that began before and fails
#	later
# requires: podman
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
tracing on raw_syscalls/sys_exit
provoke denied
# or the reader would read of its own reads, without an end
echo 0 > $tracefs/instances/ctrace-test/events/raw_syscalls/sys_exit/enable
tracing read > "$tmp/kernel"
if grep -qE 'sys_exit: NR -1 = -38$' "$tmp/kernel"; then
	evdump -v -e syscall_entry_unknown -e syscall_exit_unknown -- provoke denied > "$tmp/ev" 2> "$tmp/err"
	has "a kernel that takes the number away (3.19 to 4.7): the arguments" \
		'syscall_entry_unknown .*nr=-1 arg0=(0x)?1 arg1=(0x)?2 ' "$tmp/ev"
	has "and the result" 'syscall_exit_unknown .*nr=-1 ret=-38$' "$tmp/ev"
	exit
fi
evdump -v -e calls -- provoke denied > "$tmp/ev" 2> "$tmp/err"
has "mount: with its arguments" 'syscall_mount .* duration=0 ret=-1 marks=(0x)?10000 dev_name="from" dir_name="to" type="type" flags=5 ' "$tmp/ev"
has "a call of numbers" 'syscall_getpriority .* duration=0 ret=-38 marks=(0x)?10000 which=1 who=2$' "$tmp/ev"
has "what fails in the kernel was not denied" 'syscall_openat .* ret=-2 marks=0 .*filename="/not/there"' "$tmp/ev"
same "nor was anything else, such as the first return of a child" 2 "$(grep -cE ' marks=(0x)?10000 ' "$tmp/ev")"
# A filter that answers with success: its return could be that of a call which was under way at the beginning.
has_not "an answer without an error is not among whole calls" ' syscall_getsid ' "$tmp/ev"
evdump -v -e syscall:getsid -- provoke denied > "$tmp/ev" 2> "$tmp/err"
same "its return is among entries and exits" "0 1" "$(grep -c ' syscall_entry_getsid ' "$tmp/ev") $(grep -c ' syscall_exit_getsid .*ret=0' "$tmp/ev")"
evdump -v -e call:mount -f 'ret < 0 && dir_name == "to"' -- provoke denied > "$tmp/ev" 2> "$tmp/err"
same "a filter sees it" 1 "$(grep -c ' syscall_mount ' "$tmp/ev")"
# A call that began before tracing, and fails later.
mkfifo "$tmp/go" "$tmp/gone"
{ provoke removed < "$tmp/go" > "$tmp/child"; echo > "$tmp/gone"; } &
exec 9> "$tmp/go"
wait_for 20 grep -q . "$tmp/child"
wait_for 20 grep -q '^State:.S' "/proc/$(cat "$tmp/child")/status"
evdump -v -t all -e call:msgrcv -e call:msgctl -- bash -c "read -r _ < $tmp/gone" 9>&- > "$tmp/ev" 2> "$tmp/err" &
wait_for 20 recording 1
exec 9>&-
wait $!
same "the end of its queue was seen" 1 "$(grep -c ' syscall_msgctl ' "$tmp/ev")"
has_not "a task without a filter is denied nothing" ' syscall_msgrcv ' "$tmp/ev"
# This guest's podman brings no profile of its own.
echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mount"], "action": "SCMP_ACT_ERRNO"}]}' > "$tmp/profile"
podman_opts=("--security-opt=seccomp=$tmp/profile")
podman_run web /bin/sh -c 'while ! [ -e /go ]; do sleep 0.2; done; provoke mount; exec sleep 1000'
ctrace trace web --failed -e mount --duration 60 > "$tmp/out" 2> "$tmp/err" & tracer=$!
wait_for 30 recording 1
touch "/proc/$pid/root/go"
wait_for 30 grep -q mount "$tmp/out"
kill -INT "$tracer"
wait "$tracer"
has "a profile that podman was given: mount() is denied" ' mount\("from", "to", "type", .*= -1 EPERM .*<denied>$' "$tmp/out"
