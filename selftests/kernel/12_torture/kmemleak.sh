#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: kmemleak: nothing that the module allocated is left when the module is gone
# witness: every kind of object, then rmmod: kmemleak must find nothing that was allocated from where the
#	module was; on debug-kmemleak
# requires: any,torture
# kernels: debug-kmemleak
# timeout: 240
# torture: 300
# shellcheck disable=SC2016 # it is the kernel that expands $retval
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

leaks=/sys/kernel/debug/kmemleak
{ echo scan=off > $leaks && echo clear > $leaks; } 2> /dev/null || skip "kmemleak is not there, or off (--kernel debug-kmemleak)"

load
# Note where the module is, and its symbols: once it is gone, a backtrace has only numbers.
read -r _ size _ _ _ base _ < <(grep '^ctrace ' /proc/modules)
grep '\[ctrace\]' /proc/kallsyms | sort > "$tmp/symbols"

# Make every kind of object in random order. Then use some of each source, with filters, stacks and a state
# dump, for a container and for all but that container.
churn -s "$(long 5 60)" > "$tmp/churn" || not_ok "churn: unexpected, see below"
note "$(cat "$tmp/churn")"
cheap one -n one -- sleep 10000
cid=$(of_pid "$pid" cid)
open='p:opened do_filp_open name=+0(+0($arg2)):string'
evdump -t "cid:$cid" -t host -F '$tid > 0' -r 100000 -S -d 1 -e syscalls -f '$uid == 0 && $comm ~ "*"' -n 3 \
	-e calls -s -u -e sample:99 -s -u -e raw:sched_switch -e "$open" -f 'name ~ "/etc/*"' \
	-e 'r:read_ret vfs_read ret=$retval:s64' -e cgroup_mkdir -e net_dev_xmit -e block_rq_issue -e irq_handler_entry \
	> "$tmp/ev" 2> "$tmp/ev.err" || not_ok "evdump: $(tail -n 1 "$tmp/ev.err")"
at_least "records" 100 "$(wc -l < "$tmp/ev")"
check "all but it, recorded" ctrace record -o "$tmp/trace" -e syscalls,sched not:"$cid" -- ls /etc
check "rmmod" unload

# kmemleak counts an object from an age of five seconds. It reports an object when a second scan finds it as
# the first did.
for _ in 1 2 3; do
	sleep 6
	check "scan" eval "echo scan > $leaks"
done
cat $leaks > "$tmp/leaks"
note "unreferenced objects of all the kernel: $(grep -c '^unreferenced' "$tmp/leaks")"
# Hex numbers of equal length compare as strings. Print each address of the module in a backtrace with its
# function.
awk -v lo="${base#0x}" -v hi="$(printf %x $((base + size)))" '
	FNR == NR {at[++n] = $1; name[n] = $3; next}
	/^unreferenced/ {object = $0; told = 0}
	match($0, /ffffffff[0-9a-f]+/) {
		a = substr($0, RSTART, RLENGTH)
		if (a < lo || a >= hi)
			next
		if (!told++)
			print object
		for (i = 1; i < n && at[i + 1] <= a; i++)
			;
		print "    " a " " name[i]
	}' "$tmp/symbols" "$tmp/leaks" > "$tmp/ours"
if [ -s "$tmp/ours" ]; then
	not_ok "leaked: $(grep -c ^unreferenced "$tmp/ours") objects"
	note "$(head -n 40 "$tmp/ours")"
else
	ok "none of them is the module's"
fi
