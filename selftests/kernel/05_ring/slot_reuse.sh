#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: slots of the dead are used again, with a new generation, and counts still add up
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook reuse
