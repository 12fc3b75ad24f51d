# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for ctrace(1). Container, event and probe names come from ctrace itself, so they are
# completed only for users whose ctrace may ask the kernel.

_ctrace_containers()
{
	ctrace ps --json 2>/dev/null | sed -n 's/.*"name":"\([^"\\]*\)","named".*/\1/p'
}

_ctrace_pods()
{
	ctrace ps --json 2>/dev/null |
		sed -n 's/.*"namespace":"\([^"\\]*\)","pod":"\([^"\\]*\)".*/pod:\1\/\2 ns:\1/p'
}

_ctrace_columns()
{
	ctrace ps --columns '' 2>&1 | sed -n 's/.*there are //; s/,//g; p; q'
}

_ctrace_events()
{
	printf '%s\n' syscalls sched all kprobe: %file %network %process %memory %desc %signal %ipc %creds %clock
	ctrace events 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_ctrace_probes()
{
	ctrace probe list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_ctrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cmd=${COMP_WORDS[1]}
	local commands='trace record report ps explain events probe status help' run i
	run='-e --events --follow --wait --longer --failed --comm --uid --filter --one-of --rate --stack --stack=user --stack=both
		-F --frequency --fds --no-fds --data --env --state-dump --no-state-dump -o --output --duration --buffer-size --stop-when-full
		--json --help'

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
		return
	fi
	# after -- comes the command line of COMMAND
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			if ((i + 1 == COMP_CWORD)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi
			return
		fi
	done
	case $cmd:$prev in
	trace:-e | trace:--events | record:-e | record:--events)
		# the part after the last comma
		local done=''
		[[ $cur == *,* ]] && done=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$done" -W "$(_ctrace_events)" -- "${cur##*,}")
		compopt -o nospace
		return
		;;
	ps:-c | ps:--columns)
		local done=''
		[[ $cur == *,* ]] && done=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$done" -W "$(_ctrace_columns)" -- "${cur##*,}")
		compopt -o nospace
		return
		;;
	trace:--uid | record:--uid)
		mapfile -t COMPREPLY < <(compgen -u -- "$cur")
		return
		;;
	probe:del)
		mapfile -t COMPREPLY < <(compgen -W "$(_ctrace_probes)" -- "$cur")
		return
		;;
	trace:-o | trace:--output | trace:--folded | report:--folded)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames
		return
		;;
	record:-o | record:--output | report:*)
		if [[ $cur != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -d -- "$cur")
			compopt -o filenames
			return
		fi
		;;
	*:--data | *:--duration | *:--buffer-size | *:--longer | *:--comm | *:--filter | *:--one-of | *:--rate | *:-F | *:--frequency)
		return
		;;
	esac
	case $cmd in
	trace) run="$run --relative --folded --quiet-args" ;;
	record) run="$run --force" ;;
	report) run='--json --relative --folded --quiet-args --help' ;;
	ps) run='--all --wide --columns --tree --follow --json --help' ;;
	explain) run='--json --help' ;;
	events) run='--tracepoints --verbose --markdown --json --help' ;;
	probe) run='add del list --json --help' ;;
	status) run='--rings --json --help' ;;
	help) run=$commands ;;
	*) return ;;
	esac
	if [[ $cur != -* ]]; then
		case $cmd in
		trace | record) run="$(_ctrace_containers) $(_ctrace_pods)
			all host pid: cid: cgroup: unit: pod: ns: image: label: runtime: user: in: not:" ;;
		explain) run="$(_ctrace_containers) host pid: cid: cgroup:" ;;
		probe) ((COMP_CWORD == 2)) && run='add del list' || run='' ;;
		events) run=$(_ctrace_events) ;;
		ps | status) return ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$run" -- "$cur")
	[[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace
}

complete -F _ctrace ctrace
