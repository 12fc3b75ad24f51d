#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: stacks of a JVM in a container have the names of methods that it compiled, and of its interpreter
# witness: keytool makes a long key, and is asked to write its map, as jcmd does; before that, no method
#	has a name
# requires: v2,torture
# kernels: runtimes
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# In place of the JDK's jcmd, which the JRE lacks: asks the JVM, whose own number is 1, to write its map.
perfmap() {
	touch /tmp/.attach_pid1
	kill -QUIT "$1"
	wait_for 30 test -S /tmp/.java_pid1 || return
	perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => "/tmp/.java_pid1") or die "$!";
		print $s "1\0jcmd\0Compiler.perfmap\0\0\0"; $s->flush; $s->shutdown(1); print while <$s>'
}

load
later "rm -f /tmp/.attach_pid1 /tmp/.java_pid1 /tmp/perf-1.map"
# a program of the JRE that works for minutes
cheap java -n java -- keytool -J-XX:+PreserveFramePointer -genkeypair -alias x -keyalg RSA -keysize 16384 -dname CN=x -storepass changeit \
	-keystore "$tmp/keys"
sleep 30
ctrace trace "pid:$pid" -F 49 --duration 4 --folded "$tmp/before" > "$tmp/out" 2>&1
check "the JVM writes its map" perfmap "$pid"
check "its map" test -s /tmp/perf-1.map
note "$(head -n 3 /tmp/perf-1.map)"
ctrace trace "pid:$pid" -F 49 --duration 8 --folded "$tmp/after" > "$tmp/out" 2>&1
note "$(wc -l < "$tmp/before") stacks before, $(wc -l < "$tmp/after") after"
note "$(sort -k 1 "$tmp/after" | awk '{print $NF, $0}' | sort -rn | head -n 3 | cut -c1-900)"
same "before, no method has a name" 0 "$(grep -c 'java\.' "$tmp/before")"
has "from the interpreter to compiled methods" 'Interpreter;.*java\.math\.[A-Za-z]*Integer' "$tmp/after"
