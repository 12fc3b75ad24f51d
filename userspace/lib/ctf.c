// SPDX-License-Identifier: LGPL-2.1-only
/*
 * CTF 1.8 metadata: the text that lets any CTF reader decode ctrace's records.
 *
 * Records are on disk as they were in the ring. So this file describes the structures of
 * uapi/ctrace.h, with the alignments of enum ctrace_field_kind. It does not describe the padding of
 * a record to 8 bytes: the next event's header starts with a 64-bit aligned timestamp, and a reader
 * skips the padding by aligning to that.
 *
 * LTTng's names are used where readers look for them: env says lttng-modules
 * 2.11, the layout with fields for containers. Trace Compass knows their names, and does not use them.
 */
#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "internal.h"
#include "ctf_format.h"

#define FIELD_NAME_MAX	128

/* Writes s as the inside of a TSDL string literal. */
static void put_string(FILE *f, const char *s)
{
	for (; s && *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fputc('?', f);
		else
			fputc(*s, f);
	}
}

static void put_env(FILE *f, const char *name, const char *value)
{
	fprintf(f, "\t%s = \"", name);
	put_string(f, value);
	fputs("\";\n", f);
}

static void put_uuid(FILE *f, const uint8_t *u)
{
	int i;

	for (i = 0; i < 16; i++)
		fprintf(f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
}

/*
 * Writes the name as TSDL accepts it: [A-Za-z0-9_], after an underscore. The underscore keeps it from
 * being a keyword; readers strip it.
 */
static void clean(char *to, const char *name)
{
	size_t i;

	to[0] = '_';
	for (i = 1; *name && i < FIELD_NAME_MAX - 1; name++, i++)
		to[i] = isascii((unsigned char)*name) && isalnum((unsigned char)*name) ?
			*name : '_';
	to[i] = '\0';
}

static bool is_seq(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_SEQ || f->kind == CTRACE_FK_SEQ_INT;
}

/* Is name the name of seq's count, "SEQ_length"? */
static bool is_count_of(const char *name, const char *seq)
{
	size_t len = strlen(seq);

	return !strncmp(name, seq, len) && !strcmp(name + len, "_length");
}

typedef char field_names[CTRACE_FIELDS_MAX][FIELD_NAME_MAX];

static bool taken(const struct ctrace_event_type *t, field_names names, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[n], names[i]) ||
		    (is_seq(&t->fields[i]) && is_count_of(names[n], names[i])) ||
		    (is_seq(&t->fields[n]) && is_count_of(names[i], names[n])))
			return true;
	return false;
}

/*
 * The whole trace would be unreadable if two fields had one name, or if a field had the name of a
 * sequence's count. So the later one of two gets a number.
 */
static void name_fields(const struct ctrace_event_type *t, field_names names)
{
	uint32_t i, number;
	size_t len;

	for (i = 0; i < t->nfields; i++) {
		clean(names[i], t->fields[i].name);
		len = strlen(names[i]);
		if (len > FIELD_NAME_MAX - 12)
			len = FIELD_NAME_MAX - 12;
		for (number = i; taken(t, names, i); number++)
			snprintf(names[i] + len, FIELD_NAME_MAX - len, "_%u", number);
	}
}

static void put_field(FILE *f, const struct ctrace_field *field, const char *name)
{
	const char *integer = field->kind == CTRACE_FK_INT || field->kind == CTRACE_FK_SEQ_INT ? "int" :
			      field->display == CTRACE_FD_HEX ? "hex" : "uint";
	unsigned int bits = 8 * field->size;

	switch (field->kind) {
	case CTRACE_FK_UINT:
	case CTRACE_FK_INT:
		fprintf(f, "\t\t%s%u_t %s;\n", integer, bits, name);
		break;
	case CTRACE_FK_TEXT:
		fprintf(f, "\t\ttext_t %s[%u];\n", name, field->size);
		break;
	case CTRACE_FK_STRING:
		fprintf(f, "\t\tstring { encoding = UTF8; } %s;\n", name);
		break;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		fprintf(f, "\t\tuint32_t %s_length;\n", name);
		fprintf(f, "\t\t%s%u_t %s[ %s_length ];\n", integer, bits, name, name);
		break;
	}
}

static void put_event(FILE *f, const struct ctrace_event_type *t)
{
	field_names names;
	uint32_t i;

	name_fields(t, names);
	fputs("event {\n\tname = \"", f);
	put_string(f, t->name);
	fprintf(f, "\";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n\tfields := struct {\n", t->id);
	for (i = 0; i < t->nfields; i++)
		put_field(f, &t->fields[i], names[i]);
	fputs("\t};\n};\n\n", f);
}

static void put_types(FILE *f)
{
	unsigned int bits;

	for (bits = 8; bits <= 64; bits *= 2) {
		fprintf(f, "typealias integer { size = %u; align = %u; signed = false; } := uint%u_t;\n",
			bits, bits, bits);
		fprintf(f, "typealias integer { size = %u; align = %u; signed = true; } := int%u_t;\n",
			bits, bits, bits);
		fprintf(f, "typealias integer { size = %u; align = %u; signed = false; base = 16; } := hex%u_t;\n",
			bits, bits, bits);
	}
	fputs("typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text_t;\n\n",
	      f);
}

static void put_trace(FILE *f, const struct ctrace_ctf_env *env)
{
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", f);
	put_uuid(f, env->uuid);
	fprintf(f, "\";\n\tbyte_order = %s;\n", BYTE_ORDER == LITTLE_ENDIAN ? "le" : "be");
	fputs("\tpacket.header := struct {\n"
	      "\t\tuint32_t magic;\n"
	      "\t\tuint8_t uuid[16];\n"
	      "\t\tuint32_t stream_id;\n"
	      "\t};\n};\n\n", f);

	fputs("env {\n", f);
	put_env(f, "domain", "kernel");
	put_env(f, "sysname", "Linux");
	put_env(f, "tracer_name", "lttng-modules");
	fputs("\ttracer_major = 2;\n\ttracer_minor = 11;\n\ttracer_patchlevel = 0;\n", f);
	if (env->hostname)
		put_env(f, "hostname", env->hostname);
	if (env->kernel_release)
		put_env(f, "kernel_release", env->kernel_release);
	if (env->kernel_version)
		put_env(f, "kernel_version", env->kernel_version);
	fputs("};\n\n", f);

	/*
	 * Trace Compass takes traces with the same clock for traces of one machine, where a tid is one thread
	 */
	fputs("clock {\n\tname = \"monotonic\";\n\tuuid = \"", f);
	if (env->boot_id)
		fputs(env->boot_id, f);
	else
		put_uuid(f, env->uuid);
	fprintf(f, "\";\n\tdescription = \"CLOCK_MONOTONIC\";\n"
		"\tfreq = 1000000000;\n\toffset = %" PRId64 ";\n};\n\n", env->clock_offset_ns);
}

/*
 * Describes struct ctrace_ctf_packet and struct ctrace_record to CTF. A record's len is left out:
 * babeltrace2 warns of every field in an event header that it has no use for. Nothing is needed in
 * its place, as it lies in the gap that the 32-bit alignment of the context leaves.
 */
static void put_stream(FILE *f)
{
	fputs("typealias integer { size = 64; align = 64; signed = false;"
	      " map = clock.monotonic.value; } := time_ns_t;\n\n"
	      "stream {\n\tid = 0;\n"
	      "\tpacket.context := struct {\n"
	      "\t\ttime_ns_t timestamp_begin;\n"
	      "\t\ttime_ns_t timestamp_end;\n"
	      "\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n"
	      "\t\tuint64_t packet_seq_num;\n"
	      "\t\tuint64_t events_discarded;\n"
	      "\t\tuint32_t cpu_id;\n"
	      "\t\tuint32_t ring_cid;\n"
	      "\t};\n"
	      "\tevent.header := struct {\n"
	      "\t\ttime_ns_t timestamp;\n"
	      "\t\tuint16_t id;\n"
	      "\t};\n"
	      "\tevent.context := struct {\n"
	      "\t\tuint32_t _cid;\n"
	      "\t\tint32_t _tid;\n"
	      "\t\tint32_t _vtid;\n"
	      "\t};\n"
	      "};\n\n", f);
}

void ctrace_ctf_describe(FILE *f, const struct ctrace_schema *s, const struct ctrace_ctf_env *env)
{
	const struct ctrace_event_type *t;
	size_t i;

	fputs("/* CTF 1.8 */\n\n", f);
	put_types(f);
	put_trace(f, env);
	put_stream(f);
	for (i = 0; (t = ctrace_schema_at(s, i)); i++)
		if (!t->reason)
			put_event(f, t);
}
