#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: attributes that are too short, too long, truncated or wrongly nested are refused
# witness: raw sockets: attributes left out, truncated, too long, meaningless; 2,000 random messages,
#	seed printed
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_hostile wrong
