// SPDX-License-Identifier: GPL-2.0-only
/* empty: a probe that does nothing at each tracepoint that the parameter names. No tracer can add less to an event. */
#include <linux/module.h>
#include <linux/tracepoint.h>

#define MOST 4

static char *points[MOST];
static struct tracepoint *found[MOST];
static unsigned int npoints;
module_param_array(points, charp, &npoints, 0);

static void look(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < npoints; i++)
		if (!strcmp(tp->name, points[i]))
			found[i] = tp;
}

/* What a tracepoint passes besides is in registers, and left there. */
static void nothing(void *data)
{
}

static void end(unsigned int n)
{
	while (n--)
		tracepoint_probe_unregister(found[n], nothing, NULL);
	tracepoint_synchronize_unregister();
}

static int __init empty_init(void)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(look, NULL);
	for (i = 0; i < npoints; i++) {
		err = found[i] ? tracepoint_probe_register(found[i], nothing, NULL) : -ENOENT;
		if (err) {
			end(i);
			return err;
		}
	}
	return 0;
}

static void __exit empty_exit(void)
{
	end(npoints);
}

module_init(empty_init);
module_exit(empty_exit);
MODULE_LICENSE("GPL");
