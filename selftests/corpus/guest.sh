#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh LINES TEST...: the part of selftests/corpus/run that runs in the guest. Prints for each test a line
#	NAME<tab>equal|differs|skipped<tab>how many lines, or why
# and below one that differs the first LINES pairs of lines: expected with "-" before it, seen with "+".
set -u
programs=/ctrace/added
lines=$1
shift
modprobe ctrace
mkdir -p /tmp/corpus
cd /tmp/corpus || exit

# plain: alignment is an option of strace's, and so is how long a call took one of ours. Only strace -yy has the numbers of
# devices behind their names. It has "()" behind the result of select() if the program gave one set three times.
plain() { sed -E 's/ <[0-9.]+>$//; s/ \(\)$//; s/ +(= [^=]*)$/ \1/; s/<(char|block) [0-9]+:[0-9]+>//g'; }
# compare EXPECTED SEEN: programs make calls of the same names before the first that they print, and after the last.
# Where strace would only show calls with a certain path, there are others in between.
compare() {
	awk -v max="$lines" -v by_path="$by_path" '
		NR == FNR { e[++n] = $0; next }
		{ s[++m] = $0 }
		function equals(at,    i, count) {
			count = 0
			for (i = 1; i <= n; i++)
				count += (e[i] "" == s[at + i] "")
			return count
		}
		END {
			for (k = 0; k <= 60 && k <= m; k++) {
				c = equals(k)
				if (c > best) {
					best = c
					at = k
				}
			}
			for (i = k = 1; by_path && i <= n && k <= m; k++)
				i += (e[i] "" == s[k] "")
			if (best == n || i > n) {
				print "equal\t" n
				exit
			}
			print "differs\t" (n - best) " of " n
			for (i = 1; i <= n && max > 0; i++) {
				if (e[i] "" == s[at + i] "")
					continue
				print "-" e[i]
				print "+" s[at + i]
				max--
			}
		}' "$@"
}

for test; do
	rm -rf ./*
	mkdir run
	cd run || exit
	options=$(grep -E -m 1 -e "^${test}[[:blank:]]" $programs/gen_tests.in)
	by_path=
	case " $options " in *' -P '* | *' --trace-path='*) by_path=1;; esac
	# strace's own options: how much of a string, names of descriptors, descriptors that are open, arguments
	size=$(grep -oE -m 1 -e ' -s ?[0-9]+' <<< "$options" | grep -oE '[0-9]+') || size=32
	fds=--no-fds
	case "$test $options " in *' -y '* | *' -yy'* | *-y[' -']*) fds=--fds;; esac
	open=$(grep -oE -e '[0-9]*[<>]+ ?/dev/[a-z]+' <<< "$options" | tr '\n' ' ')
	arguments=$(sed -n 's/.*QUIRK:PROG-ARGS:\([^"]*\)".*/\1/p' <<< "$options")
	begin="exec < /dev/null $open; echo \$\$ > ../pid; exec $programs/$test $arguments"
	# first alone: can it run here, and which calls does it print?
	timeout -k 5 20 bash -c "$begin" > ../alone 2> ../err
	status=$?
	calls=$(sed -nE 's/^([a-z_0-9]+)\(.*/\1/p' ../alone | sort -u | paste -sd,)
	if [ $status != 0 ] || [ -z "$calls" ]; then
		printf '%s\tskipped\tstatus %s %s\n' "$test" $status "$(head -n 1 ../err | cut -c 1-200)"
	else
		rm -rf ./*
		timeout -k 5 60 ctrace trace -e "$calls" $fds --data "$size" -o ../trace -- bash -c "$begin" > ../printed 2> ../err ||
			sed 's/^/# /' ../err
		grep -E '^[a-z_0-9]+\(' ../printed | plain > ../expected
		sed -nE "s/^[0-9:.]+ .*\[vtid $(cat ../pid)\] //p" ../trace | grep -E "^(${calls//,/|})\(" | plain > ../seen
		printf '%s\t%s\n' "$test" "$(compare ../expected ../seen)"
	fi
	cd .. || exit
done
