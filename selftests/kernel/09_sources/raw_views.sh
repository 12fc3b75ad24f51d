#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a session with raw tracepoints refuses views of single containers, and the other way round
# witness: two containers that wake each other on one CPU, beside tracefs, with sessions of both kinds; a
#	view is refused; a raw probe, then a bind, and the other way round
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program dev_kaddr
