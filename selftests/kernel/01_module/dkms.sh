#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: dkms adds, builds, installs and removes the module
# witness: dkms' and modprobe's status
# requires: any,slow
# timeout: 600
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v dkms > /dev/null || skip "no dkms"
[ -e "/lib/modules/$(uname -r)/build/Makefile" ] || skip "no headers of this kernel here"
[ -n "${CTRACE_TEST_DKMS:-}" ] || skip "the host side of the suite does it (CTRACE_TEST_DKMS=1 to do it here)"
name=$(sed -n 's/^PACKAGE_NAME="\(.*\)"/\1/p' "$top/dkms.conf")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf")
later "dkms remove $name/$version --all; rm -rf /usr/src/$name-$version"
cp -r "$top" "/usr/src/$name-$version"
check "add" dkms add "$name/$version"
check "build" dkms build "$name/$version"
check "install" dkms install --force "$name/$version"
unload
check "modprobe" modprobe ctrace
unload
check "remove" dkms remove "$name/$version" --all
