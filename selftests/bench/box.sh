#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box.sh: the init of bench's containers. It runs the commands that come through a fifo, one at a time, and
# reports each one's exit status and the microseconds it took. What it does around each command is the same
# for every tracer.
cd /tmp || exit
while read -r command < /ctl/in; do
	began=${EPOCHREALTIME/./}
	eval "$command" > /ctl/log 2>&1 < /dev/null
	status=$? ended=${EPOCHREALTIME/./}
	echo "$status $((ended - began))" > /ctl/done
done
