#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: disks of every kind, under commands, polling, hot-plug, errors and resets: no harm, each read is counted for its owner
# witness: IDE, SATA, SCSI, CD-ROM, USB, NVMe, virtio, scsi_debug, loop, dm, md and nbd, as far as the
#	kernel has drivers (vm/disks.config); SG_IO, polling, media errors, timeouts, resets, hosts and disks
#	that come and go; a container's dd prints what it read
# requires: v2,v1,torture
# disks: the more drivers the kernel has, the more there are
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
reads=20	# of each disk, by a container

# --- disks --------------------------------------------------------------------------
for m in ata_piix ahci virtio_scsi sym53c8xx xhci_pci usb_storage nvme sd_mod sr_mod sg loop dm_mod dm_flakey raid1; do
	modprobe $m 2> /dev/null
done
! modprobe nbd nbds_max=1 2> /dev/null || later "modprobe -r nbd"
! modprobe scsi_debug dev_size_mb=8 num_tgts=2 2> /dev/null || later "modprobe -r scsi_debug"
! modprobe null_blk nr_devices=1 gb=1 2> /dev/null || later "modprobe -r null_blk"
size() { cat "/sys/block/$1/size" 2> /dev/null || echo 0; }
list() { for d in /sys/block/*; do [ "$(size "${d##*/}")" = 0 ] || echo "${d##*/}"; done; }
# drivers look for disks in the background
settled() { local was; was=$(list); sleep 2; [ "$was" = "$(list)" ]; }
wait_for 20 settled
# disks that are made of others
for n in 0 1 2; do
	truncate -s 4M "$tmp/file$n"
	[ -b /dev/loop$n ] || mknod /dev/loop$n b 7 $n
	losetup /dev/loop$n "$tmp/file$n" 2> /dev/null && later "losetup -d /dev/loop$n"
done
if [ "$(size loop2)" != 0 ]; then
	for t in linear flakey; do
		dmsetup --noudevsync create t$t --table "0 4096 $t /dev/loop0 0$([ $t = linear ] || echo ' 1 1')" 2> /dev/null &&
			later "dmsetup --noudevsync remove t$t"
	done
	[ -b /dev/md7 ] || mknod /dev/md7 b 9 7
	askdisk mirror /dev/md7 "$(cat /sys/block/loop1/dev)" "$(cat /sys/block/loop2/dev)" 2> "$tmp/md" &&
		later "echo clear > /sys/block/md7/md/array_state"
fi
if [ -b /dev/nbd0 ]; then
	askdisk nbd /dev/nbd0 4 > "$tmp/nbd" 2>&1 &
	later "kill $!; wait $!"
	wait_for 10 grep -q ready "$tmp/nbd"
	# the first program that opens one has its partitions looked for, which are more reads
	dd if=/dev/nbd0 of=/dev/null bs=4k count=1 iflag=direct 2> /dev/null
fi
# By the kernel's own words of where they are. A line each: NAME DRIVER
kind() {
	local at
	at=$(readlink -f "/sys/block/$1/device" 2> /dev/null)
	while [ -n "$at" ] && [ "$at" != / ]; do
		case $(basename "$(readlink "$at/driver" 2> /dev/null)") in
		'' | sd | sr | nvme-subsystem) at=${at%/*};;
		*) basename "$(readlink "$at/driver")"; return;;
		esac
	done
	echo "${1%%[0-9]*}"
}
for d in $(list); do
	case $d in vda | ram* | zram* | dm-* | md*) continue;; esac
	[ -b "/dev/$d" ] || continue
	echo "$d $(kind "$d")"
done > "$tmp/kinds"
note "$(paste -sd, "$tmp/kinds")"
[ -s "$tmp/kinds" ] || skip "no driver for any disk"
# The second of scsi_debug is for errors and resets, and comes and goes. Its errors are those of the driver: the container
# reads the first one before they begin.
fails=$(awk '$2 == "scsi_debug" {d = $1} END {print d}' "$tmp/kinds")
commands=$(awk '$2 !~ /^(loop|nbd|nullb|virtio_blk)$/ {print $1}' "$tmp/kinds" | xargs)

# --- all at once -----------------------------------------------------------------------
load
names=() jobs=()
# tracer NAME COMMAND...
tracer() {
	names+=("$1")
	"${@:2}" > "$tmp/$1.out" 2> "$tmp/$1.err" & jobs+=($!)
	later "kill $!"
}
tracer bio ctrace bio all --json
tracer top ctrace top -b --json
tracer record ctrace record -o "$tmp/trace" -e views --buffer-size 64M all
tracer events evdump -t all -e block_rq_insert -e block_rq_issue -e block_rq_complete -e block_bio_queue -e block_io
sessions() { [ "$(ctrace status --json | jq '[.sessions[] | select(.recording)] | length')" = "$1" ]; }
wait_for 30 sessions ${#names[@]} || note "$(ctrace status)"
awk -v fails="$fails" '$1 != fails && $2 == "scsi_debug" {print $1}' "$tmp/kinds" > "$tmp/read-first"
awk '$2 != "scsi_debug" {print $1}' "$tmp/kinds" > "$tmp/read-then"
cheap reader -n reader -- sh -c "until [ -e $tmp/go ]; do sleep 0.05; done
	read_each() { while read -r d; do dd if=/dev/\$d of=/dev/null bs=4k count=$reads iflag=direct 2> /dev/null || echo \$d; done >> $tmp/not-read; }
	read_each < $tmp/read-first; : > $tmp/was-read
	read_each < $tmp/read-then
	for d in $commands; do echo \$d \$(askdisk commands /dev/\$d 5); done > $tmp/commands
	: > $tmp/done; sleep 1000"
cid=$(of_pid "$pid" cid)
for f in /sys/block/*/events_poll_msecs; do
	echo 100 > "$f" 2> /dev/null && later "echo -1 > $f"
done
: > "$tmp/go"
(while [ ! -e "$tmp/done" ]; do
	for d in $commands; do askdisk commands "/dev/$d" 1; done > /dev/null
done) & hosts=$!
later "kill $hosts"

# hot-plug, errors and resets, while the others keep reading
debug=/sys/bus/pseudo/drivers/scsi_debug
if [ -n "$fails" ]; then
	dev=/sys/block/$fails/device
	wait_for 60 test -e "$tmp/was-read" || give_up "the container did not read"
	echo 2 > "$dev/timeout"
	echo 3 > $debug/every_nth
	# medium error, timeout, recovered error, and what newer kernels add; all of them together are 0x1f
	for opts in 2 4 8 0x10 0x1f; do
		echo $opts > $debug/opts 2> /dev/null || continue
		for n in 1 2; do timeout 20 dd if="/dev/$fails" of=/dev/null bs=4k count=4 iflag=direct skip=$((n * 300)) 2> /dev/null; done
		timeout 20 dd if="/dev/$fails" of=/dev/null bs=4k skip=582 count=1 iflag=direct 2> /dev/null
	done
	echo 0 > $debug/opts
	echo 0 > $debug/every_nth
	for what in device bus host; do askdisk reset "/dev/$fails" $what 2>&1 | note; done
	for n in 1 2; do
		echo 1 > $debug/add_host
		sleep 0.5
		(for d in $(list); do timeout 20 dd if="/dev/$d" of=/dev/null bs=4k count=2 iflag=direct; done) 2> /dev/null
		echo -1 > $debug/add_host
	done
	# taken away and found again, under requests
	(timeout 20 dd if="/dev/$fails" of=/dev/null bs=512 count=4000 iflag=direct) 2> /dev/null & reading=$!
	echo 1 > "$dev/delete"
	wait $reading
	for f in /sys/class/scsi_host/host*/scan; do echo '- - -' > "$f"; done
fi
dmsetup --noudevsync create tfails --table "0 8 error" 2> /dev/null && later "dmsetup --noudevsync remove tfails"
for d in dm-0 dm-1 dm-2 md7; do
	[ "$(size $d)" = 0 ] || timeout 20 dd if=/dev/$d of=/dev/null bs=4k count=1 iflag=direct 2> /dev/null
done
# Linux 4.4 and 4.19 may hang in a reset during commands, without ctrace, too
kernel_before 5.0 || for f in /sys/class/nvme/nvme*/reset_controller; do
	[ ! -w "$f" ] || echo 1 > "$f"
done
wait_for 60 test -e "$tmp/done" || give_up "the container did not read all: $(cat "$tmp/commands" "$tmp/not-read")"
wait $hosts
sleep 0.5
kill -INT "${jobs[@]}"
for n in "${!names[@]}"; do
	wait "${jobs[$n]}"
	same "${names[$n]}: status" 0 $?
done
note "commands of the container: $(paste -sd, "$tmp/commands")"
note "events: $(awk '{n[$2]++} END {for (i in n) printf "%s %d, ", i, n[i]}' "$tmp/events.out")"

same "disks that could not be read" "" "$(paste -sd' ' "$tmp/not-read")"
# reads_of FILE DISK: the container's, as ctrace bio counted them
reads_of() {
	# with NVMe's multipath, requests go to a hidden disk of the path, nvme0c0n1, which is shown as the disk
	jq -s "[.[].rows[] | select(.cid == $cid and .disk == \"$2\") | .reads] | add // 0" "$1"
}
note "reads of the container: $(jq -sc "[.[].rows[] | select(.cid == $cid) | \"\(.disk) \(.reads)\"]" "$tmp/bio.out")"
while read -r d; do
	same "reads of $d by the container ($(awk -v d="$d" '$1 == d {print $2}' "$tmp/kinds"))" $reads "$(reads_of "$tmp/bio.out" "$d")"
done < <(cat "$tmp/read-first" "$tmp/read-then")
# Commands have no place on a disk. Those of NVMe's administration go to a queue without a disk.
for d in $commands; do
	case $d in "$fails" | nvme*) continue;; esac
	dev=$(awk -F: '{print $1 * 1048576 + $2}' "/sys/block/$d/dev")
	at_least "commands to $d, issued" 5 "$(grep -cE " block_rq_issue .* dev=$dev .*sector=0 nr_sector=0 " "$tmp/events.out")"
done
ctrace bio --input "$tmp/trace" --json > "$tmp/bio.recorded" 2> "$tmp/err"
same "the recording can be read" 0 $?
# by sum: there, a disk may have another name
all_reads() { jq -s "[.[].rows[] | select(.cid == $cid) | .reads] | add // 0" "$1"; }
same "and has as many reads of the container" "$(all_reads "$tmp/bio.out")" "$(all_reads "$tmp/bio.recorded")"
