#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session stays when its socket has the number of another socket that was just closed
# witness: a thread takes the number of a socket that another thread is closing, on one CPU, at random
#	moments
# requires: any
# kernels: 5.10, 6.1, newest
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program nl_reuse
