# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # for those who source it, and what lib.sh has
# python.sh: what the tests of the package ctrace for Python share. Source it after lib.sh.

export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
examples=$top/userspace/python/examples
[ "${VM_KERNEL:-}" != host ] || python3 -c 'import ctrace' 2> /dev/null || skip "the package for Python is not installed"

# named NAME COMMAND...: starts a container of podman with that name; sets $cid and $pid
named() {
	podman_run "$@"
	cid=$(of_pid "$pid" cid)
}
