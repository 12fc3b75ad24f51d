# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2120,SC2119 # what lib.sh has; tests pass words, or none
# watching.sh: what the tests of `ctrace watch` share. Source it after lib.sh.

dumps=$tmp/dumps
# conf LINE...: writes the configuration $tmp/conf
conf() { { printf '[recorder]\nmemory = 32M\nseconds = 3\nlook = 1s\ndirectory = %s\n' "$dumps"; printf '%s\n' "$@"; } > "$tmp/conf"; }
w() { ctrace watch --config "$tmp/conf" "$@"; }
# watching: starts a watch, and returns once it records; $watch is its pid, $tmp/watch what it says
watching() {
	# no function: a signal is for the command itself
	ctrace watch --config "$tmp/conf" > "$tmp/watch" 2>&1 &
	watch=$!
	later "kill $watch; wait $watch"
	wait_for 20 grep -q watching: "$tmp/watch" || give_up "no watch: $(cat "$tmp/watch")"
}
# n_dumps [PART]: how many dumps there are, with that in their name
n_dumps() { find "$dumps" -maxdepth 1 -name "2*${1:-}*" | wc -l; }
# a_dump NAME REASON: there is a dump of it; $dump is its directory
a_dump() {
	dump=$(find "$dumps" -maxdepth 1 -name "2*-$1-$2" | sort | tail -n 1)
	[ -n "$dump" ]
}
# dumped_as NAME REASON SECONDS: waits for it
dumped_as() {
	if wait_for "$3" a_dump "$1" "$2"; then ok "a dump of $1: $2"; else
		give_up "a dump of $1: $2: $(tail -n 3 "$tmp/watch"; ls "$dumps")"
	fi
}
# failing: for tests with fails NAME STATUS SECONDS: a container of docker's that fails after as many seconds
failing() { later "rm -rf /var/lib/docker/containers; rmdir -p --ignore-fail-on-non-empty /var/lib/docker/containers"; }
fails() {
	local id
	id=$(hex64 "$1")
	mkdir -p "/var/lib/docker/containers/$id"
	printf '{"ID": "%s", "Name": "/%s"}\n' "$id" "$1" > "/var/lib/docker/containers/$id/config.v2.json"
	ctbox -g "/docker/$id" -- sh -c "n=$((5 * $3)); while [ \$n -gt 0 ]; do sleep 0.2; n=\$((n - 1)); done; exit $2"
}
# reason JQ: of $dump
reason() { jq -r "$1" "$dump/reason.json"; }
