#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the module loads and unloads again and again under system call load
# witness: insmod's and rmmod's status, 4 times under load; 12_torture/reload does it 200 times
# requires: any
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

unload || give_up "it was loaded and does not go"
for _ in 1 2; do counted 0 1000000000 & later "kill $!; wait $!"; done
for i in $(seq 4); do
	insmod "$module" || give_up "insmod number $i"
	# every fourth load also has a session
	[ $((i % 4)) != 0 ] || timeout 100 evdump -e syscalls -t all -d 0.05 > /dev/null 2>&1
	wait_for 10 rmmod ctrace || give_up "rmmod number $i"
done
ok "4 times"
