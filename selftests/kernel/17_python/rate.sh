#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: how many events a second the package for Python takes from rings that hold them; it loses none
# witness: processor time of reading rings that were filled before
# requires: python3,torture
# timeout: 60
# torture: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../python.sh
. "$here/python.sh"

load
n=$(long 20000 100000)
python3 "$examples/rate.py" "$n" > "$tmp/out" 2>&1
same "status" 0 $?
note "$(python3 --version; cat "$tmp/out")"
same "each was taken once, in each way" 3 "$(grep -cE "^[a-z ]+: $n events, [0-9]+ a second; 0 lost\$" "$tmp/out")"
