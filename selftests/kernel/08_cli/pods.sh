#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: pods and namespaces as targets; two of one name in two namespaces; ps --tree, --columns, records in JSON
# witness: files as Kubernetes' runtimes and podman 4.3 write them; files that others than root may
#	write; a busy container
# columns: ps: NAMESPACE POD POD_UID CONTAINER
# requires: v2
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

loop='exec ticker 200 81'
tasks=/run/containerd/io.containerd.runtime.v2.task/k8s.io
# box NAMESPACE POD CONTAINER: a container of containerd, as Kubernetes has it; sets $cid
box() {
	local id
	id=$(hex64 "$1$2$3")
	mkdir -p "$tasks/$id"
	jq -n --arg ns "$1" --arg pod "$2" --arg name "$3" '{annotations: {
		"io.kubernetes.cri.sandbox-namespace": $ns, "io.kubernetes.cri.sandbox-name": $pod,
		"io.kubernetes.cri.sandbox-uid": "uid-of-\($ns)-\($pod)", "io.kubernetes.cri.container-name": $name,
		"io.kubernetes.cri.container-type": "container"}}' > "$tasks/$id/config.json"
	cheap "$1-$2-$3" -g "/kubepods/poduid-of-$1-$2/$id" -- /bin/sh -c "$loop"
	cid=$(of_pid "$pid" cid)
}

load
[ ! -e /run/containerd ] || give_up "this machine has containerd"
later "rm -rf /run/containerd"
box prod web app
a=$cid
box prod web side
b=$cid
box test web app
c=$cid
box test db app
d=$cid
cheap plain -g "/docker/$(hex64 plain)" -- /bin/sh -c "$loop"
plain=$(of_pid "$pid" cid)
# a user's, whose cgroup has the id of one of the pod's
cheap user -g "/user.slice/user-1000.slice/cri-containerd-$(hex64 prodwebapp).scope" -- /bin/sh -c "$loop"

note "targets"
traces "a pod" "$a $b" pod:prod/web
traces "its name is enough, if it is one pod's" "$d" pod:db
traces "a namespace" "$c $d" ns:test
traces "all but a pod" "$c" ns:test not:pod:db
refuse "a name of two namespaces" "several pods: (prod/web .*test/web|test/web .*prod/web).*write pod:NAMESPACE/NAME" \
	ctrace trace pod:web --duration 0.1
refuse "no such pod" "no container is in pod 'prod/db'" ctrace trace pod:prod/db --duration 0.1
refuse "no such namespace" "no container is in namespace 'stage'" ctrace trace ns:stage --duration 0.1
refuse "no name" "needs a name" ctrace trace pod: --duration 0.1
traces "a container, by all its name" "$a" prod/web/app
traces "that of the other namespace" "$c" test/web/app
refuse "web/app is two" "several containers: .*(prod/web/app.*test/web/app|test/web/app.*prod/web/app)" \
	ctrace trace web/app --duration 0.1
traces "one that no other is called as" "$b" web/side

note "ps"
ctrace ps > "$tmp/ps"
has "shown with the namespace" "^ *$a +prod/web/app " "$tmp/ps"
has "the other, too" "^ *$c +test/web/app " "$tmp/ps"
has "not, if there is no other" "^ *$d +db/app " "$tmp/ps"
same "json" "prod web uid-of-prod-web app" \
	"$(ctrace ps --json | jq -r "select(.cid == $a) | \"\(.namespace) \(.pod) \(.pod_uid) \(.container)\"")"
ctrace ps --tree > "$tmp/ps"
# the containers of no pod, then each pod before its own
same "tree" "$plain prod/web $a $b test/db $d test/web $c" "$(awk -v mine=" $a $b $c $d $plain " '
	$2 == "pod" {print $3}
	index(mine, " " $1 " ") {print $1}' "$tmp/ps" | xargs)"
has "a container is indented below its pod" "^ *$a    prod/web/app" "$tmp/ps"
same "columns" "NAME RESTARTS NAMESPACE POD" "$(ctrace ps --columns name,restarts,Namespace,pod | head -n 1 | xargs)"
same "their values" "db/app - test db" "$(ctrace ps -c name,restarts,namespace,pod | grep ^db | xargs)"
refuse "no such column" "no column 'size': there are cid, name, .*cgroup" ctrace ps --columns cid,size
ctrace explain db/app > "$tmp/out"
has "explain tells the pod" "pod +test/db, uid uid-of-test-db; its container app" "$tmp/out"

note "a recording, where these containers never were"
ctrace record -o "$tmp/rec" all -e getpriority --duration 1 > "$tmp/out" 2>&1 || not_ok "record: $(cat "$tmp/out")"
mv /run/containerd "$tmp/gone"
# reported TARGET...: the cids whose calls are shown
reported() { ctrace report --json "$tmp/rec" "$@" 2> "$tmp/err" | grep '^{' | jq -r 'select(.event | test("getpriority")) | .cid' | sort -un | xargs; }
same "all" "$a $b $c $d $plain" "$(reported not:host | tr ' ' '\n' | grep -xE "$a|$b|$c|$d|$plain" | xargs)"
same "a pod" "$a $b" "$(reported pod:prod/web)"
same "a namespace, but for a pod" "$c" "$(reported ns:test not:pod:test/db)"
same "a label" "$d" "$(reported label:io.kubernetes.pod.name=db)"
same "a name" "$a" "$(reported prod/web/app)"
same "a glob" "$d" "$(reported 'db/*')"
same "the names are shown" "prod/web/app" "$(ctrace report --json "$tmp/rec" "cid:$a" 2> "$tmp/err" | jq -r .container | sort -u)"
refuse "no such pod" "no container in this recording is 'pod:x'" ctrace report "$tmp/rec" pod:x
refuse "no such name" "no container 'db/ap' \(did you mean 'db/app'" ctrace report "$tmp/rec" db/ap
refuse "a cgroup" "not processes and cgroups" ctrace report "$tmp/rec" cgroup:/
