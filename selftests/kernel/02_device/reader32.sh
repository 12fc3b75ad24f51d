#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a 32-bit reader binds, maps, polls and reads as a 64-bit one does
# witness: compared with the number of calls made; one source built for both, without a library: layout,
#	ioctl, mapping, poll, read(); both see the same records, sums, losses
# requires: any
# timeout: 60
# kernels: 6.1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v reader32 > /dev/null || skip "no 32-bit programs on this machine"
reader32 > /dev/null 2>&1
[ $? = 2 ] || skip "this kernel runs no 32-bit programs"
load
cheap box -n reader32 -- bash -c "until [ -e $tmp/go ]; do sleep 0.1; done; counted 7 500; sleep 1000"
cid=$(of_pid "$pid" cid)

# begin ARG...: starts a session that records calls of the host and the box; sets $session to its id
begin() {
	dump "$tmp/ev" -e syscall:getpriority -t host -t "cid:$cid" -d 10000 "$@"
	session=$(nl_sessions | sed -n 's/^session \([0-9]*\) .*/\1/p')
	readers=''
}
# reader NAME ARG...: starts two readers, one of 32 bits and one of 64
reader() {
	local bits
	for bits in 32 64; do
		"reader$bits" "$session" "${@:2}" > "$tmp/$1.$bits" &
		readers="$readers $!"
		wait_for 20 grep -q '^ready' "$tmp/$1.$bits" || give_up "reader$bits ${*:2}: $(tail -n 2 "$tmp/$1.$bits")"
	done
}
ended() {
	local p
	stop_dump
	for p in $readers; do wait "$p" || not_ok "a reader ended with status $?"; done
}
last() { tail -n 1 "$tmp/$1"; }
all_seen() { [ "$(grep -c " cid=$cid " "$tmp/ev")" -ge 1000 ]; }

begin -b 1048576
reader whole map
reader call read
reader view map "$cid"
counted 3 1000
touch "$tmp/go"
wait_for 30 all_seen
ended
at_least "fields compared" 40 "$(grep -c '+.* of ' "$tmp/whole.64")"
for k in whole call view; do
	if diff "$tmp/$k.64" "$tmp/$k.32" > "$tmp/diff"; then ok "$k: 32 and 64 bits say the same: $(last $k.32)"; else
		not_ok "$k: 32 and 64 bits differ"
		note "$(cat "$tmp/diff")"
	fi
done
made=$(sed -n 's/^seen \([0-9]*\) lost 0$/\1/p' "$tmp/ev.err")
at_least "events, by the library" 3000 "$made"
has "mapped, the same number" "^seen $made lost 0 " "$tmp/whole.32"
same "by read(), the same records" "$(last whole.32)" "$(last call.32)"
has "the container's own" '^seen 1000 lost 0 ' "$tmp/view.32"

# lapped: the rings are too small for the events
begin -b 8192
reader lapped map
counted 3 5000
ended
total() { last "lapped.$1" | awk '{print $2 + $4}'; }
at_least "lapped: seen and lost" 10000 "$(total 32)"
same "lapped: the same for 64 bits" "$(total 64)" "$(total 32)"
