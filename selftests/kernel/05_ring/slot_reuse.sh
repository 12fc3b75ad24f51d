#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the slots of dead containers are reused, with a new generation, and the counts still add up
# requires: any
# timeout: 90
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook reuse
