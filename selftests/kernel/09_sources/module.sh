#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: modules loaded and freed, against the kernel's own trace
# witness: modprobe; tracefs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
modinfo dummy > /dev/null 2>&1 || skip "no module dummy"
modprobe -r dummy 2> /dev/null
witness module/module_load module/module_free
evdump -e module_load -e module_free -- sh -c 'modprobe dummy; modprobe -r dummy' > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
same "loaded once" 1 "$(grep -cE 'module_load cid=0 tid=[1-9][0-9]* .* taints=0x[0-9a-f]* name="dummy"$|module_load cid=0 tid=[1-9][0-9]* .* taints=0 name="dummy"$' "$tmp/ev")"
same "freed once" 1 "$(grep -cE 'module_free cid=0 .* name="dummy"$' "$tmp/ev")"
tid=$(sed -nE 's/.* module_load cid=0 tid=([0-9]+) .*/\1/p' "$tmp/ev")
has "by whom the witness says" "-$tid module_load: dummy" "$tmp/w"
