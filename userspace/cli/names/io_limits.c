// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/util.h"
#include "names/io_limits.h"

#define MINOR_BITS	20	/* of the kernel's own dev_t */

static const char *const words[] = {
	[IO_RBPS] = "rbps", [IO_WBPS] = "wbps", [IO_RIOPS] = "riops", [IO_WIOPS] = "wiops"
};

/* The files of a cgroup. v1 has one for each limit. */
static const struct file {
	const char *name;
	enum io_limit_kind kind;
	uint64_t usual;		/* a weight that is the default; 0: all are shown */
} v2_above[] = {
	{ "io.max", IO_RBPS, 0 },
	{ NULL, 0, 0 }
}, v2_own[] = {
	{ "io.weight", IO_WEIGHT, 100 }, { "io.bfq.weight", IO_WEIGHT, 100 }, { "io.latency", IO_LATENCY, 0 },
	{ NULL, 0, 0 }
}, v1_own[] = {
	{ "blkio.throttle.read_bps_device", IO_RBPS, 0 }, { "blkio.throttle.write_bps_device", IO_WBPS, 0 },
	{ "blkio.throttle.read_iops_device", IO_RIOPS, 0 },
	{ "blkio.throttle.write_iops_device", IO_WIOPS, 0 },
	{ "blkio.weight", IO_WEIGHT, 500 }, { "blkio.bfq.weight", IO_WEIGHT, 100 },
	{ NULL, 0, 0 }
};

void io_limits_free(struct io_limits *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].cgroup);
	free(l->v);
	*l = (struct io_limits){ 0 };
}

static void add(struct io_limits *l, const char *cgroup, const struct file *f, enum io_limit_kind kind,
		uint32_t dev, uint64_t value)
{
	if (l->n == IO_LIMITS)
		return;
	l->v = xrealloc(l->v, (l->n + 1) * sizeof(l->v[0]));
	l->v[l->n++] = (struct io_limit){
		.cgroup = xstrdup(cgroup), .file = f->name, .word = kind <= IO_WIOPS ? words[kind] : "",
		.dev = dev, .kind = kind, .value = value,
	};
}

/* "8:0 rbps=1048576 wbps=max ...", the device aside: io.max */
static void add_words(struct io_limits *l, const char *cgroup, const struct file *f, uint32_t dev,
		      const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(text, words[i]);
		uint64_t value;

		at = at ? at + strlen(words[i]) : NULL;
		/* "max" is no number: no limit */
		if (at && sscanf(at, "=%" SCNu64, &value) == 1)
			add(l, cgroup, f, (enum io_limit_kind)i, dev, value);
	}
}

static void add_line(struct io_limits *l, const char *cgroup, const struct file *f, const char *line)
{
	unsigned int major, minor;
	uint64_t value;
	uint32_t dev;
	int n = 0;

	/* "default 100", or older "100" */
	if (f->kind == IO_WEIGHT && (sscanf(line, "default %" SCNu64 "%n", &value, &n) == 1 ||
				     sscanf(line, "%" SCNu64 "%n", &value, &n) == 1) && line[n] != ':') {
		if (value != f->usual)
			add(l, cgroup, f, f->kind, 0, value);
		return;
	}
	n = 0;
	if (sscanf(line, "%u:%u%n", &major, &minor, &n) != 2 || line[n] != ' ' ||
	    minor >> MINOR_BITS || major >> (32 - MINOR_BITS))
		return;
	dev = major << MINOR_BITS | minor;
	if (!strcmp(f->name, "io.max"))
		add_words(l, cgroup, f, dev, line + n);
	else if (sscanf(line + n, f->kind == IO_LATENCY ? " target=%" SCNu64 : " %" SCNu64, &value) == 1)
		add(l, cgroup, f, f->kind, dev, value);
}

static void add_files(struct io_limits *l, const char *root, const char *cgroup, const struct file *files)
{
	for (const struct file *f = files; f->name; f++) {
		char *name = xasprintf("%s%s/%s", root, cgroup, f->name), *text = read_file(name, NULL);
		char *save = NULL, *line = text ? strtok_r(text, "\n", &save) : NULL;

		free(name);
		for (; line; line = strtok_r(NULL, "\n", &save))
			add_line(l, cgroup, f, line);
		free(text);
	}
}

static bool is_there(const char *root, const char *path)
{
	char *dir = root ? xasprintf("%s%s", root, path) : NULL;
	bool yes = dir && !access(dir, F_OK);

	free(dir);
	return yes;
}

/* Is the controller in v2? */
static bool in_v2(const char *root)
{
	char *name = root ? xasprintf("%s/cgroup.controllers", root) : NULL, *save = NULL;
	char *text = name ? read_file(name, NULL) : NULL, *w = text ? strtok_r(text, " \n", &save) : NULL;
	bool yes = false;

	for (; w && !yes; w = strtok_r(NULL, " \n", &save))
		yes = !strcmp(w, "io");
	free(text);
	free(name);
	return yes;
}

bool io_limits_read(struct io_limits *l, const char *v2, const char *v1, const char *path)
{
	bool is_v2 = in_v2(v2);
	const char *root = is_v2 ? v2 : v1;
	char *above;

	if (path[0] != '/' || !path[1] || !is_there(root, path))
		return false;
	io_limits_free(l);
	add_files(l, root, path, is_v2 ? v2_own : v1_own);
	above = xstrdup(path);
	while (is_v2 && *above) {
		add_files(l, root, above, v2_above);
		*strrchr(above, '/') = '\0';
	}
	free(above);
	return true;
}
