#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session belongs to the socket that made it, and only callers allowed to trace can make one
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_owner
