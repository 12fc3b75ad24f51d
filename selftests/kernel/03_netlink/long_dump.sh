#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a dump of many rings goes on where it was, and does not begin anew with each message
# requires: any
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_dumps
