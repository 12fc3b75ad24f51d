#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the owner's socket closes under a reader: it drains, and is told
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program ringlook hup
