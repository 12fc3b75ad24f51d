#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a module and a user space of different ABI refuse each other, and say what to do
# witness: the library built with an older and with a newer header
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v abi_older > /dev/null || skip "abi_older was not built"
load
# the ABI numbers of both test programs, and the module's
number() { sed -n "s/^#define $1[ \t]*\([0-9]*\)$/\1/p" "$2/ctrace.h"; }
old=$(number CTRACE_ABI "$here/build/abi_older.include/ctrace")
new=$(number CTRACE_ABI "$here/build/abi_newer.include/ctrace")
abi=$(number CTRACE_ABI "$top/uapi") compat=$(number CTRACE_ABI_COMPAT "$top/uapi")
version=$(cat /sys/module/ctrace/version)
note "module $version: ABI $abi, takes $compat or newer; programs of $old and $new"

refuse "user space that is too old sees it" \
	"module \(version $version, ABI $abi\) needs a user space of ABI $compat or newer, but this one has ABI $old: install the user space" abi_older
same "and says so again if the program goes on" 1 "$(abi_older | sort -u | wc -l)"
refuse "user space that is too new sees it" \
	"user space \(ABI $new\) needs a kernel module of ABI $new or newer, .*version $version\) has ABI $abi: install the module.*modprobe" abi_newer
same "and says so again if the program goes on" 1 "$(abi_newer | sort -u | wc -l)"
refuse "the module refuses a command of old" \
	"request has ABI $old, but the module \(version $version\) has ABI $abi and takes $compat or newer: install the user space" abi_older "$old"
check "it takes one of its own" abi_older "$abi"
check "and one that is newer, whose sender has looked" abi_older "$new"
