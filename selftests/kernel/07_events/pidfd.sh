#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a pidfd is shown as pid:N, with its process's number in the pid namespace of the program that has it: while it lives, when it has ended, and if it is in none of the program's
# witness: the descriptor's own /proc/self/fdinfo, which the program reads beside each of its calls
# requires: any
# timeout: 60
# shellcheck disable=SC2016 # perl's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v perl > /dev/null || skip "no perl"
perl -e 'exit(syscall(434, 0 + $$, 0) < 0)' || skip "no pidfd_open() (before 5.3)"
load
# look() says what fdinfo has, and calls fcntl(FD, F_GETFD), whose record has the name
cat > "$tmp/do.pl" << 'EOF'
$| = 1;
my $fcntl = `uname -m` =~ /aarch64/ ? 25 : 72;
sub look {
	my $fd = 0 + shift;	# a text would be passed as an address
	open my $f, "<", "/proc/self/fdinfo/$fd" or die "fdinfo: $!";
	for (<$f>) { print "pid:$1\n" if /^Pid:\s*(-?\d+)/ }
	syscall($fcntl, $fd, 1, 0);
}
my $child = fork;
if (!$child) { sleep 1000; exit }
my $fd = syscall(434, $child, 0);
my $own = syscall(434, 0 + $$, 0);
look($fd); look($own); look($ARGV[0]);
kill 9, $child;
waitpid $child, 0;
look($fd); look($own);
EOF
# looks WHAT COMMAND...: the program's numbers are those of its calls' records
looks() {
	local what=$1
	shift
	evdump -P -e call:fcntl -- "$@" > "$tmp/ev" 2> "$tmp/err"
	grep '^pid:' "$tmp/ev" > "$tmp/told"
	sed -nE 's/.* syscall_fcntl .* cmd=(0x)?1 .* fd_path="(pid:[^"]*)"$/\2/p' "$tmp/ev" > "$tmp/shown"
	same "$what: looks" 5 "$(wc -l < "$tmp/told")"
	same "$what: as fdinfo has it" "$(xargs < "$tmp/told")" "$(xargs < "$tmp/shown")"
}
other='my $fd = syscall(434, 0 + shift, 0); syscall(`uname -m` =~ /aarch64/ ? 25 : 72, $fd, 2, 0); my @c = @ARGV; s/FD/$fd/g for @c; exec @c or die'
looks "in the host's namespace" perl -e "$other" "$$" perl "$tmp/do.pl" FD
same "one that has ended" pid:-1 "$(sed -n 4p "$tmp/shown")"
same "that of the test" "pid:$$" "$(sed -n 3p "$tmp/shown")"
looks "in a container's" perl -e "$other" "$$" ctbox -n box -- \
	sh -c "mount --make-rprivate / && mount -t proc proc /proc && exec perl $tmp/do.pl FD"
same "its first process" pid:1 "$(sed -n 2p "$tmp/shown")"
same "one of the host" pid:0 "$(sed -n 3p "$tmp/shown")"
