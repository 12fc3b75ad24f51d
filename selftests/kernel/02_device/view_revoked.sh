#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a view that is kept keeps no arena: it ends with its session
# requires: any
# kernels: 5.10, 6.1, newest
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program views kept
