#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the package for Python: events, callbacks, losses, tables, containers, views, recordings, refusals
# witness: calls that the test counts; babeltrace2 beside the recordings; records made by hand and
#	damaged at random, under address checks
# requires: python3,podman,babeltrace2,torture
# timeout: 90
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../python.sh
. "$here/python.sh"

load
named pybox /bin/sh -c 'while :; do counted 79 5; cat /etc/passwd > /dev/null; sleep 0.05; done'
python3 "$(dirname "$0")/package.py" "$(open_function)" "$cid" "$tmp" "$(long 1 20)" > "$tmp/ktap" 2> "$tmp/err"
st=$?
cat "$tmp/ktap"
count=$(grep -cE '^(not )?ok ' "$tmp/ktap") failed=$(grep -c '^not ok' "$tmp/ktap")
same "it ended by itself" "0 " "$st $(tail -n 1 "$tmp/err")"
note "$(cat "$tmp/err")"

podman kill pybox > /dev/null
podman rm -f pybox > /dev/null
check "the module unloads" unload
# root's first use of the device would load it
refuse "no module" 'kernel module is not loaded' unshare -m sh -c "mount -t tmpfs none /dev && exec python3 -c 'import ctrace
ctrace.Session(0, \"calls\")'"
