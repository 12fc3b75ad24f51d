#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a view that is kept keeps no arena: it ends with its session
# witness: 20 sessions of 64 MiB whose views nobody keeps and maps: what is left can be read; after the
#	time to drain /proc/vmallocinfo has no arena, and the views read as revoked
# requires: any
# kernels: 5.10, 6.1, newest
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program views kept
