#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a descriptor bound to one container shows its new holder no bytes of other containers
# witness: it is handed to nobody, who searches the whole mapping for the secrets of the neighbour and of
#	those who had its slots before
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_pass
