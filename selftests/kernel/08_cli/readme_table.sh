#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the table of uapi/EVENTS.md matches the module's own description
# witness: tracefs; the module's own description
# requires: any
# timeout: 30
# kernels: newest
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Before 6.8, sched_stat_runtime had one field more.
! kernel_before 6.8 || skip "the table is a newer kernel's"
load
sed -n '/<!-- sources:/,/<!-- sources end/p' "$top/uapi/EVENTS.md" | grep '^|' > "$tmp/table"
ctrace events --markdown > "$tmp/module" || give_up "no table: $(cat "$tmp/module")"
at_least "rows" 40 "$(wc -l < "$tmp/module")"
same "the table is the same, else put it there anew: ctrace events --markdown" "" "$(diff "$tmp/table" "$tmp/module")"
