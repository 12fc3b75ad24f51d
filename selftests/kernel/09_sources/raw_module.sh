#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a module's tracepoint exists while the module is loaded, and tracing it keeps the module
# witness: rmmod before, during, after; tracefs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
common=vmw_vsock_virtio_transport_common
modinfo $common vsock_loopback > /dev/null 2>&1 || skip "no module vsock_loopback"
gone() { ! grep -q "^$common " /proc/modules; }
modprobe -r vsock_loopback 2> /dev/null
gone && refuse "not before it is loaded" "no tracepoint 'virtio_transport_alloc_pkt'" evdump -e vsock:virtio_transport_alloc_pkt -- true
modprobe vsock_loopback || skip "vsock_loopback does not load"
witness vsock/virtio_transport_alloc_pkt
dump "$tmp/ev" -t all -e vsock:virtio_transport_alloc_pkt
cause vsock 3 > "$tmp/out" || give_up "cause vsock: status $?"
sleep 0.3
echo 0 > $tracefs/events/enable
modprobe -r vsock_loopback 2> /dev/null
rmmod $common 2> /dev/null
check "it cannot go meanwhile" grep -q "^$common " /proc/modules
stop_dump
witnessed "$tmp/w"
at_least "packets" 3 "$(grep -c ' virtio_transport_alloc_pkt ' "$tmp/ev")"
same "the same number as the witness has" "$(grep -c ' virtio_transport_alloc_pkt:' "$tmp/w")" "$(grep -c ' virtio_transport_alloc_pkt ' "$tmp/ev")"
tid=$(sed -n 's/^pid=//p' "$tmp/out")
has "of the task" "virtio_transport_alloc_pkt cid=0 tid=$tid vtid=$tid arg1=.* arg4=" "$tmp/ev"
check "and goes afterwards" wait_for 10 modprobe -r $common
check "it has gone" gone
