#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a user's container that says it is prod/db is not followed as prod/db; user:USER:TARGET means it, and user:USER:unit:NAME that user's units
# witness: a user's store that says what the system's says; user: and in: mean it
# requires: v2
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cg=$(cgroup_mount)
loop='exec ticker 100 81'
user=/user.slice/user-1000.slice/user@1000.service
words=(pod:prod/db 'image:db:*')
others=(db/app ns:prod label:tier=back)
annotations() {
	jq -n '{annotations: {"io.kubernetes.pod.namespace": "prod", "io.kubernetes.pod.name": "db", "io.kubernetes.pod.uid": "u",
		"io.kubernetes.container.name": "app", "io.kubernetes.cri-o.ImageName": "db:1",
		"io.kubernetes.cri-o.Labels": "{\"tier\": \"back\"}"}}'
}
# box NAME STORE CGROUP: a container of CRI-O as prod/db, with its files in STORE; sets $cid
box() {
	local id
	id=$(hex64 "$1")
	mkdir -p "$2/overlay-containers/$id/userdata"
	annotations > "$2/overlay-containers/$id/userdata/config.json"
	# a user's own store is theirs, as podman makes it
	case $2 in "$home"/*) chown -R 1000 "$home";; esac
	cheap "$1" -g "$3/crio-$id.scope" -- /bin/sh -c "$loop"
	cid=$(of_pid "$pid" cid)
}
# follow NAME TARGET...: in the background, into $tmp/NAME.out
follow() {
	local name=$1
	shift
	ctrace trace --follow --json -e getpriority --duration 90 "$@" > "$tmp/$name.out" 2> "$tmp/$name.err" &
	jobs+=($!)
	later "kill -9 $!"
	wait_for 20 recording ${#jobs[@]} ||
		give_up "it does not record: $(cat "$tmp/$name.err")"
}
# seen NAME [CID]: the cids in its output; with CID, is it there?
seen() { grep '^{' "$tmp/$1.out" | jq -r .cid 2> /dev/null | sort -un | if [ -z "${2-}" ]; then xargs; else grep -qx "$2"; fi; }

load
root=/var/lib/containers/storage
later "rm -rf $root/overlay-containers/$(hex64 roots)"
home=$tmp/mallory
cp -p /etc/passwd "$tmp/passwd" && later "cat $tmp/passwd > /etc/passwd"
echo "mallory:x:1000:1000::$home:/bin/sh" >> /etc/passwd
mkdir -p "$home" "$cg$user" && chown 1000 "$home" "$cg$user"

note "each word by itself, and what a user's files say"
jobs=()
box old "$home/.local/share/containers/storage" "$user"
old=$cid
same "mallory's is called so" "prod/db db:1" "$(ctrace ps --json | jq -r "select(.cid == $old) | \"\(.namespace)/\(.pod) \(.image)\"")"
for i in "${!words[@]}"; do follow "$i" "${words[i]}"; done
follow others "${others[@]}"
has "it says who has such a one" "no container of the system matches yet; user 1000 has one: user:1000:pod:prod/db" "$tmp/0.err"
follow none user:mallory:pod:none user:1000:image:db:2 "in:$old:ns:prod" user:1001:ns:prod
follow his user:mallory:pod:none user:mallory:ns:prod
box young "$home/.local/share/containers/storage" "$user"
young=$cid
box roots $root /system.slice
cid_roots=$cid
for i in "${!words[@]}"; do wait_for 20 seen "$i" "$cid_roots" || not_ok "${words[i]}: not followed"; done
wait_for 20 seen others "$cid_roots" || not_ok "${others[*]}: not followed"
wait_for 20 seen his "$young"
kill "${jobs[@]}"
wait "${jobs[@]}"
for i in "${!words[@]}"; do same "${words[i]}" "$cid_roots" "$(seen "$i")"; done
same "${others[*]}" "$cid_roots" "$(seen others)"
same "user:mallory:ns:prod" "$old $young" "$(seen his)"
same "what his files do not say" "" "$(seen none)"

note "those that live now"
traces "image:" "$cid_roots" 'image:db:*'
traces "user: and image:" "$old $young" 'user:1000:image:db:*'
traces "left out" "$cid_roots" "cid:$cid_roots" "cid:$young" 'not:user:mallory:label:tier=back'
refuse "no such user" "no user 'nobody-such' on this machine" ctrace trace user:nobody-such:db --duration 0.1
refuse "no owner" "has no owner: write 'pid:1'" ctrace trace user:1000:pid:1 --duration 0.1

note "units"
mkdir -p "$cg$user/app.slice/web.service" "$cg$user/crio-$(hex64 old).scope/web.service" "$cg/system.slice/db.service"
chown -R 1000 "$cg$user"
later "find $cg/system.slice $cg/user.slice -depth -type d -exec rmdir {} +"
/bin/sh -c "echo \$\$ > $cg$user/app.slice/web.service/cgroup.procs; $loop" & later "kill -9 $!"
wait_for 5 grep -q web.service "/proc/$!/cgroup"
refuse "not without the user" "no unit 'web' of the system.*cgroup:$user/app.slice/web.service" ctrace trace unit:web --duration 0.1
ctrace trace user:mallory:unit:web --json -e getpriority --duration 1 2> "$tmp/err" > "$tmp/out"
at_least "a user's unit's calls" 2 "$(grep -c getpriority "$tmp/out")"
same "its own, not the container's cgroup of that name" 0 "$(jq -r .cid "$tmp/out" | sort -un | xargs)"
refuse "not a unit of the system" "no unit 'db' of user 1000 runs" ctrace trace user:1000:unit:db --duration 0.1
refuse "not of another user" "no unit 'web' of user 1001 runs" ctrace trace user:1001:unit:web --duration 0.1
