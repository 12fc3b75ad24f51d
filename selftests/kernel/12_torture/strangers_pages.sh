#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: nobody writes to, keeps or shows others the pages of a view that they were handed, by any call that takes an address
# witness: nobody, who holds a view, tries 24 families of calls while its container and a neighbour work;
#	after each, every byte of the view is accounted for: by the container's own count of calls, or as it
#	was; a child's child keeps it until others have the slots
# requires: any
# timeout: 120
# torture: 900
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program strangers_pages "$(long 1 20)"
