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
	printf '%s\n' syscalls views viewer sched all kprobe: func: %file %network %process %memory %desc %signal %ipc %creds %clock
	ctrace events 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_ctrace_probes()
{
	ctrace probe list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_ctrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cmd=${COMP_WORDS[1]}
	local commands='trace record report top stats runqlat blame why offcpu throttle profile bio files tcp snoop count hist agg stackcount flame export ps explain events probe doctor status'
	local topics='targets events options'
	local run view i
	run='-e --events --follow --wait --longer --failed --comm --uid --filter --one-of --rate --stack --stack=user --stack=both --stack=dwarf
		-F --frequency --fds --no-fds --data --env --state-dump --no-state-dump -o --output --duration --buffer-size --stop-when-full
		--json --help'
	view='-i --input --follow --wait --comm --uid --filter --top --sort --interval --count --duration --rows --explain --by --json --help'

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$commands help --help --version" -- "$cur")
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
	trace:-e | record:-e | agg:-e | hist:-e | stats:-e | *:--events | count:count | stackcount:stackcount)
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
	*:--by)
		local done=''
		[[ $cur == *,* ]] && done=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$done" -W 'container comm tid vtid pid uid gid cpu stack ustack syscall errno' -- "${cur##*,}")
		compopt -o nospace
		return
		;;
	top:--sort)
		mapfile -t COMPREPLY < <(compgen -W 'cpu wait throttled procs threads memory read write disk_read disk_write rx tx
			calls errors faults engine name image id' -- "$cur")
		return
		;;
	stats:--style)
		mapfile -t COMPREPLY < <(compgen -W 'perf strace' -- "$cur")
		return
		;;
	*:--uid)
		mapfile -t COMPREPLY < <(compgen -u -- "$cur")
		return
		;;
	snoop:snoop)
		mapfile -t COMPREPLY < <(compgen -W 'exec open exit oom cap kill mount --json --help' -- "$cur")
		return
		;;
	probe:del)
		mapfile -t COMPREPLY < <(compgen -W "$(_ctrace_probes)" -- "$cur")
		return
		;;
	trace:-o | trace:--output | *:--folded | record:--perfetto)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames
		return
		;;
	record:-o | record:--output | report:* | *:-i | *:--input)
		if [[ $cur != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -d -- "$cur")
			compopt -o filenames
			return
		fi
		;;
	*:--data | *:--duration | *:--buffer-size | *:--longer | *:--slower | *:--comm | *:--filter | *:--one-of | *:--rate | *:-F | *:--frequency | *:--top | *:--sort | *:--interval | *:--count | *:--rows)
		return
		;;
	esac
	case $cmd in
	trace) run="$run --relative --folded --quiet-args" ;;
	record) run="$run --force --perfetto" ;;
	top) run="$view --batch" ;;
	stats) run="$view -e --events --failed --longer --errnos --style" ;;
	runqlat) run="$view --reasons --milliseconds" ;;
	blame) run=$view ;;
	why) run='-i --input --duration --rows --explain --json --help' ;;
	offcpu) run="$view --stack --wakers --folded --longer" ;;
	throttle) run="$view --all" ;;
	profile) run="$view -F --frequency --stacks --folded" ;;
	bio) run="$view --hist --lines --milliseconds --longer --failed" ;;
	count) run="$view -e --events --failed --longer" ;;
	hist) run="$view --heat -e --events --failed --longer" ;;
	agg) run="$view -e --events --folded" ;;
	stackcount) run="$view -e --events --user --folded" ;;
	files) run="$view --slower --hist --all --failed --longer" ;;
	tcp) run="$view --connects --retransmits --summary --failed --longer --time" ;;
	snoop) run='-i --input --follow --wait --failed --longer --all --comm --uid --filter --time --duration --explain --json --help' ;;
	report) run='--summary --html --json --relative --folded --quiet-args --help' ;;
	ps) run='--all --wide --columns --tree --follow --json --help' ;;
	explain) run='--json --help' ;;
	events) run='--tracepoints --verbose --markdown --json --help' ;;
	probe) run='add del list --json --help' ;;
	status) run='--rings --json --help' ;;
	doctor) run='--quiet --json --help' ;;
	flame) run='--off-cpu -F --frequency --duration --follow -o --output --diff --icicle --title --unit --pprof --speedscope --folded --help' ;;
	export) run='--perfetto --trace-dat --chrome --json --help' ;;
	help) run="$commands $topics" ;;
	*) return ;;
	esac
	if [[ $cur != -* ]]; then
		case $cmd in
		trace | record | top | stats | runqlat | blame | why | offcpu | throttle | profile | bio | count | hist | agg | stackcount | files | tcp | snoop)
			run="$(_ctrace_containers) $(_ctrace_pods)
			all host pid: cid: cgroup: unit: pod: ns: image: label: runtime: user: in: not:" ;;
		explain) run="$(_ctrace_containers) host pid: cid: cgroup:" ;;
		probe) ((COMP_CWORD == 2)) && run='add del list' || run='' ;;
		events) run=$(_ctrace_events) ;;
		ps | status | doctor) return ;;
		flame | export) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$run" -- "$cur")
	[[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace
}

complete -F _ctrace ctrace
