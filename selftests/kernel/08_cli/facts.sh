#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: targets by image, label, runtime and unit; ps --wide and --tree
# witness: docker's files elsewhere, in a container, behind a link; machined's; made up by the test
# columns: ps: NAME RUNTIME PARENT ID IMAGE LABELS CGROUP
# columns: top: ENGINE NAME IMAGE ID
# requires: v2
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cg=$(cgroup_mount)
loop='exec ticker 50 81'
# box NAME IMAGE LABEL: a container of docker; sets $cid
box() {
	local id
	id=$(hex64 "$1")
	mkdir -p "/var/lib/docker/containers/$id"
	printf '{"ID": "%s", "Name": "/%s", "Config": {"Image": "%s", "Labels": {"tier": "%s"}}}\n' "$id" "$1" "$2" "$3" \
		> "/var/lib/docker/containers/$id/config.v2.json"
	cheap "$1" -g "/docker/$id" -- /bin/sh -c "$loop"
	cid=$(of_pid "$pid" cid)
}

load
[ ! -e /var/lib/docker ] || give_up "this machine has docker"
later "rm -rf /var/lib/docker"
box a registry.example/shop/nginx:1.25 front
a=$cid
box b nginx:1.27 back
b=$cid
box c redis front
c=$cid
cheap user -g "/user.slice/user-1000.slice/docker-$(hex64 a).scope" -- /bin/sh -c "$loop"
user=$(of_pid "$pid" cid)

traces "image, without the registry" "$a $b" 'image:nginx*'
traces "image, with it" "$a" 'image:registry.example/*'
traces "label" "$a $c" label:tier=front
traces "label of any value" "$a $b $c" label:tier
traces "runtime" "$a $b $c" runtime:docker
traces "all but an image" "$b $user" "cid:$b" "cid:$c" "cid:$user" not:image:redis
refuse "no such image" "no container is 'image:mysql'.*ps --wide" ctrace trace image:mysql --duration 0.1
refuse "no such label" "no container is 'label:tier=side'" ctrace trace label:tier=side --duration 0.1
refuse "no value" "needs a value" ctrace trace image: --duration 0.1

note "units"
unit=system.slice/nginx.service
mkdir -p "$cg/$unit" "$cg/user.slice/user-1000.slice/user@1000.service/nginx.service"
later "find $cg/system.slice $cg/user.slice -depth -type d -exec rmdir {} +"
chown -R 1000 "$cg/user.slice/user-1000.slice/user@1000.service"
/bin/sh -c "echo \$\$ > $cg/$unit/cgroup.procs; $loop" & later "kill -9 $!"
wait_for 5 grep -q nginx.service "/proc/$!/cgroup"
ctrace trace unit:nginx.service --json -e getpriority --duration 1 2> "$tmp/err" | grep -c getpriority > "$tmp/n"
at_least "a unit's calls" 2 "$(cat "$tmp/n")"
traces "they are the host's" 0 unit:nginx
refuse "no such unit" "no unit 'apache2' of the system" ctrace trace unit:apache2 --duration 0.1

note "ps"
cheap inner -g "/docker/$(hex64 a)/libpod-$(hex64 in)" -- sleep 1000
inner=$(of_pid "$pid" cid)
ctrace ps --wide > "$tmp/ps"
has "heads" "PARENT +ID +IMAGE +LABELS +CGROUP" "$tmp/ps"
has "a row" "^ *$a +a +docker .* $(hex64 a | cut -c1-12) +registry.example/shop/nginx:1.25 +tier=front +/docker/$(hex64 a)\$" "$tmp/ps"
has "one inside another has its cid" "^ *$inner .* $a +$(hex64 in | cut -c1-12) " "$tmp/ps"
ctrace top -b --count 1 --interval 0.3 > "$tmp/top" 2> "$tmp/err"
has "top has them, too" " docker +b +nginx:1.27 +$(hex64 b | cut -c1-12)\$" "$tmp/top"
same "json" "nginx:1.27 back" "$(ctrace ps --json | jq -r "select(.cid == $b) | \"\(.image) \(.labels.tier)\"")"
ctrace ps --tree > "$tmp/ps"
same "the inner one is below the outer" "$a $inner" "$(awk '$1 ~ /^[0-9]/ {print $1}' "$tmp/ps" | grep -x -A1 "$a" | xargs)"
has "and indented" "^ *$inner    " "$tmp/ps"
same "all are there" "$(ctrace ps | wc -l)" "$(wc -l < "$tmp/ps")"
same "with the host, too" "$(ctrace ps -a | wc -l)" "$(ctrace ps -a -t | wc -l)"
