#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a definition goes with the socket that made it, unless it is to be kept; sessions that use it keep it
# witness: a process that ends, the command, 1,024 definitions
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
open=$(open_function)

# hold DEFINITION: defines it in a process that lives until let_go
mkfifo "$tmp/open"
exec 9<> "$tmp/open"
hold() {
	rm -f "$tmp/held"
	definer hold "$1" <&9 > "$tmp/held" 2> "$tmp/held.err" &
	holder=$!
	later "kill $holder"
	wait_for 10 test -s "$tmp/held" || give_up "definer: $(cat "$tmp/held.err")"
}
let_go() {
	kill "$holder"
	wait "$holder" || true
}

hold "p:passing $open"
has "listed" ' kprobes passing ' <(definer list)
refuse "its name is taken" "an event 'passing' already exists" definer add "p:passing do_exit"
dump "$tmp/ev" -t all -e passing -d 100
let_go
has_not "gone with its maker" ' passing ' <(definer list)
refuse "its name is nobody's now" "no event 'passing'" evdump -t all -e passing -d 0
cat /nonexistent/after 2> /dev/null
sleep 0.3
stop_dump
has "a session that used it keeps it" ' passing ' "$tmp/ev"

check "its name is free" definer add "p:passing do_exit"
has "one that is to be kept outlives its maker" ' kprobes passing ' <(definer list)
check "another may delete it" definer del passing

check "the command's definitions are kept" ctrace probe add "p:c_kept $open"
has "after the command" ' kprobes c_kept ' <(definer list)
check "and deleted" ctrace probe del c_kept

hold "p:passing $open"
check "another may delete what is held" definer del passing
check "and define the name anew" definer add "p:passing do_exit"
let_go
has "which the first maker's end leaves alone" ' kprobes passing ' <(definer list)
check "deleted" definer del passing
same "none left" 0 "$(definer list | wc -l)"

# While one kprobe exists all the time, the kernel need not rewrite its code for each definition.
dump "$tmp/ev2" -t cid:0 -e "kprobe:$open" -d 100
for i in $(seq 1024); do echo "p:n$i $open"; done > "$tmp/many"
check "as many as there may be" xargs -d '\n' -n 5000 -a "$tmp/many" definer hold < /dev/null
same "gone with their maker" 0 "$(definer list | wc -l)"
check "and there is room again" definer add "p:n1 $open"
stop_dump
check "unloaded" unload
