#compdef ctrace
# SPDX-License-Identifier: GPL-2.0-only
# Zsh completion for ctrace(1). 'ctrace --complete' prints what the last word may become.
_ctrace() {
	local -a whole begun ask
	local line word item
	for line in "${(@f)$(${(Q)words[1]} --complete "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)}"; do
		case $line in
		:*) ask+=$line ;;
		?*)
			word=${line%%$'\t'*}
			item=${word//:/\\:}:${line#*$'\t'}
			# no blank follows what goes on
			if [[ $word == *[:=] || -n ${ask[(r):more]} ]]; then begun+=$item; else whole+=$item; fi ;;
		esac
	done
	(( $#whole )) && _describe ctrace whole
	(( $#begun )) && _describe ctrace begun -S ''
	for line in $ask; do
		case $line in
		:files) compset -P '--*='; _files ;;
		:dirs) compset -P '--*='; _files -/ ;;
		:command) _command_names -e ;;
		esac
	done
}

_ctrace "$@"
