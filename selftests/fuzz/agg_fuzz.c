// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes any text as an aggregate, for an event type that the input describes too. If the text compiles, keys and values
 * are taken from any payload. The input has the parts of expr_fuzz.c's, and a letter before them: 'c' for a
 * whole call, whose last field is ret.
 *
 * Beyond what the sanitizers see, it checks: an error's sentence ends within its room and is printable; columns follow one
 * another without a gap; nothing is written beyond the key; the same payload gives the same key.
 */
#include "../unit/agg_module.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)
#define WHY		192

static const struct { char c; u8 kind, size, display; } kinds[] = {
	{ 'b', CTRACE_FK_UINT, 1, 0 }, { 'h', CTRACE_FK_UINT, 2, 0 }, { 'w', CTRACE_FK_UINT, 4, 0 }, { 'q', CTRACE_FK_UINT, 8, 0 },
	{ 'i', CTRACE_FK_INT, 1, 0 }, { 'j', CTRACE_FK_INT, 2, 0 }, { 'k', CTRACE_FK_INT, 4, 0 }, { 'l', CTRACE_FK_INT, 8, 0 },
	{ 't', CTRACE_FK_TEXT, 16, 0 }, { 'u', CTRACE_FK_TEXT, 1, 0 }, { 'v', CTRACE_FK_TEXT, 255, 0 }, { 's', CTRACE_FK_STRING, 0, 0 },
	{ 'A', CTRACE_FK_SEQ, 1, CTRACE_FD_SOCKADDR }, { 'H', CTRACE_FK_SEQ_INT, 2, 0 }, { 'Q', CTRACE_FK_SEQ, 8, 0 }, { '0', 0, 4, 0 },
};

static const char names[40][8] = {
	"a", "b", "c", "d", "e", "f", "g", "h", "i_data", "j", "k_addr", "l", "m_path", "n", "o", "p", "q", "r", "s", "t", "u",
	"v", "w", "x", "y", "z",
};

static void sentence(const char *why)
{
	require(!strncmp(why, "aggregate", 9) && strnlen(why, WHY) < WHY);
	for (; *why; why++)
		require(*why >= ' ' && *why <= '~');
}

static void columns(const struct ctrace_agg *a)
{
	u32 i, at = 1, from = 0;

	require(a->nkeys <= CTRACE_TABLE_KEYS && a->nvalues && a->nvalues <= CTRACE_TABLE_VALUES);
	require(a->key_words <= CTRACE_TABLE_KEY_WORDS);
	for (i = 0; i < a->nkeys; i++) {
		require(a->keys[i].at == at && a->key_names[i].at == at && a->key_names[i].words == a->keys[i].words);
		at += a->keys[i].words;
		require(memchr(a->key_names[i].name, 0, sizeof(a->key_names[i].name)));
	}
	for (i = 0; i < a->nvalues; i++) {
		require(a->values[i].from == from && a->value_names[i].at == from);
		from += a->values[i].words;
		require(memchr(a->value_names[i].name, 0, sizeof(a->value_names[i].name)));
	}
	require(at == a->key_words && from == a->value_words);
}

static void run(const struct ctrace_agg *a, const u8 *bytes, size_t len)
{
	struct ctrace_expr_ctx x = { .tid = len, .vtid = -1, .uid = CTRACE_EXPR_NO_ID, .cpu = 1 };
	char *payload = malloc(len ? len : 1), comm[CTRACE_COMM_LEN] = "";
	u64 key[2][CTRACE_TABLE_KEY_WORDS + 1];
	struct ctrace_walk w;
	u32 i, k;
	u64 v;

	memcpy(payload, bytes, len);
	if (len >= sizeof(comm))
		memcpy(comm, bytes + len - sizeof(comm), sizeof(comm));
	x.comm = comm;
	for (k = 0; k < 2; k++) {
		memset(key[k], k ? 0x55 : 0xaa, sizeof(key[k]));
		key[k][0] = 0;
		ctrace_walk_begin(&w, &a->fields, payload, len);
		ctrace_agg_key(a, &w, &x, 7, key[k]);
		require(key[k][a->key_words] == (k ? 0x5555555555555555ull : 0xaaaaaaaaaaaaaaaaull));
		for (i = 0; i < a->nvalues; i++)
			if (a->values[i].kind != CTRACE_TABLE_COUNT)
				ctrace_agg_value(&a->values[i], &w, &v);
	}
	require(!memcmp(key[0], key[1], a->key_words * sizeof(u64)));
	free(payload);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ctrace_field_desc fields[ARRAY_SIZE(names)];
	bool call = size && *data == 'c';
	struct ctrace_agg *a = NULL;
	char text[4096], why[WHY];
	u32 nfields = 0, i;
	size_t n;

	for (; size && *data != '\n' && nfields < 36; data++, size--)
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (kinds[i].c == (char)*data) {
				fields[nfields] = (struct ctrace_field_desc){ nfields < 26 ? names[nfields] : "z", kinds[i].kind,
									      kinds[i].display, kinds[i].size };
				nfields++;
			}
	if (call)
		fields[nfields++] = (struct ctrace_field_desc){ "ret", CTRACE_FK_INT, 0, 8 };
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
	if (ctrace_agg_new(text, fields, nfields, call, &a, why, sizeof(why))) {
		sentence(why);
		return 0;
	}
	columns(a);
	run(a, data, size);
	ctrace_agg_free(a);
	return 0;
}
