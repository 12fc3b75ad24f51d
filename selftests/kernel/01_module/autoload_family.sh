#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: asking for the netlink family, which any user of any net namespace can do, loads nothing; root's command loads the module
# witness: /sys/module, asked by root in a user and net namespace of its own, and by root
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v event_get > /dev/null || skip "event_get was not built"
unload || give_up "it was loaded and does not go"
[ -e "/lib/modules/$(uname -r)/updates/ctrace.ko" ] || skip "not installed under /lib/modules"
# unshare -Un fails where the kernel gives users no namespaces of their own
user() { if unshare -Un true 2> /dev/null; then unshare -Un "$@"; else unshare -n "$@"; fi; }
refuse "root in a user and net namespace of its own asks for it" '.' user event_get family
check "and it is not loaded" test ! -e /sys/module/ctrace
refuse "root asks for it" '.' event_get family
check "and it is not loaded" test ! -e /sys/module/ctrace
check "root's command" ctrace status
check "loads it" test -d /sys/module/ctrace
