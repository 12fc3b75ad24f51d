#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: who may not trace cannot open the device, and so not keep the module
# witness: nobody opens the device in a loop while the module unloads
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"; }
same "the node's mode lets everybody ask" 666 "$(stat -c %a /dev/ctrace)"
refuse "nobody opens it to read" "Operation not permitted" as_nobody bash -c 'exec 3< /dev/ctrace'
refuse "nobody opens it to read and write" "Operation not permitted" as_nobody bash -c 'exec 3<> /dev/ctrace'
check "who may trace opens it" bash -c 'exec 3< /dev/ctrace'
# one that tries again and again, and keeps what it gets
as_nobody bash -c 'while :; do exec 3< /dev/ctrace; sleep 0.01; done' > /dev/null 2>&1 &
loop=$!
later "kill $loop"
sleep 0.5
check "the module goes while nobody tries" unload
# where the node exists without the module, the last try may have loaded it again
kill "$loop"
unload
