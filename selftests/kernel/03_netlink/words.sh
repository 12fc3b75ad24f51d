#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: who is refused is told of his own mistake, whatever others do meanwhile
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_words 2
