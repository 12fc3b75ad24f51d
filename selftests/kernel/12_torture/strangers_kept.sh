#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: views that are never given back keep neither the memory of their ended sessions nor the module
# witness: 20 (60) sessions: /proc/vmallocinfo, what the views then show, read and poll, rmmod
# requires: any
# timeout: 120
# torture: 300
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hasten
program strangers_kept "$(long 20 60)"
