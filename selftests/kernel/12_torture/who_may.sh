#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: every command, ioctl and call, by every kind of caller, is allowed or refused as the table says
# witness: 52 operations as 11 callers, against the table in uapi/ctrace_netlink.h
# requires: any
# timeout: 90
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Before the stable releases of December 2023, kernels let any user listen.
open=''
grep -qE 'define CTRACE_HAVE_GENL_MCAST__(CAP|FLAGS)' "$top/module/generated/facts.h" || open=open
# shellcheck disable=SC2086 # a word or none
program who_may $open
