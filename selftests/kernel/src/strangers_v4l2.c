// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_v4l2 DEVICE: nobody, who may use a camera, gives it the view that he holds for a buffer
 * (V4L2_MEMORY_USERPTR). From 4.3 to the fixes of 2022 such a driver took the pages of a mapping like ours
 * without a look at whether it may be written, and without a reference. The camera is vivid's.
 */
#include "stranger_hold.h"
#include <linux/videodev2.h>

static const char *device;

static int camera(struct v4l2_format *f)
{
	struct v4l2_requestbuffers r = {
		.count = 2, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_USERPTR,
	};
	int fd = open(device, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	memset(f, 0, sizeof(*f));
	f->type = r.type;
	if (fd < 0 || ioctl(fd, VIDIOC_G_FMT, f))
		return -1;
	f->fmt.pix.width = 320;
	f->fmt.pix.height = 180;
	f->fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
	f->fmt.pix.field = V4L2_FIELD_NONE;
	if (ioctl(fd, VIDIOC_S_FMT, f) || ioctl(fd, VIDIOC_REQBUFS, &r))
		return -1;
	return fd;
}

static int queue(int fd, unsigned int index, void *p, size_t n)
{
	struct v4l2_buffer b = {
		.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_USERPTR,
		.m.userptr = (unsigned long)p, .length = n,
	};

	return ioctl(fd, VIDIOC_QBUF, &b);
}

/* Lets the camera film for at most two seconds: returns whether it filled a buffer. */
static bool films(int fd)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	struct v4l2_buffer b = { .type = type, .memory = V4L2_MEMORY_USERPTR };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (ioctl(fd, VIDIOC_STREAMON, &type))
		return false;
	return poll(&p, 1, 2000) > 0 && !ioctl(fd, VIDIOC_DQBUF, &b) && !(b.flags & V4L2_BUF_FLAG_ERROR);
}

static int at_own_memory(struct hold *h)
{
	struct v4l2_format f;
	int fd = camera(&f);
	size_t n = (f.fmt.pix.sizeimage + 4095) & ~4095ul;
	char *own = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (fd < 0)
		return hold_absent(h, "no camera takes user pointers");
	snprintf(h->why, sizeof(h->why), "an image has %zu bytes, the view %zu", n, h->size);
	if (n > h->size / 2 || queue(fd, 0, own, n) || queue(fd, 1, own, n) || !films(fd) || watch_zero(own, n))
		return -1;
	return 0;
}

static int filmed(struct hold *h, int flags, bool touched, bool closed)
{
	struct v4l2_format f;
	int fd = camera(&f), taken;
	size_t n = (f.fmt.pix.sizeimage + 4095) & ~4095ul;
	char *p = mmap(NULL, h->size, PROT_READ, flags, h->fd, 0), c;

	if (fd < 0)
		return hold_absent(h, "no camera");
	for (size_t at = 0; touched && at < h->size; at += 4096)
		stranger_copy(&c, p + at, 1);
	taken = !queue(fd, 0, p, n) + !queue(fd, 1, p + h->size - n, n);
	if (closed)
		munmap(p, h->size);
	if (taken)
		films(fd);
	MUST_NOT(h, taken, closed ? "a camera keeps pages of a view that was unmapped" : "a camera takes the view for its buffer");
	close(fd);
	return 0;
}

static int at_touched(struct hold *h)	{ return filmed(h, MAP_SHARED, true, false); }
static int at_untouched(struct hold *h)	{ return filmed(h, MAP_SHARED, false, false); }
static int at_private(struct hold *h)	{ return filmed(h, MAP_PRIVATE, true, false); }
static int at_closed(struct hold *h)	{ return filmed(h, MAP_SHARED, true, true); }

static const struct attack own = { "a camera films to memory of its user", at_own_memory };
static const struct attack attacks[] = {
	{ "a camera films to a view that its owner has looked at", at_touched },
	{ "a camera films to a view that nobody has looked at", at_untouched },
	{ "a camera films to a private mapping of a view", at_private },
	{ "a camera films to a view that was unmapped since", at_closed },
};

int main(int argc, char **argv)
{
	device = argc > 1 ? argv[1] : "/dev/video0";
	hold_all(&own, attacks, sizeof(attacks) / sizeof(*attacks), 1 << 20, "v4l2-mine", 0x7634, 50);
}
