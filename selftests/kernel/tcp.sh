# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # scripts that source it; lib.sh
# tcp.sh: `ctrace tcp` beside a test, several at a time. $tcps: the processes

tcps=''
# tcp NAME [OPTION]...: its lines go to $tmp/NAME, its messages to $tmp/NAME.err
tcp() {
	local name=$1
	shift
	ctrace tcp "$@" > "$tmp/$name" 2> "$tmp/$name.err" &
	tcps="$tcps $!"
	later "kill $!"
}
