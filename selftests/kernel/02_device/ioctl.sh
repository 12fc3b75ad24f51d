#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: every wrong ioctl is refused
# witness: every number and type, sizes, pointers, values, as nobody
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_ioctl  numbers, sizes, pointers, values, twice, by nobody
