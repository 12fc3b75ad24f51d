#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: no holder of a mapping writes to it, grows it, keeps it beyond its end, or breaks what ends under it
# requires: any
# timeout: 90
# torture: 300
# kernels: 6.1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program hostile_maps "$(long 2 120)"
