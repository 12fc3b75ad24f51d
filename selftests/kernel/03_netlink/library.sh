#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the library's options, definitions, tracepoints, and its count of events held back by a rate
# witness: options by size, definitions, tracepoints compared with tracefs, views and kernel addresses, a
#	rate compared with the calls made
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tracefs_mount
program libcalls $tracefs
