#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the library's options, definitions, tracepoints and what a rate held back
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir "$tmp/tracefs"
mount -t tracefs nodev "$tmp/tracefs" && later umount "$tmp/tracefs"
program libcalls "$tmp/tracefs"
