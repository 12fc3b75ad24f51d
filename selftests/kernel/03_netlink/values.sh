#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: well-formed nonsense is refused with words that name it
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_values values
