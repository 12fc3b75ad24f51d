// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes any text as a kprobe's definition. If it is one, evaluates a hit with any registers and memory. The
 * input: the text, up to a NUL or the end; the registers; then the contents of memory, from the front,
 * alternately for the kernel's and the user's.
 *
 * Beyond what the sanitizers see, it checks: an error's sentence ends within its room and is printable, a
 * definition that is accepted is within its bounds, and the payload has the form that its fields describe.
 */
#include "../unit/fetch_module.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)
#define WHY		192

static void sentence(const char *why)
{
	require(*why && strnlen(why, WHY) < WHY);
	for (; *why; why++)
		require(*why >= ' ' && *why <= '~');
}

static void bounds(const struct ctrace_fetch *f)
{
	const struct ctrace_fetch_arg *a;

	require(f->nfields == f->nargs + (f->span ? CTRACE_FETCH_SPAN_FIELDS : 0));
	require(f->nfields <= CTRACE_FETCH_ARGS && f->max <= CTRACE_FETCH_PAYLOAD);
	require(strlen(f->name) && strlen(f->system) && strlen(f->symbol));
	require(!(f->ret && f->offset));
	for (a = f->args; a < f->args + f->nargs; a++) {
		require(a->nderefs <= CTRACE_FETCH_DEREFS && a->count <= CTRACE_FETCH_COUNT);
		require(!a->count || a->nderefs);
		require(strlen(a->name) && a->bits + a->shift <= 64);
		require(a->base != CTRACE_FETCH_REG || a->value <= sizeof(struct fake_regs) - 8);
	}
}

static u32 up(u32 at, u32 size)
{
	return (at + size - 1) & ~(size - 1);
}

/* Walks the payload as a reader does, which knows only the fields; a span's own come before it. Returns where it ends. */
static u32 walk(const struct ctrace_fetch *f, const char *payload, u32 len)
{
	const struct ctrace_field_desc *d;
	u32 at = 0, n;

	for (d = f->fields + f->nfields - f->nargs; d < f->fields + f->nfields; d++) {
		if (d->kind == CTRACE_FK_STRING) {
			n = strnlen(payload + at, len - at);
			require(n < len - at && n < CTRACE_STR_MAX);
			at += n + 1;
			continue;
		}
		require(d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8);
		n = 1;
		if (d->kind == CTRACE_FK_SEQ || d->kind == CTRACE_FK_SEQ_INT) {
			at = up(at, 4);
			require(at + 4 <= len);
			memcpy(&n, payload + at, 4);
			require(n && n <= CTRACE_FETCH_COUNT);
			at += 4;
		}
		at = up(at, d->size) + n * d->size;
		require(at <= len);
	}
	return at;
}

static void hit(const struct ctrace_fetch *f, const u8 *bytes, size_t size)
{
	struct fake_regs regs = { .a = FAKE_BASE, .b = FAKE_BASE + 8, .c = FAKE_USER, .sp = FAKE_BASE + 512 };
	struct ctrace_fetch_ctx x = { .regs = &regs, .stack_size = 512, .comm = "fuzz", .task = true };
	size_t n = size < sizeof(regs) ? size : sizeof(regs);
	char *payload = malloc(f->max ? f->max : 1);
	u32 len;

	memcpy(&regs, bytes, n);
	x.sp = regs.sp;
	for (size_t i = n; i < size && i - n < 2 * FAKE_SIZE; i++)
		((i - n) & 1 ? fake_user_memory : fake_memory)[(i - n) / 2] = bytes[i];
	len = ctrace_fetch_eval(f, &x, payload);
	require(len <= f->max && walk(f, payload, len) == len);
	free(payload);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ctrace_fetch *f = NULL;
	char text[4096], why[WHY];
	size_t n = strnlen((const char *)data, size);

	if (n >= sizeof(text))
		return 0;
	memcpy(text, data, n);
	text[n] = 0;
	data += n < size ? n + 1 : n;
	size -= n < size ? n + 1 : n;
	memset(why, 0xaa, sizeof(why));
	if (ctrace_fetch_new(text, &f, why, sizeof(why))) {
		sentence(why);
		return 0;
	}
	bounds(f);
	hit(f, data, size);
	ctrace_free(f);
	return 0;
}
