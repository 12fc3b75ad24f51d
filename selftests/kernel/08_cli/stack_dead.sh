#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: user stacks of containers that are gone before anyone looks have the names of their functions
# witness: the reader stands still while they live; a file with another build-id, forks, programs one
#	after the other
# requires: any
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# behind OUT WHAT... -- CTRACE...: runs WHAT while the ctrace that reads it stands still, and lets it continue after that
behind() {
	local out=$1 job
	local -a what=()
	shift
	while [ "$1" != -- ]; do what+=("$1"); shift; done
	shift
	"$@" > "$out" 2> "$out.err" & job=$!
	later "kill -CONT $job; kill $job"
	wait_for 20 recording 1 ||
		give_up "nothing is recorded: $(cat "$out.err")"
	kill -STOP "$job"
	"${what[@]}"
	kill -CONT "$job"
	sleep 1
	kill "$job"
	wait "$job"
	note "$(tail -n 1 "$out.err")"
}
short_lived() {
	ctbox -n brief -- counted 82 5 1 1
	ctbox -n brief -- nice > /dev/null
	[ -z "$podman" ] || podman --cgroup-manager=cgroupfs run --rm --network=none localhost/dead /bin/counted 83 5 > "$tmp/podman" 2>&1 ||
		note "$(tail -n 3 "$tmp/podman")"
}
spins() { ctbox -n brief -- waits spin 1; }
# first_frames WHO: where the marked calls of WHO were made, each once, without offsets
first_frames() { jq -r "select(.fields.who == $1) | .user_stack[0]" | sed 's/+0x[0-9a-f]*//' | sort -u | xargs; }
# names NAME FILE: of JSON lines
names() {
	same "$1: a process, its child, its thread" "syscall [counted]" "$(grep '^{' "$2" | first_frames 82)"
	same "$1: a library" "getpriority [$libc]" "$(grep '^{' "$2" | jq -r 'select(.comm == "nice" or .fields.who == 0) | .user_stack[0]' | sed 's/+0x[0-9a-f]*//' | sort -u | xargs)"
	[ -z "$podman" ] || same "$1: a layer of an image" "syscall [counted]" "$(grep '^{' "$2" | first_frames 83)"
	same "$1: what is mapped is not shown" 0 "$(grep -c process_map "$2")"
}

load
# its file, as it is called since glibc 2.34; before, libc.so.6 is a link
libc=$(basename "$(readlink -f "$(ldd "$(command -v nice)" | awk '/libc\.so/ {print $3}')")")
ctrace events 2> /dev/null | grep '^process_map ' | grep -vq 'not here' || skip "this kernel does not tell what is mapped"
podman=
mkdir -p "$tmp/image/bin"
cp "$(command -v counted)" "$tmp/image/bin/"
tar -C "$tmp/image" -cf "$tmp/image.tar" .
if command -v podman > /dev/null && podman import "$tmp/image.tar" localhost/dead > "$tmp/import" 2>&1; then
	podman=1
	later "podman rmi -f localhost/dead"
else
	note "without podman: $(tail -n 3 "$tmp/import" 2> /dev/null)"
fi
behind "$tmp/live" short_lived -- ctrace trace all --json -e getpriority --stack=user
names live "$tmp/live"
behind "$tmp/recorded" short_lived -- ctrace record all -o "$tmp/rec" -e getpriority --stack=user
ctrace report --json "$tmp/rec" > "$tmp/report" 2> "$tmp/err"
names recorded "$tmp/report"
rm "$tmp/rec/ctrace/symbols.json"
ctrace report --json "$tmp/rec" > "$tmp/report" 2> "$tmp/err"
names "recorded, without the names" "$tmp/report"
behind "$tmp/recorded" spins -- ctrace record all -F 99 -o "$tmp/cpu"
ctrace flame "$tmp/cpu" --folded -o "$tmp/folded" 2> "$tmp/err"
has "samples" 'three_parts [0-9]+$' "$tmp/folded"
ctrace profile --input "$tmp/cpu" > "$tmp/profile" 2> "$tmp/err"
has "profile of a recording" three_parts "$tmp/profile"
ctrace export --perfetto "$tmp/pf" "$tmp/cpu" 2> "$tmp/err"
check "an export" grep -qa three_parts "$tmp/pf"
# what is asked for is shown
ctrace trace -e process_map -- ctbox -n brief -- counted 84 1 > "$tmp/out" 2> "$tmp/err"
id=$(readelf -n "$(command -v counted)" 2> /dev/null | sed -n 's/ *Build ID: //p')
has "process_map itself, with the build-id" "process_map pid=[0-9]+ parent=0 first=1 .* offset=0x[0-9a-f]+ ino=$(stat -c %i "$(command -v counted)") build_id=\"${id:-[0-9a-f]*}\" filename=\".*/counted\"" "$tmp/out"
# counted in the kernel, and read while they are gone
behind "$tmp/live" spins -- ctrace profile all --folded "$tmp/folded" -F 99
has "a profile" 'three_parts [0-9]+$' "$tmp/folded"
