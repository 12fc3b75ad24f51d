#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: rmmod is refused while the device is open, and works once it is closed
# witness: rmmod's answer, /sys/module
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
exec 3< /dev/ctrace
refuse "rmmod with the device open" 'in use|busy|temporarily' rmmod ctrace
check "still there" test -d /sys/module/ctrace
exec 3<&-
check "rmmod after closing" unload
