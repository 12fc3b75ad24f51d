#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a descriptor bound to one container shows nobody else's bytes to whom it is given
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_pass
