# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # what lib.sh has; tests use what is set
# slow_disk.sh: a disk of known latency, for tests that wait for one. Source it after lib.sh.

# slow_disk MS SIZE: mounts a disk of SIZE MB that keeps what it is given, and answers each request after MS milliseconds. $slow is
# the directory; empty, and said why, if this kernel or root has no such disk
slow_disk() {
	local d=/sys/kernel/config/nullb/slow disk x
	slow=''
	if ! command -v mkfs.ext4 mkfs.minix > "$tmp/mkfs"; then
		note "no slow disk: no mkfs"
		return
	fi
	modprobe null_blk nr_devices=0 2> /dev/null && modprobe configfs 2> /dev/null
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config 2> /dev/null
	if mkdir $d 2> "$tmp/mkfs"; then
		later "echo 0 > $d/power; rmdir $d; rmmod null_blk"
		for x in memory_backed:1 size:"$2" irqmode:2 completion_nsec:"$1"000000 power:1; do echo "${x#*:}" > "$d/${x%:*}"; done
		mkdir "$tmp/disk"
		# newer kernels call it as its directory
		disk=/dev/nullb$(cat $d/index)
		[ -b "$disk" ] || disk=/dev/slow
		{ mkfs.ext4 -q "$disk" || mkfs.minix "$disk"; } > "$tmp/mkfs" 2>&1
		modprobe ext4 2> /dev/null
		modprobe minix 2> /dev/null
		if mount "$disk" "$tmp/disk" 2>> "$tmp/mkfs"; then
			later "umount $tmp/disk"
			slow=$tmp/disk
		fi
	fi
	note "slow disk: ${slow:-none: $(cat "$tmp/mkfs")}"
}
