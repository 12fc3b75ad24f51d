#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a descriptor bound to one container shows its new holder no bytes of other containers
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_pass
