#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a view can be taken back, under whoever maps, reads or polls it
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program views taken
