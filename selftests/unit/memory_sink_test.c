// SPDX-License-Identifier: GPL-2.0-only
/* Lines of calls whose records have memory and names of descriptors: entries, exits, whole calls; hostile types. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "ktap.h"
#include "make_record.h"
#include "sink_fixture.h"

/* x86-64's numbers, whatever this runs on */
enum {
	NR_READ = 0, NR_WRITE = 1, NR_POLL = 7, NR_CONNECT = 42, NR_CLONE = 56, NR_GETDENTS64 = 217, NR_OPENAT = 257,
	NR_YOUNG = 900
};

static struct made m;

#define NUMBER(name)	{ name, CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }
#define BYTES(name)	{ name, CTRACE_FK_SEQ, 0, 1 }
#define STRING(name)	{ name, CTRACE_FK_STRING, 0, 0 }
#define RET		{ "ret", CTRACE_FK_INT, 0, 8 }

static void add(uint32_t id, const char *name, const struct ctrace_field *f, uint32_t n)
{
	add_type(schema, id, "syscalls", name, f, n);
}

static void make_types(void)
{
	static const struct ctrace_field read_entry[] = { NUMBER("fd"), NUMBER("buf"), { "count", CTRACE_FK_UINT, 0,
	  8 },
							   STRING("fd_path") };
	static const struct ctrace_field read_exit[] = { RET, BYTES("buf_data") };
	static const struct ctrace_field poll_entry[] = { NUMBER("ufds"), NUMBER("nfds"), NUMBER("timeout"),
							   BYTES("ufds_data") };
	static const struct ctrace_field poll_exit[] = { RET, BYTES("ufds_data") };
	static const struct ctrace_field openat[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, RET, { "dfd",
	  CTRACE_FK_INT, 0, 8 },
						       STRING("filename"), { "flags", CTRACE_FK_INT, 0, 8 },
						       { "mode", CTRACE_FK_UINT, 0, 8 }, STRING("ret_path"),
						       STRING("dfd_path") };
	static const struct ctrace_field connect[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, RET, NUMBER("fd"),
							NUMBER("uservaddr"), NUMBER("addrlen"), STRING("fd_path"),
							BYTES("uservaddr_data") };
	static const struct ctrace_field young[] = { NUMBER("fd"), NUMBER("buf"), BYTES("buf_data"),
	  STRING("fd_path") };

	static const struct ctrace_field write_entry[] = { NUMBER("fd"), NUMBER("buf"), NUMBER("count"), STRING("fd_path"),
							   BYTES("buf_data") };
	static const struct ctrace_field write_exit[] = { RET };
	static const struct ctrace_field late[] = { { "field", CTRACE_FK_UINT, 0, 4 }, BYTES("bytes") };
	static const struct ctrace_field clone[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, RET, NUMBER("clone_flags"),
						      NUMBER("newsp"), NUMBER("parent_tidptr"), NUMBER("child_tidptr"),
						      NUMBER("tls") };
	static const struct ctrace_field getdents[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, RET, NUMBER("fd"),
							 NUMBER("dirent"), NUMBER("count"), BYTES("dirent_data") };

	schema = ctrace_schema_new();
	add(CTRACE_ID_CALL + NR_CLONE, "syscall_clone", clone, 7);
	add(CTRACE_ID_CALL + NR_GETDENTS64, "syscall_getdents64", getdents, 6);
	add(ENTER(NR_READ), "syscall_entry_read", read_entry, 4);
	add(EXIT(NR_READ), "syscall_exit_read", read_exit, 2);
	add(ENTER(NR_POLL), "syscall_entry_poll", poll_entry, 4);
	add(EXIT(NR_POLL), "syscall_exit_poll", poll_exit, 2);
	add(CTRACE_ID_CALL + NR_OPENAT, "syscall_openat", openat, 8);
	add(CTRACE_ID_CALL + NR_CONNECT, "syscall_connect", connect, 7);
	add(ENTER(NR_YOUNG), "syscall_entry_young", young, 4);
	add(ENTER(NR_WRITE), "syscall_entry_write", write_entry, 5);
	add(EXIT(NR_WRITE), "syscall_exit_write", write_exit, 1);
	add_type(schema, CTRACE_ID_LATE_MEMORY, "ctrace", "late_memory", late, 2);
}

static void begin(bool json, bool quiet)
{
	struct sink_opts o = { .relative = true, .quiet_args = quiet };

	make_types();
	sink_begin(json ? sink_json_new : sink_text_new, &o, schema);
}

static void put_bytes(const void *s, size_t n)
{
	put_int(&m, n, 4);
	memcpy((char *)m.raw + m.len, s, n);
	m.len += n;
	finish(&m);
}

/* The record ends where its memory does. */
static void give(void)
{
	struct ctrace_record *rec = malloc(m.rec.len);

	memcpy(rec, &m.rec, m.rec.len);
	sink_record(sink, rec);
	free(rec);
}

static void give_read(uint64_t time, int32_t tid, const char *path)
{
	make(&m, time, ENTER(NR_READ), 1, tid, tid % 100);
	put_int(&m, 3, 8);
	put_int(&m, 0x7f00, 8);
	put_int(&m, 100, 8);
	put_string(&m, path);
	give();
}

static void give_read_exit(uint64_t time, int32_t tid, int64_t ret, const char *data, size_t n)
{
	make(&m, time, EXIT(NR_READ), 1, tid, tid % 100);
	put_int(&m, (uint64_t)ret, 8);
	put_bytes(data, n);
	give();
}

static void give_reads(void)
{
	give_read(1000000, 101, "/a<b>7\n");
	give_read_exit(2000000, 101, 5, "hi\n", 3);
	give_read(3000000, 101, "");
	give_read(4000000, 102, "pipe:[7]");
	give_read_exit(5000000, 102, 0, "", 0);
	give_read_exit(6000000, 101, 2, "xy", 2);
	give_read_exit(7000000, 103, -9, "", 0);
}

/* What the exit has stands in the entry's line, or in that of the return. */
static void entry_and_exit(void)
{
	begin(false, false);
	give_reads();
	sink_expect("0.000000 web  101 [vtid 1] read(3</a\\74b\\0767\\n>, \"hi\\n\"..., 100) = 5 <0.001000>\n"
	       "0.002000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.003000 web  102 [vtid 2] read(3<pipe:[7]>, \"\", 100) = 0 <0.001000>\n"
	       "0.005000 web  101 [vtid 1] <... read resumed>\"xy\") = 2 <0.003000>\n"
	       "0.006000 web  103 [vtid 3] <... read resumed>) = -1 EBADF (Bad file descriptor)\n");
	begin(false, true);
	give_reads();
	sink_expect("0.000000 web  101 [vtid 1] read(0x3, 0x7f00, 100) = 5 <0.001000>\n"
	       "0.002000 web  101 [vtid 1] read(0x3, 0x7f00, 100 <unfinished ...>\n"
	       "0.003000 web  102 [vtid 2] read(0x3, 0x7f00, 100) = 0 <0.001000>\n"
	       "0.005000 web  101 [vtid 1] <... read resumed>) = 2 <0.003000>\n"
	       "0.006000 web  103 [vtid 3] <... read resumed>) = -1 EBADF (Bad file descriptor)\n");
}

static void give_poll(uint64_t time, bool between)
{
	static const uint16_t asked[] = { 5, 0, 1, 0 }, found[] = { 5, 0, 1, 0x11 };

	make(&m, time, ENTER(NR_POLL), 1, 101, 1);
	put_int(&m, 0x7f00, 8);
	put_int(&m, 1, 8);
	put_int(&m, UINT64_MAX, 8);
	put_bytes(asked, sizeof(asked));
	give();
	if (between)
		give_read(time + 1000000, 102, "");
	make(&m, time + 2000000, EXIT(NR_POLL), 1, 101, 1);
	put_int(&m, 1, 8);
	put_bytes(found, sizeof(found));
	give();
}

static void polled(void)
{
	begin(false, false);
	give_poll(1000000, false);
	give_poll(5000000, true);
	sink_expect("0.000000 web  101 [vtid 1] poll([{fd=5, events=POLLIN}], 1, -1) = 1 ([{fd=5, revents=POLLIN|POLLHUP}]) "
	  "<0.002000>\n"
	       "0.004000 web  101 [vtid 1] poll([{fd=5, events=POLLIN}], 1, -1 <unfinished ...>\n"
	       "0.005000 web  102 [vtid 2] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.006000 web  101 [vtid 1] <... poll resumed>) = 1 ([{fd=5, revents=POLLIN|POLLHUP}]) <0.002000>\n");
}

static void give_openat(int64_t ret, const char *ret_path)
{
	make(&m, 9000000, CTRACE_ID_CALL + NR_OPENAT, 1, 101, 1);
	put_int(&m, 1000, 8);
	put_int(&m, (uint64_t)ret, 8);
	put_int(&m, (uint64_t)-100, 8);
	put_string(&m, "passwd");
	put_int(&m, 0, 8);
	put_int(&m, 0, 8);
	put_string(&m, ret_path);
	put_string(&m, "/etc");
	give();
}

static void give_connect(const void *addr, size_t n)
{
	make(&m, 9000000, CTRACE_ID_CALL + NR_CONNECT, 1, 101, 1);
	put_int(&m, 1000, 8);
	put_int(&m, 0, 8);
	put_int(&m, 3, 8);
	put_int(&m, 0x7f00, 8);
	put_int(&m, 16, 8);
	put_string(&m, "TCP:[1.2.3.4:5->1.2.3.4:80]");
	put_bytes(addr, n);
	give();
}

static const char address[16] = "\2\0\0P\1\2\3\4";

static void whole(void)
{
	begin(false, false);
	give_openat(3, "/etc/passwd");
	give_openat(-2, "");
	give_openat(4, "/tmp/a (deleted)");
	give_connect(address, 16);
	give_connect(address, 0);
	sink_expect("-0.000001 web  101 [vtid 1] openat(AT_FDCWD</etc>, \"passwd\", O_RDONLY) = 3</etc/passwd> <0.000001>\n"
	       "-0.000001 web  101 [vtid 1] openat(AT_FDCWD</etc>, \"passwd\", O_RDONLY) = -1 ENOENT (No such file or "
	  "directory)"
	       " <0.000001>\n"
	       "-0.000001 web  101 [vtid 1] openat(AT_FDCWD</etc>, \"passwd\", O_RDONLY) = 4</tmp/a>(deleted) <0.000001>\n"
	       "-0.000001 web  101 [vtid 1] connect(3<TCP:[1.2.3.4:5->1.2.3.4:80]>, {sa_family=AF_INET, sin_port=htons(80),"
	       " sin_addr=inet_addr(\"1.2.3.4\")}, 16) = 0 <0.000001>\n"
	       "-0.000001 web  101 [vtid 1] connect(3<TCP:[1.2.3.4:5->1.2.3.4:80]>, 0x7f00, 16) = 0 <0.000001>\n");
}

static void give_clone(int64_t ret, uint64_t flags)
{
	make(&m, 9000000, CTRACE_ID_CALL + NR_CLONE, 1, 101, 1);
	put_int(&m, 0, 8);
	put_int(&m, (uint64_t)ret, 8);
	put_int(&m, flags, 8);
	for (uint64_t i = 0; i < 4; i++)
		put_int(&m, i * 0x1000, 8);
	give();
}

static void give_getdents(int64_t ret, const uint32_t *entries)
{
	make(&m, 9000000, CTRACE_ID_CALL + NR_GETDENTS64, 1, 101, 1);
	put_int(&m, 0, 8);
	put_int(&m, (uint64_t)ret, 8);
	put_int(&m, 3, 8);
	put_int(&m, 0x7f00, 8);
	put_int(&m, 256, 8);
	put_bytes(entries ? (const void *)entries : "", entries ? 4 : 0);
	give();
}

/* What strace has of these was seen in 13_runtimes/as_strace_programs and 08_cli/as_strace_memory. */
static void tasks_and_entries(void)
{
	static const uint32_t two = 2;

	begin(false, false);
	give_clone(7, 0x01200011);
	give_clone(7, 0x00180011);
	give_clone(-11, 0x00100011);
	give_getdents(48, &two);
	give_getdents(48, NULL);
#define CLONE	"0.000000 web  101 [vtid 1] clone(child_stack=NULL, flags="
	sink_expect(CLONE "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x2000) = 7 <0.000000>\n"
		    CLONE "CLONE_SETTLS|CLONE_PARENT_SETTID|SIGCHLD, parent_tid=[7], tls=0x3000) = 7 <0.000000>\n"
		    CLONE "CLONE_PARENT_SETTID|SIGCHLD, parent_tid=0x1000) = -1 EAGAIN "
		    "(Resource temporarily unavailable) <0.000000>\n"
		    "0.000000 web  101 [vtid 1] getdents64(3, 0x7f00 /* 2 entries */, 256) = 48 <0.000000>\n"
		    "0.000000 web  101 [vtid 1] getdents64(3, 0x7f00, 256) = 48 <0.000000>\n");
}

#define HEAD(event, time, call) \
	"{\"event\":\"" event "\",\"time\":" time ",\"realtime\":" time \
	",\"cid\":1,\"container\":\"web\",\"tid\":101,\"vtid\":1,\"syscall\":\"" call "\""

static void json(void)
{
	begin(true, false);
	give_openat(3, "/etc/passwd");
	give_openat(-2, "");
	give_connect(address, 16);
	give_connect(address, 1);
	give_read(1000000, 101, "/a");
	give_read_exit(2000000, 101, 5, "hi\n", 3);
	give_read_exit(2000000, 101, 0, "", 0);
	make(&m, 1, ENTER(NR_YOUNG), 1, 101, 1);
	put_int(&m, 3, 8);
	put_int(&m, 0x7f00, 8);
	put_bytes("ab", 2);
	put_string(&m, "/a");
	give();
	sink_expect(HEAD("syscall_openat", "9000000", "openat") ",\"duration\":1000,\"fields\":{\"duration\":1000,"
	       "\"ret\":3,\"dfd\":-100,\"filename\":\"passwd\",\"flags\":0,\"mode\":0,\"ret_path\":\"/etc/passwd\","
	       "\"dfd_path\":\"/etc\"}}\n"
	       HEAD("syscall_openat", "9000000", "openat") ",\"errno\":\"ENOENT\",\"duration\":1000,\"fields\":{"
	       "\"duration\":1000,\"ret\":-2,\"dfd\":-100,\"filename\":\"passwd\",\"flags\":0,\"mode\":0,"
	       "\"dfd_path\":\"/etc\"}}\n"
	       HEAD("syscall_connect", "9000000", "connect") ",\"duration\":1000,\"fields\":{\"duration\":1000,"
	       "\"ret\":0,\"fd\":\"0x3\",\"uservaddr\":\"0x7f00\",\"addrlen\":\"0x10\","
	       "\"fd_path\":\"TCP:[1.2.3.4:5->1.2.3.4:80]\","
	       "\"uservaddr_data\":{\"family\":\"AF_INET\",\"port\":80,\"address\":\"1.2.3.4\"}}}\n"
	       HEAD("syscall_connect", "9000000", "connect") ",\"duration\":1000,\"fields\":{\"duration\":1000,"
	       "\"ret\":0,\"fd\":\"0x3\",\"uservaddr\":\"0x7f00\",\"addrlen\":\"0x10\","
	       "\"fd_path\":\"TCP:[1.2.3.4:5->1.2.3.4:80]\","
	       "\"uservaddr_data\":[2]}}\n"
	       HEAD("syscall_entry_read", "1000000", "read") ",\"fields\":{\"fd\":\"0x3\",\"buf\":\"0x7f00\","
	       "\"count\":100,\"fd_path\":\"/a\"}}\n"
	       HEAD("syscall_exit_read", "2000000", "read") ",\"duration\":1000000,\"fields\":{\"ret\":5,"
	       "\"buf_data\":\"hi\\n\"}}\n"
	       HEAD("syscall_exit_read", "2000000", "read") ",\"no_entry\":true,\"fields\":{\"ret\":0}}\n"
	       HEAD("syscall_entry_young", "1", "young") ",\"fields\":{\"fd\":\"0x3\",\"buf\":\"0x7f00\","
	       "\"buf_data\":[97,98],\"fd_path\":\"/a\"}}\n");
}

/* A recording may have any types. */
static void hostile_types(void)
{
	static const struct ctrace_field types[][5] = {
		/* a number, and elements of another size, in place of bytes and strings */
		{ NUMBER("fd"), NUMBER("buf"), NUMBER("count"), { "buf_data", CTRACE_FK_SEQ, 0, 4 },
		  NUMBER("fd_path") },
		{ NUMBER("fd"), NUMBER("buf"), BYTES("buf_data"), BYTES("buf_data"), BYTES("buf_bytes") },
		{ BYTES("ret_data"), NUMBER("ret"), BYTES("_data"), STRING("_path"), STRING("ret_path") },
		{ STRING("ret_path"), STRING("fd"), STRING("fd_path"), BYTES("fd_data"), STRING("fd_path") },
		{ NUMBER("marks"), BYTES("marks_data"), NUMBER("buf"), BYTES("buf_iov"), BYTES("buf_addr") },
	};
	static const uint32_t ids[] = { ENTER(NR_READ), EXIT(NR_READ), CTRACE_ID_CALL + NR_READ };
	static const char *const names[] = { "syscall_entry_read", "syscall_exit_read", "syscall_read" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t k = 0; k < 2 * ARRAY_SIZE(ids); k++) {
			uint32_t id = ids[k / 2];

			begin(k % 2, false);
			add(id, names[k / 2], types[i], 5);
			give_read(1000000, 101, "/a");
			make(&m, 2000000, id, 1, 101, 1);
			for (size_t f = 0; f < 5; f++) {
				if (types[i][f].kind == CTRACE_FK_UINT)
					put_int(&m, 3, 8);
				else if (types[i][f].kind == CTRACE_FK_STRING)
					put_string(&m, "text");
				else if (types[i][f].size == 1)
					put_bytes("data", 4);
				else
					put_int(&m, 0, 4);
			}
			give();
			give_read_exit(3000000, 101, 5, "hi\n", 3);
			sink_free(sink);
			fclose(file);
			check(out_len > 0 && out[out_len - 1] == '\n');
			free(out);
			ctable_free(table);
			ctrace_schema_free(schema);
		}
}

/* Lengths that the record has no place for. */
static void hostile_lengths(void)
{
	for (uint32_t n = 0; n < 40; n++) {
		begin(n % 2, false);
		make(&m, 2000000, EXIT(NR_READ), 1, 101, 1);
		put_int(&m, n, 8);
		put_bytes("0123456789", 10);
		m.raw[4] = (m.raw[4] & ~0xffffffffull) | (n < 32 ? n : 0xfffffff0u + n);
		give();
		sink_free(sink);
		fclose(file);
		check(out_len > 0);
		free(out);
		ctable_free(table);
		ctrace_schema_free(schema);
	}
}

static void give_write(uint64_t time, int32_t tid)
{
	make(&m, time, ENTER(NR_WRITE), 1, tid, tid % 100);
	put_int(&m, 1, 8);
	put_int(&m, 0x7f00, 8);
	put_int(&m, 7, 8);
	put_string(&m, "");
	put_bytes("", 0);
	give();
}

static void give_late(uint64_t time, int32_t tid, uint32_t field, const char *data)
{
	make(&m, time, CTRACE_ID_LATE_MEMORY, 1, tid, tid % 100);
	put_int(&m, field, 4);
	put_bytes(data, strlen(data));
	give();
}

static void give_write_exit(uint64_t time, int32_t tid)
{
	make(&m, time, EXIT(NR_WRITE), 1, tid, tid % 100);
	put_int(&m, 7, 8);
	give();
}

/* Memory that was not there at the entry. */
static void late(void)
{
	begin(false, false);
	give_write(1000000, 101);
	give_late(1500000, 101, 4, "late\n");
	give_write_exit(2000000, 101);
	/* of that call alone */
	give_write(3000000, 101);
	give_write_exit(4000000, 101);
	/* its entry was shown */
	give_write(5000000, 101);
	give_read(5500000, 102, "");
	give_late(6000000, 101, 4, "later");
	give_write_exit(6000000, 101);
	/* fields that are no memory, that are not there; another task's */
	give_write(7000000, 101);
	give_late(7500000, 101, 1, "number");
	give_late(7500000, 101, 77, "none");
	give_late(7500000, 103, 4, "other");
	give_write_exit(8000000, 101);
	/* more than any call has */
	give_write(9000000, 101);
	for (int i = 0; i < 20; i++)
		give_late(9500000, 101, 4, i ? "again" : "first");
	give_write_exit(10000000, 101);
	sink_expect("0.000000 web  101 [vtid 1] write(1, \"late\\n\"..., 7) = 7 <0.001000>\n"
		    "0.002000 web  101 [vtid 1] write(1, 0x7f00, 7) = 7 <0.001000>\n"
		    "0.004000 web  101 [vtid 1] write(1, 0x7f00, 7 <unfinished ...>\n"
		    "0.004500 web  102 [vtid 2] read(3, 0x7f00, 100 <unfinished ...>\n"
		    "0.005000 web  101 [vtid 1] <... write resumed>\"later\") = 7 <0.001000>\n"
		    "0.006000 web  101 [vtid 1] write(1, 0x7f00, 7) = 7 <0.001000>\n"
		    "0.008000 web  101 [vtid 1] write(1, \"again\"..., 7) = 7 <0.001000>\n");
}

static void give_array(uint64_t time, uint64_t at, int64_t ret)
{
	static const uint16_t asked[] = { 5, 0, 1, 0 };

	make(&m, time, ENTER(NR_POLL), 1, 101, 1);
	put_int(&m, at, 8);
	put_int(&m, 2, 8);
	put_int(&m, 0, 8);
	put_bytes(asked, sizeof(asked));
	give();
	make(&m, time + 1000000, EXIT(NR_POLL), 1, 101, 1);
	put_int(&m, (uint64_t)ret, 8);
	put_bytes(asked, sizeof(asked));
	give();
}

/* Only if the call found no memory, and if a page can end there, the array is said to end. */
static void array_ends(void)
{
	begin(false, false);
	give_array(1000000, 0x7ff8, -EFAULT);
	give_array(3000000, 0x7ff4, -EFAULT);
	give_array(5000000, 0x7ff0, -EFAULT);
	give_array(7000000, 0x7ff8, -EINTR);
	sink_expect("0.000000 web  101 [vtid 1] poll([{fd=5, events=POLLIN}, ... /* 0x8000 */], 2, 0)"
		    " = -1 EFAULT (Bad address) <0.001000>\n"
		    "0.002000 web  101 [vtid 1] poll([{fd=5, events=POLLIN}, ... /* 0x7ffc */], 2, 0)"
		    " = -1 EFAULT (Bad address) <0.001000>\n"
		    "0.004000 web  101 [vtid 1] poll([{fd=5, events=POLLIN}, ...], 2, 0)"
		    " = -1 EFAULT (Bad address) <0.001000>\n"
		    "0.006000 web  101 [vtid 1] poll([{fd=5, events=POLLIN}, ...], 2, 0)"
		    " = -1 EINTR (Interrupted system call) <0.001000>\n");
}

static const struct ktap_case cases[] = {
	{ "an exit fills in its entry; plain numbers", entry_and_exit },
	{ "what poll() found", polled },
	{ "whole calls, and the names of descriptors", whole },
	{ "new tasks, and entries of directories", tasks_and_entries },
	{ "memory that came late", late },
	{ "arrays that end where memory does", array_ends },
	{ "JSON", json },
	{ "types that no kernel has", hostile_types },
	{ "lengths that are not there", hostile_lengths },
};
KTAP_MAIN(cases)
