#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: when the owner's socket closes, a reader drains the rings and is told that the session ended
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook hup
