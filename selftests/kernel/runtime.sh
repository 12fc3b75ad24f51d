# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# runtime.sh: the checks that every runtime which runs a bundle must pass. Source it after lib.sh.

# can_run RUNTIME: skips where an older kernel lacks what the runtime always needs: device rules of v2 (BPF)
# before 4.15, keyrings
can_run() {
	kernel_before 5.4 || return 0
	bundle "$tmp/try" "/$1-try" true
	timeout -k 5 30 "$1" run --bundle "$tmp/try" "try-$1" > "$tmp/run" 2>&1 < /dev/null || skip "$1 does not run on this kernel: $(tail -n 1 "$tmp/run")"
}

# one_container RUNTIME: its container has a single cid, with the right path, pid namespace, init and id
one_container() {
	local id pid cid
	can_run "$1"
	load
	id=$(hex64 "$1-one")
	# slow enough for us to look at it
	bundle "$tmp/b" "/$1-test/$id" /bin/sh -c 'counted 7 20 2; exec sleep 1000'
	dump "$tmp/ev" -t all -e syscall:getpriority -e sched_process_exec -d 100
	later "$1 delete -f c-$1"
	# A detached container keeps the output it was given. Give it a file, not a pipe that we read.
	"$1" run --detach --bundle "$tmp/b" "c-$1" > "$tmp/run" 2>&1 < /dev/null || give_up "$1 run: $(cat "$tmp/run")"
	pid=$("$1" state "c-$1" | jq .pid)
	wait_for 20 bash -c "[ \$(grep -c syscall_entry_getpriority $tmp/ev) -ge 60 ]"
	same "one container with that init" 1 "$(of_pid "$pid" cid | wc -l)"
	cid=$(of_pid "$pid" cid)
	same "its pid namespace" "$(pidns_of "$pid")" "$(of_pid "$pid" pidns)"
	same "its path" "/$1-test/$id" "$(of_pid "$pid" path)"
	same "its id" "$id" "$(of_pid "$pid" runtime_id)"
	same "its parent" 0 "$(of_pid "$pid" parent)"
	same "cid of all its marked calls" "$cid" "$(cids "$tmp/ev" 'entry_getpriority.*who=7( |$)')"
	same "none was missed" 60 "$(grep -cE 'entry_getpriority.*who=7( |$)' "$tmp/ev")"
	same "cid of its program's exec" "$cid" "$(cids "$tmp/ev" "exec.*[ (]tid=$pid .*filename=\"[^ ]*sleep\"")"
}

# make_share W: makes every other one of $n containers
make_share() {
	local i w=$1
	for ((i = w; i <= n; i += 2)); do
		# few names, so that cgroup ids and paths are reused
		bundle "$tmp/w$w" "/$runtime-pairs/$(hex64 "$runtime-$w-$((i % 3))")" counted "$i" 10 2
		"$runtime" run --bundle "$tmp/w$w" "p$w-$i" < /dev/null || exit 1
		echo "$i 30" >> "$tmp/log"
	done
}

# many_containers RUNTIME: makes short-lived containers, two at a time
many_containers() {
	export runtime=$1 n=${CTRACE_TEST_RUNTIME_PAIRS:-6}
	can_run "$1"
	load
	export -f make_share bundle rootfs hex64
	export tmp top inner_path
	# for the inner shell
	# shellcheck disable=SC2016
	program checker -l -w "$tmp/log" -- bash -c 'make_share 1 & job=$!; make_share 2 && wait $job'
}
