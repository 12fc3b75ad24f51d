#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: equal stacks of different CPUs are one key, of the kernel and of the program; others are not
# witness: two places in a program that calls from each CPU
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

program tables stacks
