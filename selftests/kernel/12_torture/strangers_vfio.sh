#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a device that is given to a user cannot be made to reach a view
# witness: vivid, where the kernel has it (rt, the built ones); a device behind an IOMMU, by hand: the
#	script says how
# requires: any
# timeout: 120
# torture: 120
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# A guest has no IOMMU of itself. This way it has one, and a spare device, the random numbers':
#	CTRACE_ACCEL='-accel tcg,thread=multi -machine q35,kernel-irqchip=split -device intel-iommu' \
#		selftests/vm/run --append intel_iommu=on -- selftests/vm/guest-runner -v \
#		selftests/kernel/12_torture/strangers_vfio.sh
for m in vfio-pci vfio_iommu_type1; do
	modprobe $m 2> /dev/null || skip "this kernel has no VFIO"
done
device=''
for d in /sys/bus/pci/devices/*; do
	# virtio's random numbers: nothing that the guest needs
	case $(cat "$d/device") in 0x1005 | 0x1044) [ ! -e "$d/iommu_group" ] || device=$d;; esac
done
[ -n "$device" ] || skip "no IOMMU here (see the script for how a guest gets one)"
group=/dev/vfio/$(basename "$(readlink "$device/iommu_group")")
name=$(basename "$device")
echo vfio-pci > "$device/driver_override"
[ ! -e "$device/driver" ] || echo "$name" > "$device/driver/unbind"
echo "$name" > /sys/bus/pci/drivers_probe
later "echo $name > $device/driver/unbind; echo > $device/driver_override; echo $name > /sys/bus/pci/drivers_probe"
wait_for 5 test -c "$group" || skip "the device's group has no node"
chmod 666 "$group" /dev/vfio/vfio
program strangers_vfio "$group"
