#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace snoop: what a container starts, opens, ends with, is killed by, lacks and mounts, against its script
# witness: its sockets' TCP_INFO, a line of known delay; exit codes, a cgroup's limit
# columns: snoop exec: PCOMM PID PPID RET FILE ARGS
# columns: snoop open: PID COMM FD ERR PATH
# columns: snoop exit: PCOMM PID PPID TID AGE(s) EXIT_CODE
# columns: snoop oom: COMM PID ADJ LIMIT TRIGGERED_BY BY_COMM BY_TID
# columns: snoop cap: COMM PID CAP NAME AUDIT RESULT
# columns: snoop kill: SIG TO TCOMM TPID FROM COMM PID RESULT
# columns: snoop mount: COMM PID CALL
# requires: v2,v1,hybrid,torture
# timeout: 120
# torture: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"

# snoop NAME WORD [OPTION]...: begins one, with $tmp/NAME and its account in $tmp/NAME.err
snoops=''
snoop() {
	local name=$1
	shift
	ctrace snoop "$@" > "$tmp/$name" 2> "$tmp/$name.err" &
	snoops="$snoops $!"
	later "kill $!"
}
# the container waits for a word; then it does one of each
# shellcheck disable=SC2016 # perl's
cat > "$tmp/do.pl" << 'EOF'
my $dir = shift;
select undef, undef, undef, 0.02 until -e "$dir/go";
system "/bin/echo", "one", "two words";
open my $f, "<", "/etc/passwd"; open my $fd, ">", "$dir/fd"; print $fd fileno $f; close $fd; close $f;
open $f, "<", "$dir/not there";
{ no warnings; exec "/no/such/program", "an argument" }
unless (fork) { select undef, undef, undef, 0.3; exit 7 } wait;
my $pid = fork; unless ($pid) { sleep 1000; exit } select undef, undef, undef, 0.1; kill 15, $pid; wait;
unless (fork) { select undef, undef, undef, 0.02 until -e "$dir/known"; exec "mount", "-t", "tmpfs", "-o", "size=1M", "mine", "/mnt" }
open $f, ">", "$dir/forked"; close $f; wait; system "umount", "/mnt";
$) = "65534 65534"; $> = 65534; chroot "/"; $> = 0;
open $f, ">", "$dir/done"; close $f;
sleep 1000;
EOF
id=$(hex64 doer)
name=/box/$id
cheap doer -g "$name" -- perl "$tmp/do.pl" "$tmp"
doer=$pid cid=$(of_pid "$pid" cid)
t=cid:$cid
[ -n "$cid" ] || give_up "no container"
snoop exec exec "$t"
snoop exec.json exec "$t" --json
snoop execs exec "$t" --failed
snoop open open "$t"
snoop openf open "$t" --failed
snoop exit exit "$t" --json
snoop exittext exit "$t"
snoop kill kill "$t"
snoop mount mount "$t" -T
snoop cap cap "$t" --failed
snoop caps cap "$t" --all --json
snoop other exec host --comm nobody-at-all
recording() { [ "$(ctrace status | grep -c ' recording')" -ge "$1" ]; }
wait_for 20 recording 12 || give_up "not all record: $(ctrace status; cat "$tmp"/*.err)"
# whether the kernel asks with audit: it passes options, of which 2 says no (since 5.1)
tracefs_mount
probe=''
if ! kernel_before 5.1 && echo "p:ctest/cap cap_capable cap=\$arg3 opts=\$arg4" > "$tracefs/kprobe_events" 2> "$tmp/probe"; then
	probe=1
	later "echo 0 > $tracefs/events/ctest/enable; echo > $tracefs/kprobe_events; echo > $tracefs/trace"
	echo 1 > "$tracefs/events/ctest/cap/enable"
fi
: > "$tmp/go"
wait_for 30 test -e "$tmp/forked" || give_up "no child: $(cat "$tmp/doer.out")"
child=$(pgrep -P "$doer")
: > "$tmp/known"
wait_for 30 test -e "$tmp/done" || give_up "the container did not do it: $(cat "$tmp/doer.out")"
kill -USR1 "$doer"
sleep 1
# shellcheck disable=SC2086
kill -INT $snoops
for p in $snoops; do wait "$p" || not_ok "status $? after Ctrl-C"; done
note "$(head -n 40 "$tmp/exec" "$tmp/execs" "$tmp/openf" "$tmp/exittext" "$tmp/kill" "$tmp/mount" "$tmp/cap")"
note "$(cat "$tmp"/*.err)"

c='[^ ]+ +' # the container
has "exec: heads" '^CONTAINER +PCOMM +PID +PPID +RET +FILE +ARGS$' "$tmp/exec"
has "exec: with its arguments, and its parent" "^${c}echo +[0-9]+ +$doer +0 +/bin/echo +/bin/echo one two words$" "$tmp/exec"
same "exec: JSON" '["/bin/echo one two words",0,"echo",'"$doer]" "$(jq -c 'select(.args | startswith("/bin/echo")) | [.args, (.ret | tonumber), .comm, .ppid]' "$tmp/exec.json")"
same "exec: by its process" "mount $child" "$(jq -r "select(.pid == $child) | \"\(.comm) \(.pid)\"" "$tmp/exec.json")"
has "exec --failed: which, and why" "^${c}perl +$doer +[0-9]+ +ENOENT +/no/such/program +/no/such/program an argument$" "$tmp/execs"
has_not "exec --failed: nothing else" '/bin/echo' "$tmp/execs"
has "open: by its descriptor" "^${c}$doer +perl +$(cat "$tmp/fd") +- +/etc/passwd$" "$tmp/open"
has "open --failed" "^${c}$doer +perl +- +ENOENT +$tmp/not there$" "$tmp/openf"
has_not "open --failed: nothing else" '/etc/passwd' "$tmp/openf"
same "exit: the code, and the age" '[true,"code 7"]' "$(jq -c 'select(.exit_code == "code 7") | [.age > 250000000 and .age < 5000000000, .exit_code]' "$tmp/exit")"
same "exit: killed by" 1 "$(jq -r 'select(.exit_code == "signal 15 (SIGTERM)") | .ppid' "$tmp/exit" | grep -c "^$doer$")"
same "exit: its process and thread, by name" "mount $child $child $doer" "$(jq -r "select(.pid == $child) | \"\(.comm) \(.pid) \(.tid) \(.ppid)\"" "$tmp/exit")"
has "kill: whom, and by whom" "^${c}[0-9:.]+ SIGTERM +${id:0:12} +perl +[0-9]+ +${id:0:12} +perl +$doer +delivered$" "$tmp/kill"
has "kill: a sender in no container" "^${c}[0-9:.]+ SIGUSR1 +[^ ]+ +perl +$doer +host +[^ ]+ +$$ +(delivered|ignored)$" "$tmp/kill"
has_not "kill: nothing that nobody sent" 'SIGCHLD' "$tmp/kill"
has "mount: with its arguments" "^${c}[0-9:.]+ mount +$child +.*(mount\\(\"mine\", \"/mnt\", \"tmpfs\"|fsopen\\(\"tmpfs\").* = [03]" "$tmp/mount"
has "mount: umount" "^${c}[0-9:.]+ umount +[0-9]+ +umount2?\\(\"/mnt\".*\\) = 0$" "$tmp/mount"
if [ -n "$probe" ]; then
	sed -nE "s/^.*-$doer +\\[.* cap=(0x[0-9a-f]+) opts=(0x[0-9a-f]+).*/\\1 \\2/p" "$tracefs/trace" |
		while read -r cap opts; do echo $((cap)) $((!(opts & 2))); done | sort -u > "$tmp/asked"
	note "$(paste -sd, "$tmp/asked")"
	at_least "the kernel asked for some" 1 "$(wc -l < "$tmp/asked")"
	same "cap --all: each with audit or without, as the kernel asked" "$(cat "$tmp/asked")" \
		"$(jq -r "select(.pid == $doer) | \"\(.cap) \(.audit)\"" "$tmp/caps" | sort -u)"
fi
has "cap: what nobody may not" "^${c}perl +$doer +18 +CAP_SYS_CHROOT +1 +EPERM$" "$tmp/cap"
has_not "cap --failed: nothing that was granted" ' yes$' "$tmp/cap"
same "no events: heads alone" 1 "$(wc -l < "$tmp/other")"
for f in exec open exit kill mount cap; do
	has "$f: an account" '^ctrace: [0-9]+ events? from 1 container, 0 lost' "$tmp/$f.err"
done

# --- out of memory -----------------------------------------------------------------
if [ "$(cgroup_mode)" = v2 ]; then
	mount=/sys/fs/cgroup limit=memory.max
	{ echo +memory > $mount/cgroup.subtree_control && echo +memory > $mount/box/cgroup.subtree_control; } 2> /dev/null
else
	mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ {print $2; exit}' /proc/mounts) limit=memory.limit_in_bytes
fi
id=$(hex64 eater)
name=/box/$id
# a child of the container's init eats; perl would make a constant string before it begins
# shellcheck disable=SC2016 # perl's
cheap eater -g "$name" -- perl -e 'select undef, undef, undef, 0.02 until -e "'"$tmp/eat"'"; my $n = 100_000_000; unless (fork) { my $x = "x" x $n; exit }
	wait; open my $f, ">", "'"$tmp/eaten"'"; print $f $? & 127; close $f; sleep 1000'
if ! echo 20M > "$mount$name/$limit"; then
	note "no limit of memory here"
else
	[ ! -e "$mount$name/memory.swap.max" ] || echo 0 > "$mount$name/memory.swap.max"
	# its child has the same
	echo 77 > "/proc/$pid/oom_score_adj"
	snoops=''
	snoop oom oom
	snoop okill kill "cid:$(of_pid "$pid" cid)"
	wait_for 20 recording 2
	: > "$tmp/eat"
	wait_for 20 test -s "$tmp/eaten" || give_up "nothing was killed"
	sleep 0.5
	# shellcheck disable=SC2086
	kill -INT $snoops
	# shellcheck disable=SC2086
	wait $snoops
	note "$(cat "$tmp/oom" "$tmp/okill")"
	same "the signal that the child died of" 9 "$(cat "$tmp/eaten")"
	victim=$(dmesg | sed -nE 's/.*Killed process ([0-9]+),? \(perl\).*/\1/p' | tail -n 1)
	at_least "the victim, by the kernel's log" 2 "$victim"
	# before 4.14 the kernel does not report it
	if tplist | grep -qx mark_victim; then
		has "oom: who, with which limit, and who needed memory" "^${c}[0-9:.]+ perl +$victim +77 +20\.0M +${id:0:12} +perl +$victim$" "$tmp/oom"
	fi
	has "kill: by the kernel" "^${c}[0-9:.]+ SIGKILL +[^ ]+ +perl +${victim:-none} " "$tmp/okill"
fi 2> "$tmp/limit.err"

# --- words and options ---------------------------------------------------------------
same "the list" "exec open exit oom cap kill mount" "$(ctrace snoop | awk '{print $1}' | xargs)"
same "the list as JSON" exec "$(ctrace snoop --json | jq -r .word | head -n 1)"
refuse "an unknown word" "knows no 'opne' \(did you mean 'open'\?\)" ctrace snoop opne
refuse "no word" 'no WORD' ctrace snoop --time
refuse "a table's option" 'is for tables' ctrace snoop exec --top 5
refuse "-e" 'has its own events' ctrace snoop exec -e open
refuse "--failed where nothing can fail" 'nothing that can fail' ctrace snoop oom --failed
refuse "an unknown option" 'unknown option' ctrace snoop exec --no-such
ctrace snoop cap --explain > "$tmp/out"
has "--explain" '^probe +(security:)?cap_capable if \(audit == 1\)' "$tmp/out"
same "a command's status" 3 "$(ctrace snoop exec -- sh -c 'exit 3' > "$tmp/out" 2>&1; echo $?)"
has "and its exec" ' sh -c exit 3$' "$tmp/out"
