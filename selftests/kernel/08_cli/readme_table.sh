#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: README's table of sources matches the module's own description
# requires: any
# timeout: 30
# kernels: newest
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Before 6.8, sched_stat_runtime had one field more.
! kernel_before 6.8 || skip "README has a newer kernel's table"
load
sed -n '/<!-- sources:/,/<!-- sources end/p' "$top/README.md" | grep '^|' > "$tmp/readme"
ctrace events --markdown > "$tmp/module" || give_up "no table: $(cat "$tmp/module")"
at_least "rows" 40 "$(wc -l < "$tmp/module")"
same "README has the same, else put it there anew: ctrace events --markdown" "" "$(diff "$tmp/readme" "$tmp/module")"
