#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a command is traced from its exec to its end, as strace does, and ctrace exits with its status
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
ctrace trace -- provoke open > "$tmp/out" 2> "$tmp/err"
same "status of success" 0 $?
has "its exec" 'execve\(.*provoke' "$tmp/out"
has "openat as strace has it" 'openat\(AT_FDCWD[^,]*, "/etc/passwd", O_RDONLY\|O_CLOEXEC.*\) = 3' "$tmp/out"
has "errno by name" 'openat\(.*O_WRONLY\|O_CREAT.*= -1 ENOENT \(No such file or directory\)' "$tmp/out"
has "duration" '<[0-9]+\.[0-9]+>' "$tmp/out"
has "its end" 'exit_group\(0\)' "$tmp/out"
ctrace trace -o "$tmp/file" -- /bin/sh -c 'exit 42' 2> "$tmp/err"
same "status 42 is passed on" 42 $?
check "-o wrote the lines" test -s "$tmp/file"
ctrace trace -e execve -- /no/such/program > "$tmp/out" 2> "$tmp/err"
check "no such program: a status that is not 0" test $? != 0
