#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the examples of the package for Python show what a container does, found by its name
# witness: the container runs known programs, and calls that fail
# requires: python3,podman,torture
# timeout: 60
# torture: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../python.sh
. "$here/python.sh"

load
# shellcheck disable=SC2016 # for the inner shell
named nginx /bin/sh -c 'while :; do cat /etc/passwd > /dev/null; cat /no/such; counted 79 5; sleep 0.1; done 2> /dev/null'

check "the first is of ten lines" test "$(sed -n '/^import sys/,$p' "$examples/nginx.py" | grep -c .)" -le 10
python3 "$examples/nginx.py" nginx 1 > "$tmp/out" 2>&1
same "nginx.py: status" 0 $?
has "a program" '^[0-9]+ sched_process_exec .*cat ' "$tmp/out"
has "a file" '^[0-9]+ openat /etc/passwd [0-9]+$' "$tmp/out"
has "a file that is not there" '^[0-9]+ openat /no/such -2$' "$tmp/out"
has "its account" '^0 lost$' "$tmp/out"

python3 "$examples/callbacks.py" nginx 1 > "$tmp/out" 2>&1
same "callbacks.py: status" 0 $?
has "a program with its arguments" "^exec .*cat \['cat', '/etc/passwd'\]" "$tmp/out"
has "a call that failed" '^[0-9]+ openat /no/such ENOENT$' "$tmp/out"
has_not "and none that did not" 'passwd [0-9]' "$tmp/out"

python3 "$examples/calls.py" nginx 1 > "$tmp/out" 2>&1
same "calls.py: status" 0 $?
has "the marked calls, by the container's name" '^nginx +getpriority +[0-9]+ calls +[0-9.]+ ms, p99 ' "$tmp/out"
note "$(grep -v '^nginx' "$tmp/out")"
refuse "no such container: the command's sentence" "no container.* 'ngnix'.*nginx" python3 "$examples/nginx.py" ngnix
