#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a definition outlives its maker; it is attached by name, listed and deleted; sessions that use it keep it
# witness: the words of each refusal, kprobes/list, 1,024 definitions, nobody's listing
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
open=$(open_function)
list=/sys/kernel/debug/kprobes/list

id=$(definer add "p:mine $open name=+0(%$reg2):ustring")
check "another" definer add "r:grp/yours $open \$retval:s32"
definer list > "$tmp/list"
has "listed" "^$id kprobes mine p:mine $open name=\+0\(%$reg2\):ustring\$" "$tmp/list"
has "with its group" "^[0-9]+ grp yours r:grp/yours $open " "$tmp/list"
# A definition may contain addresses, so only those who may trace see it.
setpriv --reuid=65534 --regid=65534 --clear-groups "$here/build/definer" list > "$tmp/nobody"
same "listed to nobody" "0 0" "$? $(wc -l < "$tmp/nobody")"
same "attached to nothing yet" 0 "$(grep -c "$open" $list)"
refuse "a name twice" "an event 'mine' already exists" definer add "p:mine do_exit"
refuse "in another group as well" "an event 'yours' already exists" definer add "p:yours do_exit"

evdump -e mine -e grp:yours -- cat /nonexistent/ctrace > "$tmp/ev" 2> "$tmp/err"
has "by its name" ' mine .* name="/nonexistent/ctrace"' "$tmp/ev"
has "by group and name" ' yours .* arg1=-2$' "$tmp/ev"

dump "$tmp/ev2" -t all -e kprobes:mine -d 100
check "deleted while in use" definer del mine
has_not "not listed any more" ' mine ' <(definer list)
cat /nonexistent/after 2> /dev/null
sleep 0.3
stop_dump
has "its session keeps it, and its records can be read" ' mine .* name="/nonexistent/after"' "$tmp/ev2"
refuse "its name is nobody's now" "no event 'mine'" evdump -t all -e mine -d 0
refuse "to delete it again" "no definition 'mine'" definer del mine
same "the same again is the same type" "$id" "$(definer add "p:mine $open name=+0(%$reg2):ustring")"
check "by group and name" definer del kprobes:mine grp:yours
same "none left" 0 "$(definer list | wc -l)"

# While one kprobe exists all the time, the kernel need not rewrite its code for each definition.
dump "$tmp/ev3" -t cid:0 -e "kprobe:$open" -d 100
for i in $(seq 1025); do echo "p:n$i $open"; done > "$tmp/many"
refuse "a limit to them" "already 1024 definitions" xargs -d '\n' -n 5000 -a "$tmp/many" definer add
same "all of them are listed" 1024 "$(definer list | wc -l)"
stop_dump
check "no kprobe is left of them" wait_for 10 bash -c "! grep $open $list"
check "unloaded with all of them" unload
