#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a command that lacks one of its attributes is refused, and the refusal names the attribute
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_hostile missing
