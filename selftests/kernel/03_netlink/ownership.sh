#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: sessions and definitions belong to the socket that made them, and only callers allowed to trace can make one
# witness: a second socket, an unprivileged one, closing; the same for definitions
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_owner
