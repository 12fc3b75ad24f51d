#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: errors say what is wrong and what to do, with the documented exit statuses
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -g "/box/$(hex64 err)" -- sleep 1000
status() { "$@" > "$tmp/out" 2>&1; echo $?; }
same "no target: usage" 2 "$(status ctrace trace)"
has "it points to ctrace ps" 'ctrace ps' "$tmp/out"
same "unknown container" 1 "$(status ctrace trace wbe)"
has "named, with what next" "wbe.*|ctrace ps" "$tmp/out"
same "unknown event" 1 "$(status ctrace trace all -e sched_swich | sed 's/2/1/')"
has "named" 'sched_swich' "$tmp/out"
same "unknown option" 2 "$(status ctrace trace --no-such-option)"
same "unknown command" 2 "$(status ctrace trcae)"
has "nearest" 'trace' "$tmp/out"
same "no such process" 1 "$(status ctrace trace pid:3999999)"
same "no such cgroup" 1 "$(status ctrace trace cgroup:/no/such)"
same "a bad duration" 2 "$(status ctrace trace all --duration soon)"
same "help" 0 "$(status ctrace trace --help)"
same "version" 0 "$(status ctrace --version)"
cp "$(readlink -f "$(command -v ctrace)")" "$tmp/ctrace" && chmod 755 "$tmp" "$tmp/ctrace"
same "nobody may not" 1 "$(status setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/ctrace" trace all --duration 0.1)"
has "and is told" 'permission|root|CAP_' "$tmp/out"
unload
mv "/lib/modules/$(uname -r)/updates/ctrace.ko" "$tmp/" && later "mv $tmp/ctrace.ko /lib/modules/$(uname -r)/updates/"
same "module not there" 1 "$(status ctrace ps)"
has "and what to do" 'its file is gone.*make install-dkms' "$tmp/out"
same "nobody cannot ask modprobe" 1 "$(status setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/ctrace" ps)"
has "and is told to be root" "not loaded: run 'modprobe ctrace' as root" "$tmp/out"
