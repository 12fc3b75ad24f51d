#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: asking for the netlink family loads the module
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

unload || give_up "it was loaded and does not go"
[ -e "/lib/modules/$(uname -r)/updates/ctrace.ko" ] || skip "not installed under /lib/modules"
check "a program of libctrace finds it" subscribe
check "the module is loaded" test -d /sys/module/ctrace
