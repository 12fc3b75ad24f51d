// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes any bytes as what a call's arguments point to, and shows the call: as text and as JSON. The input: which call (two
 * bytes), a byte of switches (1: a 32-bit program; 2: what a variant of the call wants; 4: the call failed), which variant,
 * six arguments and the result of eight bytes each. Then for each memory, as long as there is something, a byte that
 * says about which argument and what it is, one with its length, and the memory itself.
 *
 * Beyond what the sanitizers see, it checks that text and JSON have no byte that would control a terminal.
 *
 * sources: cli/strace/call_memory.c cli/strace/clone_text.c cli/strace/errno_names.c cli/strace/fields_text.c cli/strace/found.c cli/strace/inner_call.c cli/strace/io_uring_names.c cli/strace/memory.c
 * sources: cli/strace/memory_kinds.c cli/strace/memory_objects.c cli/strace/memory_sockaddr.c cli/strace/number_text.c
 * sources: cli/strace/paint.c cli/strace/syscall_args.c cli/base/json.c cli/base/sbuf.c cli/base/util.c lib/ctl.c lib/decode.c
 * sources: lib/errtext.c lib/schema.c lib/sizes.c build/cli/strace/constants.c
 * libraries: libseccomp libnl-3.0 libnl-genl-3.0
 * packages: libseccomp-dev libnl-genl-3-dev
 */
#include "../unit/built_call.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)

struct input {
	const uint8_t *s;
	size_t n;
};

static uint64_t take(struct input *in, size_t size)
{
	uint64_t v = 0;

	if (in->n < size)
		return 0;
	memcpy(&v, in->s, size);
	in->s += size;
	in->n -= size;
	return v;
}

static void harmless(const struct sbuf *b)
{
	for (size_t i = 0; i < b->len; i++)
		require((unsigned char)b->s[i] >= ' ' && b->s[i] != 0x7f);
}

static void show(struct built *b)
{
	const struct call_form *form = syscall_form(b->c.p, b->v, b->n);
	struct sbuf text = { 0 }, object = { 0 };
	struct json j = { .out = &object };
	struct memory m;

	syscall_put_args(&text, &b->c, &b->c);
	syscall_put_result(&text, form, &b->c, &b->c, (int64_t)b->v[1].u);
	syscall_put_resumed(&text, form, &(struct call_values){ .p = b->c.p }, &b->c, true);
	harmless(&text);
	json_open(&j, NULL, '{');
	for (uint32_t i = 0; form && i < form->nargs; i++)
		if (call_memory(&m, form, i, &b->c, &b->c))
			memory_put_json(&j, "x", form->args[i], &m);
	json_close(&j, '}');
	harmless(&object);
	sbuf_free(&text);
	sbuf_free(&object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	const struct call_args *a = &call_args[take(&in, 2) % ncall_args];
	unsigned int how = (unsigned int)take(&in, 1), variant = (unsigned int)take(&in, 1);
	bool compat = !strncmp(a->name, "compat_", 7), done[NARGS][ABOUT_N] = { 0 };
	uint64_t args[NARGS];
	struct built b;

	for (int i = 0; i < NARGS; i++)
		args[i] = take(&in, 8);
	if (how & 2 && a->nvariants) {
		const struct call_variant *v = &a->variants[variant % a->nvariants];

		args[v->also] |= v->also_value;
		args[a->by] = (args[a->by] & ~v->mask) | v->value;
	}
	begin(&b, args, how & 4 ? -1 - (int64_t)(take(&in, 8) & 0x7ff) : (int64_t)take(&in, 8));
	while (in.n > 2 && b.n < 40) {
		unsigned int what = (unsigned int)take(&in, 1), arg = what % NARGS, k = what / NARGS % ABOUT_N;
		size_t n = take(&in, 1);

		n = n < in.n ? n : in.n;
		if (!done[arg][k])
			add_about(&b, (int)arg, k, in.s, n);
		done[arg][k] = true;
		in.s += n;
		in.n -= n;
	}
	finish_call(&b, a->name + (compat ? 7 : 0), compat || how & 1, false);
	show(&b);
	end(&b);
	return 0;
}
