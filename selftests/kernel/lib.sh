# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for those who source it
# lib.sh: the functions that the tests in a guest share. Each test starts with
#	. "$(dirname "$0")/../lib.sh"
# and calls ok, not_ok or check for each thing it looks at. Output is KTAP. The exit status is kselftest's: 0,
# 1 (something was not ok) or 4 (skipped).

set -u
# kernel_before MAJOR.MINOR: is this kernel older? Use it only where nothing else shows the difference.
kernel_before() {
	local v
	IFS=.- read -ra v < /proc/sys/kernel/osrelease
	[ $((v[0] * 1000 + v[1])) -lt $((${1%.*} * 1000 + ${1#*.})) ]
}
# A kprobe definition names these differently on each architecture: the registers of a function's arguments
# and of the program counter; the functions of system calls; and the places of a call's own arguments in their
# registers (struct pt_regs).
case $HOSTTYPE in
aarch64) reg1=x0 reg2=x1 reg3=x2 reg_pc=pc sys=__arm64_sys sys_arg1=0 sys_arg2=8;;
*) reg1=di reg2=si reg3=dx reg_pc=ip sys=__x64_sys sys_arg1=112 sys_arg2=104;;
esac
# Before 4.17 a system call's function takes the call's arguments directly. It may have an alias in small
# letters, or not.
! kernel_before 4.17 || grep -q " ${sys}_execve\$" /proc/kallsyms || sys=SyS sys_arg1=''
# sys_arg N: prints a system call's first or second argument, for a definition at its function
sys_arg() {
	local offset=sys_arg$1
	if [ -n "$sys_arg1" ]; then echo "+${!offset}(\$arg1)"; else echo "\$arg$1"; fi
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$here/build:$PATH
module=$top/ctrace.ko
tmp=$(mktemp -d)
count=0 failed=0

ok() { count=$((count + 1)); echo "ok $count - $*"; }
not_ok() { count=$((count + 1)) failed=$((failed + 1)); echo "not ok $count - $*"; }
# A word that is no command is a mistake of the test: a file that was not sourced, a tool that the guest lacks. The shell
# calls this in a process of its own, so finish() counts it.
command_not_found_handle() {
	echo "$1" >> "$tmp/no-such-command"
	echo "$1: no such command" >&2
	return 127
}
note() { printf '%s\n' "$*" | sed 's/^/# /'; }
skip() { count=-1; echo "1..0 # SKIP $*"; exit 4; }
# give_up TEXT: fails and ends, because the rest would make no sense
give_up() { not_ok "$@"; exit 1; }

# check WHAT COMMAND...: COMMAND must succeed
check() {
	local what=$1 out
	shift
	if out=$("$@" 2>&1); then ok "$what"; else
		not_ok "$what: expected success, seen status $? of: $*"
		note "$(head -c 2000 <<< "$out")"
	fi
}
# refuse WHAT PATTERN COMMAND...: COMMAND must fail, and say PATTERN (an extended expression)
refuse() {
	local what=$1 pattern=$2 out st
	shift 2
	out=$("$@" 2>&1) && st=0 || st=$?
	if [ "$st" = 0 ]; then not_ok "$what: expected a refusal, seen success of: $*"
	elif [ "$st" -ge 124 ]; then not_ok "$what: expected a refusal, seen status $st of: $*"
	elif ! grep -qiE -e "$pattern" <<< "$out"; then not_ok "$what: expected words like '$pattern', seen: $out"
	else ok "$what (status $st: $(head -n 1 <<< "$out"))"; fi
}
# same WHAT EXPECTED SEEN
same() { if [ "$2" = "$3" ]; then ok "$1: $3"; else not_ok "$1: expected '$2', seen '$3'"; fi; }
# at_least WHAT NUMBER SEEN
at_least() { if [ "${3:-0}" -ge "$2" ] 2> /dev/null; then ok "$1: $3"; else not_ok "$1: expected $2 or more, seen '${3:-}'"; fi; }
# in_range WHAT LEAST MOST SEEN
in_range() {
	if [ "${4:-0}" -ge "$2" ] && [ "$4" -le "$3" ]; then ok "$1: $4"; else not_ok "$1: expected $2 to $3, seen '${4:-}'"; fi 2> /dev/null
}
# has WHAT PATTERN FILE: a line of FILE matches
has() {
	if grep -qE -e "$2" "$3"; then ok "$1"; else
		not_ok "$1: expected a line like '$2', seen $(wc -l < "$3") others"
		note "$(tail -n 5 "$3" | cut -c1-300)"
	fi
}
has_not() {
	if ! grep -qE -e "$2" "$3"; then ok "$1"; else
		not_ok "$1: expected no line like '$2'"
		note "$(grep -E -e "$2" "$3" | head -n 5 | cut -c1-300)"
	fi
}
# wait_for SECONDS COMMAND...: waits until COMMAND succeeds; gives up after three times SECONDS, as machines
# may be busy
wait_for() {
	local end=$((SECONDS + 3 * $1)) n=0
	shift
	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		# what takes long is not asked for so often: to ask takes time, too
		pause $(((n += 1) > 8 ? 3 : 1))
	done
}
# pause [TENTHS]: a tenth of a second. In an emulated guest a process for sleep(1) takes a third of that. Before bash 5.2 read's
# alarm may come before it reads, and then it reads for ever.
pause() {
	if [ "${BASH_VERSINFO[0]}${BASH_VERSINFO[1]}" -lt 52 ]; then
		sleep "0.${1:-1}"
		return
	fi
	# a subshell of an earlier call may have made it
	[ -p "$tmp/.pause" ] || mkfifo "$tmp/.pause"
	[ -n "$pause_fd" ] || exec {pause_fd}<> "$tmp/.pause"
	read -rt "0.${1:-1}" -u "$pause_fd" || :
}
pause_fd=''

# recording N [NAME]: at least N sessions record (of that name). nl_sessions starts faster than ctrace and jq do, which matters where
# it is waited for
recording() { [ "$(nl_sessions | grep -cE "^session [0-9]+ state 1 .* name ${2:-}")" -ge "$1" ]; }

# For jq: objects with their keys in order, as jq -S prints them. gojq, which stands for it in most guests, lacks -S.
sorted='def sorted: walk(if type == "object" then to_entries | sort_by(.key) | from_entries else . end);'
# long SHORT LONG: prints SHORT in the everyday suite and LONG in make torture
long() { if [ -n "${CTRACE_TEST_TORTURE:-}" ]; then echo "$2"; else echo "$1"; fi; }

# open_function: prints the function behind open(2), with arguments (dfd, filename, ...)
open_function() { if grep -q ' do_sys_openat2$' /proc/kallsyms; then echo do_sys_openat2; else echo do_sys_open; fi; }

# hasten: makes RCU's grace periods end at once, so that memory is freed sooner and no test waits long for it
hasten() {
	local f=/sys/kernel/rcu_expedited
	[ -w $f ] || return 0
	later "echo $(cat $f) > $f"
	echo 1 > $f
}

# vmalloc_kb: prints how much vmalloc memory the module has. The kernel gives out /proc/vmallocinfo a page at
# a time, and continues by line number. When other areas come and go in between (each task's stack is one), a
# line is read twice or not at all. So read until two readings in a row agree.
vmalloc_kb() {
	local now='' last=none
	until [ "$now" = "$last" ]; do
		last=$now
		now=$(awk '/\[ctrace\]/ {s += $2} END {print int(s / 1024)}' /proc/vmallocinfo)
	done
	echo "$now"
}

# program NAME [ARG...]: runs a C program that prints KTAP of its own, and is the whole test
program() {
	local st
	command -v "$1" > /dev/null || skip "$1 was not built"
	load
	"$@"
	st=$?
	[ $st != 4 ] || exit 4
	[ $st = 0 ] || { echo "# $1 ended with status $st"; failed=1; }
	count=-1
}

loaded() { [ -d /sys/module/ctrace ]; }
load() {
	loaded && return
	# On a host, /lib/modules may have another version of the module.
	{ [ "${VM_KERNEL:-}" != host ] && modprobe ctrace 2> /dev/null; } || insmod "$module" || give_up "the module does not load"
	wait_for 5 test -c /dev/ctrace
}
unload() {
	loaded || return 0
	# Readers that closed last may still be on their way out.
	wait_for 10 rmmod ctrace
}

# --- what is undone at the end, last thing first --------------------------------
undo=()
later() { undo=("$*" ${undo[@]+"${undo[@]}"}); }
# room_for_tasks N: there may be N more, until the test ends
room_for_tasks() {
	local f was
	for f in pid_max threads-max; do
		was=$(cat /proc/sys/kernel/$f)
		[ "$was" -gt $(($1 + 2000)) ] || { later "echo $was > /proc/sys/kernel/$f"; echo $(($1 + 2000)) > /proc/sys/kernel/$f; }
	done
	ulimit -u unlimited
}
finish() {
	local st=$? u
	trap '' EXIT
	for u in ${undo[@]+"${undo[@]}"}; do eval "$u" > /dev/null 2>&1; done
	[ ! -e "$tmp/no-such-command" ] || { failed=1; note "no such command: $(sort -u "$tmp/no-such-command" | tr '\n' ' ')"; }
	rm -rf "$tmp"
	[ $count -lt 0 ] || echo "1..$count"
	[ $st = 4 ] && exit 4
	[ $failed = 0 ] && [ $st = 0 ] || exit 1
	exit 0
}
trap finish EXIT

# --- containers -------------------------------------------------------------------

# cheap NAME [OPTION]... -- COMMAND: starts a container by ctbox, in the background; sets $pid to its init
# (host's number)
cheap() {
	local name=$1
	shift
	rm -f "$tmp/$name.pid"
	ctbox -i "$tmp/$name.pid" "$@" > "$tmp/$name.out" 2>&1 &
	later "kill -9 $!; kill -9 \$(cat $tmp/$name.pid); wait $!"
	wait_for 20 test -s "$tmp/$name.pid" || give_up "no container $name: $(cat "$tmp/$name.out")"
	pid=$(cat "$tmp/$name.pid")
}

# hex64 WORD: prints a name such as a runtime gives a cgroup
hex64() { printf %s "$1" | sha256sum | cut -c1-64; }

# docker_box NAME SCRIPT: a container that runs sh -c SCRIPT, with a name as docker gives it; $docker_id is its id
docker_box() {
	docker_id=$(hex64 "$1")
	mkdir -p "/var/lib/docker/containers/$docker_id"
	later "rm -rf /var/lib/docker/containers/$docker_id; rmdir -p --ignore-fail-on-non-empty /var/lib/docker/containers"
	printf '{"ID": "%s", "Name": "/%s"}\n' "$docker_id" "$1" > "/var/lib/docker/containers/$docker_id/config.v2.json"
	cheap "$1" -g "/docker/$docker_id" -- sh -c "$2"
}

# rootfs DIR: makes a root with the programs of the host and of the tests in it, read-only
rootfs() {
	local d
	mkdir -p "$1"/{proc,dev,sys,tmp,etc,run,usr,ctrace}
	for d in bin sbin lib lib64; do ln -sfn "usr/$d" "$1/$d"; done
	echo "root:x:0:0:root:/:/bin/sh" > "$1/etc/passwd"
}
inner_path=/ctrace/selftests/kernel/build:/usr/sbin:/usr/bin

# bundle DIR CGROUP COMMAND...: makes an OCI bundle that runs COMMAND
bundle() {
	local dir=$1 cgroup=$2
	shift 2
	rootfs "$dir/rootfs"
	rm -f "$dir/config.json"
	(cd "$dir" && crun spec) || return
	# Pass the command by standard input: jq would take a -c among its arguments as its own option.
	printf '%s\n' "$@" | jq -Rc --slurpfile spec "$dir/config.json" --arg cg "$cgroup" --arg top "$top" \
		--arg path "PATH=$inner_path" -n '[inputs] as $args | $spec[0]
		| .process.terminal = false | .process.args = $args | .process.env = [$path]
		| .root = {path: "rootfs", readonly: false}
		| .linux.cgroupsPath = $cg
		| .linux.namespaces |= map(select(.type != "network"))
		| .mounts += [{destination: "/usr", type: "bind", source: "/usr", options: ["rbind", "ro"]},
			{destination: "/ctrace", type: "bind", source: $top, options: ["rbind", "ro"]}]' \
		> "$dir/c2" && mv "$dir/c2" "$dir/config.json"
}

# podman_run NAME COMMAND...: starts a detached container, with the options in podman_opts; sets $id to its full id and
# $pid to its init
podman_run() {
	local name=$1 opts=("${podman_opts[@]}")
	shift
	# Before 3.17 there is no seccomp(2), which podman's runtime needs; before 3.18 there is no overlay.
	grep -qE '[ _]([sS]y[sS])_seccomp$' /proc/kallsyms || opts+=(--security-opt=seccomp=unconfined)
	modprobe overlay 2> /dev/null
	if ! grep -qw overlay /proc/filesystems; then
		export CONTAINERS_STORAGE_CONF=$tmp/storage.conf
		printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers/storage"\ngraphroot = "/var/lib/containers/storage"\n' \
			> "$CONTAINERS_STORAGE_CONF"
	fi
	[ -d "$tmp/podman-rootfs" ] || rootfs "$tmp/podman-rootfs"
	id=$(podman --cgroup-manager=cgroupfs run -d --name "$name" --network=none --cgroupns=private \
		"${opts[@]}" -e "PATH=$inner_path" -v /usr:/usr:ro -v "$top:/ctrace:ro" --rootfs "$tmp/podman-rootfs" "$@" \
		2> "$tmp/podman.err") || give_up "podman run $name: $(tail -n 3 "$tmp/podman.err")"
	# conmon writes it; podman itself takes a second to print it
	pid=$(cat /run/containers/storage/*-containers/"$id"/userdata/pidfile)
	# Kill it first: a shell that is init ignores TERM, and podman would wait ten seconds.
	later "kill -9 \$(cat /run/containers/storage/*-containers/$id/userdata/pidfile); podman rm -f $name"
}

# cgroup_mode: prints v1, v2 or hybrid
cgroup_mode() {
	if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then echo v2
	elif [ -d /sys/fs/cgroup/unified ]; then echo hybrid
	else echo v1; fi
}

# cgroup_mount: prints a mount point of cgroups: v2's if there is one (pids exists since 4.3; a kernel may have no memory)
cgroup_mount() {
	awk '$3 == "cgroup2" {print $2; found = 1; exit} $3 == "cgroup" && ($2 ~ /pids/ || $2 ~ /memory/ && v1 !~ /pids/ || !v1) {v1 = $2}
		END {if (!found) print v1}' /proc/mounts
}
# cpu_controller: sets $mount to where cgroups with a quota are, below which the tests' are in /box
cpu_controller() {
	if [ "$(cgroup_mode)" != v2 ]; then
		mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ {print $2; exit}' /proc/mounts)
		[ -n "$mount" ] || skip "v1 has no cpu controller"
		return
	fi
	mount=/sys/fs/cgroup
	grep -qw cpu $mount/cgroup.controllers || skip "v2 has no cpu controller"
	mkdir -p $mount/box
	if ! echo +cpu > $mount/cgroup.subtree_control || ! echo +cpu > $mount/box/cgroup.subtree_control; then
		give_up "no cpu controller"
	fi
}
# quota DIR MS: of each 100 ms
quota() {
	if [ -e "$1/cpu.max" ]; then echo "${2}000 100000" > "$1/cpu.max"
	else echo 100000 > "$1/cpu.cfs_period_us" && echo "${2}000" > "$1/cpu.cfs_quota_us"; fi
}
# account FIELDS: prints a number of $dir's cpu.stat. v1 counts in ns, v2 in us
account() { awk -v f="^($1)\$" '$1 ~ f {printf "%.0f\n", $1 == "throttled_usec" ? $2 * 1000 : $2}' "$dir/cpu.stat"; }
# cgroup_dirs PATH: prints the directories of cgroup PATH, in each hierarchy that has it
cgroup_dirs() { awk -v p="$1" '$3 ~ /^cgroup/ {print $2 p}' /proc/mounts | while read -r d; do [ ! -d "$d" ] || echo "$d"; done; }

# --- containers as ctrace sees them: the lines of `subscribe` -------------------
# FIELD is one of: what cid parent pidns init_pid flags cgroup_id runtime runtime_id path
seen() { subscribe; }
field() {
	case $1 in
	cid) echo 2;; parent) echo 3;; pidns) echo 4;; init) echo 5;; flags) echo 6;;
	cgroup_id) echo 7;; runtime) echo 8;; runtime_id) echo 9;; path) echo 10;;
	esac
}
# of_pid PID FIELD: prints FIELD of each living container whose init is PID, one a line
of_pid() {
	subscribe | awk -v p="$1" -v f="$(field "$2")" '$5 == p && $6 !~ /[13579bdf]$/ {print $f}'
}
# of_path PATH FIELD
of_path() {
	subscribe | awk -v p="$1" -v f="$(field "$2")" '$10 == p && $6 !~ /[13579bdf]$/ {print $f}'
}
# of_ns NUMBER FIELD
of_ns() {
	subscribe | awk -v p="$1" -v f="$(field "$2")" '$4 == p && $6 !~ /[13579bdf]$/ {print $f}'
}
pidns_of() { readlink "/proc/$1/ns/pid" | tr -dc 0-9; }

# dump FILE ARG...: starts evdump in the background, and returns once it records; dumped waits for its end
dump() {
	local f=$1
	shift
	rm -f "$f.err"	# an earlier one's word
	evdump "$@" > "$f" 2> "$f.err" &
	dumping=$!
	later "kill $dumping"
	wait_for 20 grep -q recording "$f.err" || give_up "evdump: $(cat "$f.err")"
}
# traces WHAT CIDS TARGET...: ctrace traces these targets, and the calls of getpriority() that are seen are of CIDS. It looks
# again until it has seen all: on a busy machine a container may not run for a second.
traces() {
	local what=$1 cids=$2 seen=''
	shift 2
	for _ in $(seq 10); do
		ctrace trace --json -e getpriority --duration 1 "$@" 2> "$tmp/err" | grep '^{' | jq -r .cid >> "$tmp/traced"
		seen=$(sort -un "$tmp/traced" | xargs)
		[ "$seen" != "$cids" ] || break
	done
	rm -f "$tmp/traced"
	same "$what" "$cids" "$seen"
}
# recorder FILE ARG...: starts one more evdump, into $tmp/FILE; $recorders has all of them
recorders=''
recorder() {
	local f=$tmp/$1
	shift
	dump "$f" "$@"
	recorders="$recorders $dumping"
}
dumped() { wait "$dumping"; }
stop_dump() { kill "$dumping"; dumped; }
# dump_until N PATTERN FILE ARG...: dumps until N lines of FILE match; if they never do, the checks that
# follow will say so
dump_until() {
	local n=$1 pattern=$2 f=$3
	shift 2
	dump "$@"
	wait_for 10 lines "$n" "$pattern" "$f" || true
	stop_dump
}
lines() { [ "$(grep -cE -e "$2" "$3")" -ge "$1" ]; }

# cids FILE NAME: prints the different cids of those events in evdump's FILE whose line has NAME
cids() { grep -E -e "$2" "$1" | sed -n 's/^[^ ]* [^ ]* cid=\([0-9]*\) .*/\1/p' | sort -un | tr '\n' ' ' | sed 's/ $//'; }

# The functions that a system call's stack may come from. Before 4.6, calls that are traced take paths of
# their own.
call_entry='(do_syscall_64|el0_svc|entry_SYSCALL_64_fastpath|system_call_fastpath|tracesys(_phase2)?|int_check_syscall_exit_work)'

# reads_from: prints the caller of vfs_read, as a stack taken at vfs_read's first instruction shows it. With
# ORC that is ksys_read. An unwinder by frame pointers (arm64, the debug kernels) leaves the caller out,
# because vfs_read has no frame yet. Before 4.17 the system call's own function calls vfs_read; frame pointers
# leave that out too, unless the kprobe is ftrace's and mcount made frames; so they do with ksys_read since.
reads_from() {
	if grep -q ' unwind_module_init$' /proc/kallsyms; then
		if [ "$sys" = SyS ]; then echo SyS_read; else echo ksys_read; fi
	elif [ "$sys" != SyS ]; then echo "(ksys_read|${sys}_read)"
	elif grep -q ' kprobe_ftrace_handler$' /proc/kallsyms; then echo "(SyS_read|$call_entry)"
	else echo "$call_entry"; fi
}

# Where the kernel's own tracer is: before 4.1 in debugfs. tracefs_mount mounts it.
tracefs=/sys/kernel/tracing
[ -d $tracefs ] || tracefs=/sys/kernel/debug/tracing
tracefs_mount() {
	[ ! -e $tracefs/trace ] || return 0
	mount -t tracefs tracefs $tracefs 2> /dev/null || mount -t debugfs debugfs /sys/kernel/debug
}

# tracing on EVENT... | clear | read: the kernel's own events, in a buffer that only this test uses
tracing() {
	local dir=$tracefs/instances/ctrace-test e
	case $1 in
	on)
		tracefs_mount
		mkdir $dir || skip "no tracefs"
		later "rmdir $dir"
		echo 4096 > $dir/buffer_size_kb
		shift
		for e; do
			later "echo 0 > $dir/events/$e/enable"
			echo 1 > "$dir/events/$e/enable" || give_up "no event $e"
		done;;
	clear) : > $dir/trace;;
	read) grep -v '^#' $dir/trace;;
	esac
}
