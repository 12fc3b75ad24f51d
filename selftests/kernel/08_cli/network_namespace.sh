#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: in another network namespace ctrace and doctor say that, and what to type; it works, and nobody is told to load a loaded module
# witness: lsmod; the same commands in the first network namespace
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
status() { "$@" > "$tmp/out" 2>&1; echo $?; }
same "here it works" 0 "$(status ctrace ps)"
same "in another network namespace it does not" 1 "$(status unshare -n ctrace ps)"
check "though the module is loaded there, too" unshare -n grep -q '^ctrace ' /proc/modules
has "which it says" 'is loaded, but answers only in the host.s network namespace' "$tmp/out"
has "and what to type" 'nsenter --net=/proc/1/ns/net ctrace .*--network=host' "$tmp/out"
has_not "no word of loading it" 'not loaded|modprobe' "$tmp/out"
same "what it says to type works" 0 "$(status unshare -n nsenter --net=/proc/1/ns/net ctrace ps)"
status unshare -n ctrace trace host --duration 0.1 > /dev/null
has "trace says the same" 'answers only in the host.s network namespace' "$tmp/out"
status unshare -n ctrace doctor -q > /dev/null
has "doctor knows it" '^BAD +network +the module answers only in the host' "$tmp/out"
has "and its cure" '^ +nsenter --net=/proc/1/ns/net ctrace' "$tmp/out"
has "and does not say that ctrace works" '^ctrace does not work here yet' "$tmp/out"
status ctrace doctor -q > /dev/null
has_not "in the first one it has nothing to say of that" ' network ' "$tmp/out"
unload
status unshare -n ctrace doctor -q > /dev/null
has "where doctor loads the module, it sees it, too" '^BAD +network ' "$tmp/out"
check "it is loaded" loaded
