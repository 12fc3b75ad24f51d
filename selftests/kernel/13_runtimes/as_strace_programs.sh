#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: sh, python3, nginx, curl and a JVM under strace -f -yy: ctrace shows the same calls, line by line
# witness: strace -f -yy of sh, python3, nginx, curl and a JVM, and ctrace watching the same run: line by
#	line, by task; in make torture
# requires: v2,torture
# kernels: runtimes
# timeout: 400
# torture: 600
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Both watch the same run, so even addresses are the same. Calls that do not return are no whole calls.
# joined: strace's log, each call in one piece, from the program's exec on
joined() {
	awk '{ pid = $1; sub(/^[0-9]+ +/, "") }
		/<unfinished \.\.\.>$/ { sub(/ *<unfinished \.\.\.>$/, ""); begun[pid] = $0; next }
		/^<\.\.\. [a-z0-9_]+ resumed>/ { sub(/^<\.\.\. [a-z0-9_]+ resumed> */, ""); $0 = begun[pid] " " $0 }
		/ = \?$/ || /^(exit|exit_group)\(/ { next }
		{ print pid, $0 }' "$1"
}
# whole PIDS LOG: of whole calls, those of these tasks, from the first exec that succeeded on. A task that is killed in a
# call has that as its last, with the result that nobody sees.
whole() {
	awk 'NR == FNR { mine[$1] = 1; next }
		match($0, /\[vtid [0-9]+\] /) {
			pid = substr($0, RSTART + 6, RLENGTH - 8)
			line = substr($0, RSTART + RLENGTH)
			sub(/ <[0-9.]+>$/, "", line)
			if (!(pid in mine) || !(begun = begun || line ~ /^execve\(.* = 0$/))
				next
			if (last[pid] != "")
				print pid, last[pid]
			last[pid] = line
		}
		END {
			for (pid in last)
				if (last[pid] !~ / = \? /)
					print pid, last[pid]
		}' "$1" "$2"
}
# Known differences:
bare() {
	sed -E 's/ +=/ =/g; s/ +\)/)/g; s/ ,/,/g; s/\( /(/
		# no numbers of devices, no time that was left
		s/<(char|block) [0-9]+:[0-9]+>//g
		s/ \((in|out|left) .*\)$//; s/(\]|\)), left \{[^}]*\}\)/\1)/
		# strace has dots behind each name of 15 bytes, the most that there can be
		s/(PR_SET_NAME, "[^"]{15}")\.\.\./\1/
		# what a handler returns to
		s/^([0-9]+ rt_sigreturn\()\{.*\}\)/\1)/
		# at the return a connection has both ends, and a socket its address
		s/^([0-9]+ (bind|connect|listen|close)\([0-9]+)<(TCP|UDP)(v6)?:[^,)]*/\1/
		# once the other end of a pair is closed, there is none; strace remembers which it was
		s/^([0-9]+ [a-z]+\([0-9]+<UNIX-STREAM:\[[0-9]+)->[0-9]+\]/\1]/' | sort -s -n -k 1,1
}
# beside COMMAND...: strace runs the command, and ctrace watches that
beside() {
	ctrace trace -e calls --data 1024 -o "$tmp/c" -- \
		strace -f -yy -qq -s 1024 -e signal=none -o "$tmp/s" "$@" > "$tmp/out" 2> "$tmp/err"
}
# compare NAME
compare() {
	joined "$tmp/s" | bare > "$tmp/expected"
	cut -d ' ' -f 1 "$tmp/expected" | sort -u > "$tmp/pids"
	whole "$tmp/pids" "$tmp/c" | bare > "$tmp/seen"
	at_least "$1: strace saw calls" 40 "$(wc -l < "$tmp/expected")"
	note "$1: $(wc -l < "$tmp/expected") calls of $(wc -l < "$tmp/pids") tasks"
	check "$1: the same lines" diff "$tmp/expected" "$tmp/seen"
}

load
for program in python3 nginx curl java; do
	command -v $program > "$tmp/out" || skip "there is no $program"
done
cd /tmp || exit
beside sh -c 'echo one > x; cat x | wc -c; ls / > /dev/null; umask 027; read a < x; cat /nowhere; sleep 0.1 & wait; rm x'
compare sh
beside python3 -c 'import os, select, socket, threading
a, b = socket.socketpair()
b.send(b"hello")
select.poll().register(a)
a.recv(9)
t = threading.Thread(target=os.getpid)
t.start()
t.join()
os.listdir("/proc/self/fd")
open("/tmp/written", "w").write("text")
os.remove("/tmp/written")'
compare python3

mkdir -p n/logs
echo page > n/index.html
cat > n/conf <<-'CONF'
	daemon off;
	worker_processes 1;
	pid n.pid;
	events { worker_connections 16; }
	http {
		access_log /tmp/n/logs/access;
		server { listen 127.0.0.1:8080; root /tmp/n; }
	}
CONF
beside nginx -p /tmp/n -c /tmp/n/conf &
served() { [ "$(curl -s http://127.0.0.1:8080/index.html)" = page ]; }
wait_for 10 served || give_up "nginx does not serve"
curl -s http://127.0.0.1:8080/missing > "$tmp/page"
kill -QUIT "$(cat /tmp/n/n.pid)"
wait
compare nginx
nginx -p /tmp/n -c /tmp/n/conf 2> "$tmp/nginx" &
wait_for 10 served || give_up "nginx does not serve again"
beside curl -s http://localhost:8080/index.html
compare curl
kill -QUIT "$(cat /tmp/n/n.pid)"
wait
beside java -Xmx32m -XX:TieredStopAtLevel=1 -version
compare java
