#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: conditions on ports and families of addresses, and on names of descriptors
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
calls() { ctrace trace "$@" 2> "$tmp/err" | grep -ac '\[vtid'; }
same "connect to a port" 1 "$(calls -e 'connect if addr.port == 9 && addr.family == 2' -- pointed)"
same "of another port" 2 "$(calls -e 'connect if addr.port == 4711 || (addr.port == 9 && addr.family == 2)' -- pointed)"
same "bind of a unix socket" 3 "$(calls -e 'bind if addr.family == 1' -- pointed)"
same "what came from a port" 1 "$(calls -e 'recvfrom if addr.port == 4712' -- pointed)"
same "a msghdr's address" 1 "$(calls -e 'sendmsg if addr.port == 4712' -- pointed)"
same "a descriptor's name" 1 "$(calls -e 'pwrite64 if fd.path ~ "/tmp/*-pointed"' -- pointed)"
same "another's" 0 "$(calls -e 'pwrite64 if fd.path ~ "/tmp/*-pointer"' -- pointed)"
same "of what was opened" 1 "$(calls -e 'openat if ret_path == "/tmp/ctrace-pointed"' -- pointed)"
same "of what was closed" 2 "$(calls -e 'close if fd_path ~ "*eventfd*"' -- pointed)"
ctrace trace --no-fds -e 'read if fd.path == "x"' -- true > "$tmp/out" 2> "$tmp/err"
same "no names, no condition on them" 1 $?
has "and it says how" "no field 'fd.path'.*--fds" "$tmp/err"
ctrace trace -e 'connect if addr.host == 1' -- true > "$tmp/out" 2> "$tmp/err"
same "no such part" 1 $?
