// SPDX-License-Identifier: GPL-2.0-only
/* Kernel modules that are loaded and freed: events of the task that does it. */
#include <linux/module.h>
#include <linux/string.h>
#include "probe/table.h"
#include "emit/simple.h"
#include "compat/tracepoint.h"

#define LOAD_FIELDS(F)	F(x32, taints) F(string, name)
CTRACE_PAYLOAD(load_payload, LOAD_FIELDS);

static __always_inline void fill_load(void *payload, const void *arg)
{
	struct load_payload *r = payload;
	const struct module *mod = arg;

	r->taints = mod->taints;
	memcpy(r->name, mod->name, strnlen(mod->name, MODULE_NAME_LEN - 1) + 1);
}

static void probe_load(void *data, struct module *mod)
{
	ctrace_compat_probe_begin();
	ctrace_curated_context(CTRACE_ID_MODULE_LOAD,
			       CTRACE_SIZE(load_payload) +
			       strnlen(mod->name, MODULE_NAME_LEN - 1) + 1, fill_load, mod);
	ctrace_compat_probe_end();
}

static __always_inline void fill_free(void *payload, const void *arg)
{
	const struct module *mod = arg;

	memcpy(payload, mod->name, strnlen(mod->name, MODULE_NAME_LEN - 1) + 1);
}

static void probe_free(void *data, struct module *mod)
{
	ctrace_compat_probe_begin();
	ctrace_curated_context(CTRACE_ID_MODULE_FREE, strnlen(mod->name, MODULE_NAME_LEN - 1) + 1,
			       fill_free, mod);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_load[] = { CTRACE_FIELDS(LOAD_FIELDS) };
static const struct ctrace_field_desc f_free[] = { CTRACE_FIELD(STRING, DEFAULT, "name", 0) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(MODULE_LOAD, "module", "module_load", "module_load", f_load),
	CTRACE_TYPE(MODULE_FREE, "module", "module_free", "module_free", f_free),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "module_load", .fn = probe_load },
	{ .tracepoint = "module_free", .fn = probe_free },
	{ }
};

const struct ctrace_family ctrace_family_module = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
