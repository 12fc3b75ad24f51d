# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for ctrace(1): 'ctrace --complete' prints what the last word may become.
_ctrace()
{
	local line=${COMP_LINE:0:COMP_POINT} words cur settled='' word
	read -ra words <<< "$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	cur=${words[-1]}
	# bash begins a new word there, and wants no more than what follows
	[[ $cur == *[:=]* ]] && settled=${cur%"${cur##*[:=]}"}
	COMPREPLY=()
	while IFS= read -r word; do
		case $word in
		:files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${cur#"$settled"}") ;;
		:dirs) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${cur#"$settled"}") ;;
		:command) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$cur") ;;
		:more) compopt -o nospace ;;
		*) word=${word%%$'\t'*}; COMPREPLY+=("${word#"$settled"}") ;;
		esac
	done < <("${1:-ctrace}" --complete "${words[@]:1}" 2> /dev/null)
	[[ ${COMPREPLY[0]-} == *[:=] ]] && compopt -o nospace
}

complete -F _ctrace ctrace
