#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a view can be taken back, while it is mapped, read and polled
# witness: its giver revokes it under a mapping, a read() and a poll() that wait, and two processes that
#	fault all pages in over and over
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program views taken
