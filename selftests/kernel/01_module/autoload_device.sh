#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: opening /dev/ctrace loads the module
# witness: modinfo, modules.devname, /sys/module
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

unload || give_up "it was loaded and does not go"
[ -e "/lib/modules/$(uname -r)/updates/ctrace.ko" ] || skip "not installed under /lib/modules"
modinfo -F alias ctrace > "$tmp/alias"
has "alias of the device" '^(devname:ctrace|char-major-10-)' "$tmp/alias"
has_not "no alias of the family: any user could ask for it" net-pf-16 "$tmp/alias"
# At boot, kmod and udev or systemd-tmpfiles make the device node from modules.devname; this does the same.
test -c /dev/ctrace || {
	dev=$(awk '$1 == "ctrace" {print $3}' "/lib/modules/$(uname -r)/modules.devname")
	note "modules.devname: $dev"
	mknod /dev/ctrace c "$(echo "${dev#c}" | cut -d: -f1)" "${dev#*:}"
}
check "open" bash -c 'exec 3< /dev/ctrace'
check "the module is loaded" test -d /sys/module/ctrace
