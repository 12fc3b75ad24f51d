#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a view can be taken back, while it is mapped, read and polled
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program views taken
