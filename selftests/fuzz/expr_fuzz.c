// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes any text as a filter expression, for an event type that the input describes too. If the text compiles, it is
 * evaluated over any payload. The parts of the input, which can be read and written by hand:
 *
 *	a character for each field, named a, b, c, ...: see kinds[]; then a newline
 *	the text, up to a NUL or the end
 *	the payload; its last 16 bytes are also the task's name
 *
 * Beyond what the sanitizers see, it checks: an error's sentence ends within its room and is printable, jumps go
 * forward, and !( ) around an expression inverts its answer.
 */
#include "../unit/expr_module.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)
#define WHY		192

/* Small letters are numbers of 1, 2, 4, 8 bytes; '0' and '1' are kinds that no type may have. */
static const struct { char c; u8 kind, size; } kinds[] = {
	{ 'b', CTRACE_FK_UINT, 1 }, { 'h', CTRACE_FK_UINT, 2 }, { 'w', CTRACE_FK_UINT, 4 }, { 'q', CTRACE_FK_UINT, 8 },
	{ 'i', CTRACE_FK_INT, 1 }, { 'j', CTRACE_FK_INT, 2 }, { 'k', CTRACE_FK_INT, 4 }, { 'l', CTRACE_FK_INT, 8 },
	{ 'x', CTRACE_FK_UINT, 4 }, { 'y', CTRACE_FK_UINT, 8 }, { 't', CTRACE_FK_TEXT, 16 }, { 'u', CTRACE_FK_TEXT, 1 },
	{ 'v', CTRACE_FK_TEXT, 255 }, { 's', CTRACE_FK_STRING, 0 }, { 'B', CTRACE_FK_SEQ, 1 }, { 'H', CTRACE_FK_SEQ_INT, 2 },
	{ 'W', CTRACE_FK_SEQ, 4 }, { 'Q', CTRACE_FK_SEQ, 8 }, { '0', 0, 4 }, { '1', CTRACE_FK_INT, 3 },
};

static const char names[64][2] = {
	"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v",
	"w", "x", "y", "z", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R",
};

static void sentence(const char *why)
{
	require(!strncmp(why, "filter", 6) && strnlen(why, WHY) < WHY);
	for (; *why; why++)
		require(*why >= ' ' && *why <= '~');
}

static void jumps(const struct ctrace_expr *e)
{
	u32 i;

	require(e->nterms && e->nterms <= CTRACE_EXPR_TERMS);
	for (i = 0; i < e->nterms; i++) {
		require(e->terms[i].yes > i && (e->terms[i].yes < e->nterms || e->terms[i].yes >= CTRACE_EXPR_PASS));
		require(e->terms[i].no > i && (e->terms[i].no < e->nterms || e->terms[i].no >= CTRACE_EXPR_PASS));
	}
}

static void match(const struct ctrace_expr *e, const struct ctrace_expr *turned, const u8 *bytes, size_t len)
{
	struct ctrace_expr_ctx x = { .tid = len, .vtid = -1, .uid = CTRACE_EXPR_NO_ID, .cpu = 1 };
	char *payload = malloc(len ? len : 1), comm[CTRACE_COMM_LEN] = "";
	bool is;

	memcpy(payload, bytes, len);
	if (len >= sizeof(comm))
		memcpy(comm, bytes + len - sizeof(comm), sizeof(comm));
	x.comm = comm;
	is = ctrace_expr_match(e, payload, len, &x);
	require(!turned || ctrace_expr_match(turned, payload, len, &x) != is);
	free(payload);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ctrace_field_desc fields[ARRAY_SIZE(names)];
	struct ctrace_expr *e = NULL, *turned = NULL;
	char text[4096], more[4096 + 4], why[WHY];
	u32 nfields = 0, i;
	size_t n;

	for (; size && *data != '\n' && nfields < 40; data++, size--)
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (kinds[i].c == (char)*data) {
				fields[nfields] = (struct ctrace_field_desc){ names[nfields], kinds[i].kind, 0, kinds[i].size };
				nfields++;
			}
	if (size) {
		data++;
		size--;
	}
	n = strnlen((const char *)data, size);
	if (n >= sizeof(text))
		return 0;
	memcpy(text, data, n);
	text[n] = 0;
	data += n < size ? n + 1 : n;
	size -= n < size ? n + 1 : n;

	memset(why, 0xaa, sizeof(why));
	if (ctrace_expr_new(text, fields, nfields, &e, why, sizeof(why))) {
		sentence(why);
		return 0;
	}
	jumps(e);
	snprintf(more, sizeof(more), "!(%s)", text);
	if (ctrace_expr_new(more, fields, nfields, &turned, why, sizeof(why)))
		require(strstr(why, "nested too deep") || strstr(why, "longer than"));
	match(e, turned, data, size);
	ctrace_expr_free(e);
	ctrace_expr_free(turned);
	return 0;
}
