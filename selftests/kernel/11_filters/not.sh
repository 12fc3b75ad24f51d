#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: all containers but one: containers inside it, and those born there later, are excluded too
# witness: marked calls in containers, by directory, by followed process
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# Each container makes its marked calls on request. Then b starts one more container inside itself.
mark() { echo "until [ -e $tmp/go ]; do sleep 0.1; done; counted $1 10"; }
cheap a -g "/box/$(hex64 nota)" -- sh -c "$(mark 1); sleep 10000"
a=$(of_pid "$pid" cid)
cheap b -g "/box/$(hex64 notb)" -- sh -c "unshare --pid --fork sh -c '$(mark 3)' & $(mark 2); unshare --pid --fork counted 4 10; sleep 10000"
bpid=$pid
b=$(of_pid "$pid" cid)
check "two containers" test "${a:-0}" -gt 0 -a "${b:-0}" -gt 0 -a "$a" != "$b"
dump "$tmp/ev" -t all -t "not:$b" -e syscall:getpriority
touch "$tmp/go"
cheap c -g "/box/$(hex64 notc)" -- sh -c "counted 5 10; sleep 10000"
nsenter -t "$bpid" --pid counted 7 10	# the host's cgroup, the container's pid namespace
counted 6 10
marked() { grep -c "entry_getpriority .* who=$1\$" "$tmp/ev"; }
all_there() { for n in 1 5 6; do [ "$(marked $n)" = 10 ] || return 1; done; }
check "all others" wait_for 20 all_there
sleep 1
stop_dump
has_not "nothing of its own" 'who=2$' "$tmp/ev"
has_not "nor of the one inside" 'who=3$' "$tmp/ev"
has_not "nor of one born inside since" 'who=4$' "$tmp/ev"
has_not "nor of a task that came into its pid namespace" 'who=7$' "$tmp/ev"
cids "$tmp/ev" . | tr ' ' '\n' > "$tmp/cids"
has_not "its cid nowhere" "^$b\$" "$tmp/cids"
# a directory as the target, and a followed process that enters it
mount=$(cgroup_mount)
mkdir "$mount/notdir"
later "rmdir $mount/notdir"
enter="echo \$\$ > $mount/notdir/cgroup.procs; unshare --pid --fork counted 12 10"
dump "$tmp/ev" -t all -t "not:$mount/notdir" -e syscall:getpriority
bash -c "counted 11 10; $enter; counted 12 10"
bash -c "counted 13 10; $enter"
# a container that was born elsewhere, and enters it
unshare --pid --fork bash -c "counted 14 10; echo 0 > $mount/notdir/cgroup.procs; counted 12 10"
stop_dump
same "before it went in" "10 10 10" "$(marked 11) $(marked 13) $(marked 14)"
has_not "nothing from in there" 'who=12$' "$tmp/ev"
printf '#!/bin/bash\nread -r _ < %s\ncounted 21 10\n%s\ncounted 12 10\necho $$ > %s\ncounted 22 10\n' \
	"$tmp/fifo" "$enter" "$mount/cgroup.procs" > "$tmp/followed"
mkfifo "$tmp/fifo"
bash "$tmp/followed" &
followed=$!
dump "$tmp/ev" -t "pid:$followed" -t "not:$mount/notdir" -e syscall:getpriority
echo > "$tmp/fifo"
wait $followed
stop_dump
same "a followed process, outside" "10 10" "$(marked 21) $(marked 22)"
has_not "not inside" 'who=12$' "$tmp/ev"
