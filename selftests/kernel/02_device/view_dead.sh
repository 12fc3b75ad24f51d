#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a dead container's view gives its rings to others
# witness: room for one container, whose view nobody keeps; the next container's view is refused, and
#	then given
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program views dead
