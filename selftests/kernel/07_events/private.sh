#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what calls read and write, and environments, are recorded only if asked for, and only as much as that
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# neither is an argument of a program
cat > "$tmp/secret" <<'EOF'
export HIDDEN='pass word' part=sec
cd /tmp
echo plain${part}ret > secret
exec head -n 1 secret
EOF
run=(env -i "PATH=$PATH" bash "$tmp/secret")
ctrace record -o "$tmp/none" -e all -- "${run[@]}" > /dev/null 2> "$tmp/err"
at_least "a recording of everything" 50000 "$(du -sb "$tmp/none" | cut -f 1)"
same "has no data, and no environment" '' "$(grep -rlaE 'plainsecret|pass.word' "$tmp/none")"
ctrace record -o "$tmp/some" -e all --data 5 -- "${run[@]}" > /dev/null 2> "$tmp/err"
has "so many bytes" plain <(cat "$tmp"/some/*)
same "and no more" '' "$(grep -rlaE 'plains|pass.word' "$tmp/some")"
ctrace trace -e read,write --data 5 -- "${run[@]}" > "$tmp/out" 2>&1
has "what was written" 'write\(1</tmp/secret>, "plain"\.\.\., 12\) = 12' "$tmp/out"
has "and read" 'read\(3</tmp/secret>, "plain"\.\.\., [0-9]+\) = 12' "$tmp/out"
ctrace trace -e call:read,call:write --data 5 --no-fds -- "${run[@]}" > "$tmp/out" 2>&1
has "as whole calls" 'read\(3, "plain"\.\.\., [0-9]+\) = 12' "$tmp/out"
evdump -e syscalls -- "${run[@]}" > "$tmp/out" 2> "$tmp/err"
at_least "calls that could say more, in pairs" 20 "$(grep -cE ' syscall_exit_(read|close|openat) ' "$tmp/out")"
has_not "say nothing" ' syscall_(entry|exit)_(read|write) .*_data=[0-9]|_path="[^"]' "$tmp/out"
evdump -e calls -- "${run[@]}" > "$tmp/out" 2> "$tmp/err"
has_not "nor do whole ones" ' syscall_(read|write) .*_data=[0-9]|_path="[^"]' "$tmp/out"
ctrace trace -e sched_process_exec --env -- "${run[@]}" > "$tmp/out" 2>&1
has "an environment" 'process_env cwd="/tmp" exe="[^"]*/bin/(head|coreutils)" env=\[.*"HIDDEN=pass word"' "$tmp/out"
ctrace trace --data 1025 -- true > "$tmp/out" 2> "$tmp/err"
same "more than there may be" 2 $?
ctrace trace --data 1024 -e call:write -- sh -c 'printf %02000d 7 > /tmp/secret' > "$tmp/out" 2>&1
has "as much as there may be" 'write\(1</tmp/secret>, "0{1024}"\.\.\., 2000\) = 2000' "$tmp/out"
