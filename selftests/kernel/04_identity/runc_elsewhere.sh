#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container of runc has one cid also where runc is not in the machine's first mount namespace
# requires: runc
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../runtime.sh
. "$here/runtime.sh"

# As in docker in docker, kind, docker's snap: runc executes itself again in the container's cgroup, and its mounts
# are not the first ones. They are not the container's own either.
real=$(command -v runc)
mkdir "$tmp/bin"
printf '#!/bin/sh\nexec unshare --mount --propagation slave %s "$@"\n' "$real" > "$tmp/bin/runc"
chmod +x "$tmp/bin/runc"
PATH=$tmp/bin:$PATH
one_container runc
