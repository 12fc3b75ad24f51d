#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the module loads, its device and netlink family appear, and it unloads without leaving anything
# witness: /sys/module, /dev, the log of the kernel
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

unload || give_up "it was loaded and does not go"
before=$(dmesg | wc -l)
# A device node that is older than the driver keeps its mode. Remove it, to see the mode that the driver asks
# for.
rm -f /dev/ctrace
check "insmod" insmod "$module"
check "the device is there" test -c /dev/ctrace
same "any user may try to open it; 02_device/open_denied" 666 "$(stat -c %a /dev/ctrace)"
check "the family is there" subscribe
check "rmmod" rmmod ctrace
wait_for 5 test ! -e /sys/class/misc/ctrace
check "the device is gone" test ! -e /dev/ctrace -a ! -e /sys/class/misc/ctrace
insmod "$module" && rmmod ctrace
same "no warning in the kernel's log" "" "$(dmesg | tail -n +$((before + 1)) | grep -iE 'warn|bug|error|oops')"
