#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session is its socket's, and nobody's who may not trace
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_owner
