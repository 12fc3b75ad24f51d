#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box.sh: init of bench's containers: runs the commands that come through a fifo, one at a time, and says how each
# ended and how many microseconds it took. What it says before and after is the same for each tracer.
cd /tmp || exit
while read -r command < /ctl/in; do
	began=${EPOCHREALTIME/./}
	eval "$command" > /ctl/log 2>&1 < /dev/null
	status=$? ended=${EPOCHREALTIME/./}
	echo "$status $((ended - began))" > /ctl/done
done
