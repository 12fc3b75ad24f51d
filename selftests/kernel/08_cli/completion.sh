#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: bash, zsh and fish complete commands, options, values and the names of events, as 'ctrace --complete' says
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

n=0
files=$top/userspace/completion
load
check "bash takes its file" bash -n "$files/ctrace.bash"
bash --norc -c ". '$files/ctrace.bash'; complete -p ctrace" > "$tmp/out" 2>&1
has "it is there for ctrace" '-F _ctrace ctrace$' "$tmp/out"
# becomes LINE: prints what the last word of the line may become in bash
becomes() {
	bash --norc -c '. "$0"; compopt() { echo "opt $*"; }
		COMP_LINE=$1 COMP_POINT=${#1}; _ctrace ctrace; printf "%s\n" "${COMPREPLY[@]}"' "$files/ctrace.bash" "$1" 2>&1
}
complete_is() {	# WHAT LINE EXPECTED
	becomes "$2" > "$tmp/out"
	same "$1" "$3" "$(xargs < "$tmp/out")"
}
complete_is "a command" 'ctrace tr' trace
complete_is "a topic of help" 'ctrace help targ' targets
complete_is "a long option" 'ctrace trace web --no-' '--no-fds --no-state-dump'
complete_is "a value of an option" 'ctrace stats --style=s' strace
complete_is "one of several values" 'ctrace stats -e openat,fsyn' 'opt -o nospace openat,fsync'
complete_is "an event of the module" 'ctrace count sched_swi' 'opt -o nospace sched_switch'
complete_is "a word of snoop" 'ctrace snoop mo' mount
complete_is "nothing is asked for behind a word that is taken" 'ctrace snoop mount mou' ''
complete_is "a target that goes on" 'ctrace trace user' 'opt -o nospace user:'
complete_is "a command to run" 'ctrace trace -- readlin' "$(bash --norc -c 'compgen -c readlin' | xargs)"
# names that a container chose: none reaches the line that a shell would obey, or is taken for an option
docker_box good-one 'exec sleep 60'
for name in 'x;id' 'x|id' --json; do
	docker_box "bad-$((n += 1))" 'exec sleep 60'
	printf '{"ID": "%s", "Name": "/%s"}\n' "$docker_id" "$name" > "/var/lib/docker/containers/$docker_id/config.v2.json"
done
ctrace ps --json > "$tmp/out"
same "they are there" 4 "$(grep -cE '"name":"(good-one|x;id|x[|]id|--json)"' "$tmp/out")"
complete_is "a container's name" 'ctrace trace good' good-one
complete_is "a container in place of a command" 'ctrace good' good-one
complete_is "the option of a first look" 'ctrace good-one --dura' --duration
for command in ps explain stuck 'snoop exec' 'count sched_switch' profile; do
	complete_is "a container's name, for ${command%% *}" "ctrace $command good" good-one
done
complete_is "for flame, beside files" 'ctrace flame good' 'opt -o filenames good-one'
complete_is "no name with a shell's characters" 'ctrace trace x' ''
becomes 'ctrace trace ' > "$tmp/out"
has_not "nor is one offered unasked" '[;|]|^--json$' "$tmp/out"
mkdir -p "$tmp/dir/in" && : > "$tmp/dir/file"
complete_is "a file" "ctrace trace -o $tmp/dir/" "opt -o filenames $tmp/dir/file $tmp/dir/in"
complete_is "a directory" "ctrace record -o $tmp/dir/" "opt -o filenames $tmp/dir/in"
complete_is "a directory behind =" "ctrace record --output=$tmp/dir/" "opt -o filenames $tmp/dir/in"
for shell in zsh fish; do
	if command -v $shell > /dev/null; then
		check "$shell takes its file" $shell -n "$files/ctrace.$shell"
	fi
done
