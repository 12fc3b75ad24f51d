// SPDX-License-Identifier: GPL-2.0-only
/*
 * askdisk commands DEV N | reset DEV WHAT | mirror MD DEV DEV | nbd DEV MIB: what a disk is asked, beside reads and writes.
 *
 *	commands	N times, each command that the disk's driver takes: SCSI commands that carry data, and none (SG_IO); of an ATA
 *			disk or a CD-ROM drive its own ioctls; of NVMe an admin command. Prints "sent=N taken=N"
 *	reset		SG_SCSI_RESET; WHAT: device, bus or host
 *	mirror		makes /dev/MD of two disks (RAID1), without metadata
 *	nbd		is the server of /dev/nbdN, in this process, and holds MIB of memory; until it is killed. Prints "ready" when
 *			the disk exists
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/cdrom.h>
#include <linux/fs.h>
#include <linux/hdreg.h>
#include <linux/major.h>
#include <linux/nbd.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <scsi/sg.h>

/* Of linux/nvme_ioctl.h, which is younger than 4.3. */
struct nvme_command {
	uint8_t opcode, flags;
	uint16_t rsvd1;
	uint32_t nsid, cdw2, cdw3;
	uint64_t metadata, addr;
	uint32_t metadata_len, data_len, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15, timeout_ms, result;
};

#define NVME_ADMIN	_IOWR('N', 0x41, struct nvme_command)
#define NVME_IDENTIFY	0x06

static int sent, taken;
static unsigned char data[4096];

static void count(int err)
{
	sent++;
	taken += err >= 0;
}

static int open_disk(const char *dev, int how)
{
	int fd = open(dev, how | O_NONBLOCK);

	if (fd < 0) {
		perror(dev);
		exit(1);
	}
	return fd;
}

/* --- commands ----------------------------------------------------------------------- */

static void scsi(int fd, const unsigned char *cdb, int len, int bytes)
{
	unsigned char sense[32];
	sg_io_hdr_t io = {
		.interface_id = 'S', .cmdp = (unsigned char *)cdb, .cmd_len = len, .sbp = sense, .mx_sb_len = sizeof(sense),
		.dxfer_direction = bytes ? SG_DXFER_FROM_DEV : SG_DXFER_NONE, .dxferp = data, .dxfer_len = bytes, .timeout = 5000,
	};

	count(ioctl(fd, SG_IO, &io));
}

static void commands(const char *dev, int n)
{
	static const unsigned char ready[6], inquiry[6] = { 0x12, 0, 0, 0, 96 }, sense[6] = { 3, 0, 0, 0, 18 };
	/* READ(10) of the first block; IDENTIFY DEVICE and IDENTIFY PACKET DEVICE by ATA PASS-THROUGH(16) */
	static const unsigned char read10[10] = { 0x28, [8] = 1 };
	static const unsigned char identify[16] = { 0x85, 4 << 1, 0x0e, [6] = 1, [14] = 0xec };
	static const unsigned char identify_packet[16] = { 0x85, 4 << 1, 0x0e, [6] = 1, [14] = 0xa1 };
	struct nvme_command admin = {
		.opcode = NVME_IDENTIFY, .addr = (uintptr_t)data, .data_len = sizeof(data), .cdw10 = 1,
	};
	int fd = open_disk(dev, O_RDONLY), sector;
	unsigned char args[4 + 512];

	for (; n; n--) {
		scsi(fd, ready, sizeof(ready), 0);
		scsi(fd, inquiry, sizeof(inquiry), 96);
		scsi(fd, sense, sizeof(sense), 18);
		/* a CD-ROM's block is larger: what does not fit is cut */
		if (!ioctl(fd, BLKSSZGET, &sector) && sector <= (int)sizeof(data))
			scsi(fd, read10, sizeof(read10), sector);
		scsi(fd, identify, sizeof(identify), 512);
		scsi(fd, identify_packet, sizeof(identify_packet), 512);
		memset(args, 0, sizeof(args));
		args[0] = WIN_IDENTIFY;
		args[3] = 1;
		count(ioctl(fd, HDIO_DRIVE_CMD, args));
		count(ioctl(fd, CDROM_DRIVE_STATUS, CDSL_CURRENT));
		count(ioctl(fd, CDROM_MEDIA_CHANGED, CDSL_CURRENT));
		count(ioctl(fd, NVME_ADMIN, &admin));
	}
	printf("sent=%d taken=%d\n", sent, taken);
}

static int reset(const char *dev, const char *what)
{
	int how = !strcmp(what, "host") ? SG_SCSI_RESET_HOST : !strcmp(what, "bus") ? SG_SCSI_RESET_BUS : SG_SCSI_RESET_DEVICE;
	int fd = open_disk(dev, O_RDWR);

	if (ioctl(fd, SG_SCSI_RESET, &how)) {
		perror("SG_SCSI_RESET");
		return 1;
	}
	return 0;
}

/* --- md, nbd ------------------------------------------------------------------------- */

static void must(int err, const char *what)
{
	if (err < 0) {
		perror(what);
		exit(1);
	}
}

static int mirror(const char *md, char **dev)
{
	mdu_array_info_t info = {
		.level = 1, .size = 1024, .nr_disks = 2, .raid_disks = 2, .not_persistent = 1, .state = 1 << MD_SB_CLEAN,
		.active_disks = 2, .working_disks = 2,
	};
	int fd = open_disk(md, O_RDWR), i;

	must(ioctl(fd, SET_ARRAY_INFO, &info), "SET_ARRAY_INFO");
	for (i = 0; i < 2; i++) {
		unsigned int major, minor;
		mdu_disk_info_t d = { .number = i, .raid_disk = i, .state = 1 << MD_DISK_ACTIVE | 1 << MD_DISK_SYNC };

		if (sscanf(dev[i], "%u:%u", &major, &minor) != 2)
			exit(2);
		d.major = major;
		d.minor = minor;
		must(ioctl(fd, ADD_NEW_DISK, &d), "ADD_NEW_DISK");
	}
	must(ioctl(fd, RUN_ARRAY, NULL), "RUN_ARRAY");
	return 0;
}

static int all(int fd, void *to, size_t n, int out)
{
	char *at = to;
	ssize_t done;

	for (; n; n -= done, at += done) {
		done = out ? write(fd, at, n) : read(fd, at, n);
		if (done <= 0)
			return -1;
	}
	return 0;
}

static uint64_t of_net(uint64_t v)
{
	return __builtin_bswap64(v);
}

static void serve(int fd, char *memory, size_t size)
{
	struct nbd_request q;
	struct nbd_reply r = { .magic = __builtin_bswap32(NBD_REPLY_MAGIC) };

	while (!all(fd, &q, sizeof(q), 0)) {
		uint32_t type = __builtin_bswap32(q.type) & 0xffff, len = __builtin_bswap32(q.len);
		uint64_t from = of_net(q.from);

		if (type == NBD_CMD_DISC)
			return;
		if (from > size || len > size - from)
			exit(3);
		memcpy(r.handle, q.handle, sizeof(r.handle));
		if (type == NBD_CMD_WRITE && all(fd, memory + from, len, 0))
			return;
		if (all(fd, &r, sizeof(r), 1) || (type == NBD_CMD_READ && all(fd, memory + from, len, 1)))
			return;
	}
}

static int nbd(const char *dev, size_t size)
{
	int fd = open_disk(dev, O_RDWR), pair[2];
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	must(ioctl(fd, NBD_SET_BLKSIZE, 512ul), "NBD_SET_BLKSIZE");
	must(ioctl(fd, NBD_SET_SIZE_BLOCKS, (unsigned long)(size / 512)), "NBD_SET_SIZE_BLOCKS");
	child = fork();
	must(child, "fork");
	if (!child) {
		close(pair[1]);
		serve(pair[0], calloc(1, size), size);
		return 0;
	}
	close(pair[0]);
	must(ioctl(fd, NBD_SET_SOCK, pair[1]), "NBD_SET_SOCK");
	puts("ready");
	fflush(stdout);
	/* until the server goes, or somebody disconnects the disk */
	ioctl(fd, NBD_DO_IT);
	ioctl(fd, NBD_CLEAR_QUE);
	ioctl(fd, NBD_CLEAR_SOCK);
	kill(child, SIGKILL);
	wait(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";

	if (!strcmp(what, "commands"))
		commands(argv[2], atoi(argv[3]));
	else if (!strcmp(what, "reset"))
		return reset(argv[2], argv[3]);
	else if (!strcmp(what, "mirror") && argc > 4)
		return mirror(argv[2], argv + 3);
	else if (!strcmp(what, "nbd"))
		return nbd(argv[2], atoi(argv[3]) * 1048576ul);
	else
		return 2;
	return 0;
}
