#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: fork, exec and exit have the tids, names and codes that the program itself prints
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
evdump -e sched_process_fork -e sched_process_exit -e sched_process_exec -- provoke fork > "$tmp/ev" 2> "$tmp/err"
has "exec: the file" 'sched_process_exec .*filename="[^"]*provoke"' "$tmp/ev"
child=$(sed -n 's/.*parent=[0-9]* child=\([0-9]*\) .*/\1/p' "$tmp/ev")
parent=$(sed -n 's/^parent=\([0-9]*\) .*/\1/p' "$tmp/ev")
killed=$(sed -n 's/^killed=\([0-9]*\) .*/\1/p' "$tmp/ev")
child=$(sed -n 's/^parent=[0-9]* child=\([0-9]*\) .*/\1/p' "$tmp/ev")
has "fork: parent and child" "sched_process_fork .*parent_tid=$parent parent_pid=$parent .*child_tid=$child child_pid=$child " "$tmp/ev"
has "exit of the child: code 37" "sched_process_exit .* tid=$child prio=[0-9]+ exit_code=(37|9472) pid=$child ppid=$parent group_dead=1 wait_status=(37|9472) " "$tmp/ev"
has "exit of the killed: signal 9" "sched_process_exit .* tid=$killed prio=[0-9]+ exit_code=(9|137) pid=$killed ppid=$parent group_dead=1 wait_status=(9|137) " "$tmp/ev"
evdump -e sched_process_fork -e syscall:getppid -- provoke thread > "$tmp/ev" 2> "$tmp/err"
pid=$(sed -n 's/^pid=\([0-9]*\) tid=.*/\1/p' "$tmp/ev") tid=$(sed -n 's/^pid=[0-9]* tid=//p' "$tmp/ev")
has "a thread: its own tid, its process's pid" "sched_process_fork .*child_tid=$tid child_pid=$pid " "$tmp/ev"
has "a thread's calls are followed" "syscall_entry_getppid cid=0 tid=$tid vtid=$tid" "$tmp/ev"
