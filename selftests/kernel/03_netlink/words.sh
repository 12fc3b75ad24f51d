#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: each refused caller reads about its own mistake, whatever other threads do at the same time
# witness: 12 threads, each wrong in its own way, 40,000 refusals
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program nl_words 2
