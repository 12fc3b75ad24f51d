#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: targets have ids; a deleted pid target takes away what it led to and no more; births; features are true
# witness: processes that fork between two targets, marked calls; 256 targets; a bind, a sample, the
#	directory; marked calls of pid namespaces made before and after
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program nl_targets
