// SPDX-License-Identifier: GPL-2.0-only
/* Records of process_map: names for the addresses of processes that are gone. The mapped file is this program. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "elf_file.h"
#include "ktap.h"
#include "make_record.h"
#include "symbols/symbols.h"

#define GONE	0x7ffffff0	/* no process has such a number */
#define AT	0x10000000ull	/* where they had it mapped */
#define SIZE	0x1000000ull

static struct ctrace_schema *schema;
static struct symbols *symbols;
static char exe[512], build_id[BUILD_ID_TEXT];
static uint64_t here, there;	/* landmark's offset in the file, and find's */
static struct stat self;

__attribute__((noinline)) int landmark(int v);
int landmark(int v)
{
	return v + 1;
}

/* as a compiler of C++ names it */
__attribute__((noinline)) int find(int v) __asm__("_ZN3web4findEi");
int find(int v)
{
	return v + 2;
}
#ifdef CTRACE_LIBIBERTY
#define FIND	"web::find"
#else
#define FIND	"_ZN3web4findEi"
#endif

static void begin(bool live)
{
	static const struct ctrace_field f_map[] = {
		{ "pid", CTRACE_FK_INT, 0, 4 }, { "parent", CTRACE_FK_INT, 0, 4 }, { "first", CTRACE_FK_UINT, 0, 4 },
		{ "dev", CTRACE_FK_UINT, 0, 4 }, { "start", CTRACE_FK_UINT, 0, 8 }, { "end", CTRACE_FK_UINT, 0, 8 },
		{ "offset", CTRACE_FK_UINT, 0, 8 }, { "ino", CTRACE_FK_UINT, 0, 8 }, { "build_id", CTRACE_FK_STRING, 0, 0 },
		{ "filename", CTRACE_FK_STRING, 0, 0 },
	};

	schema = ctrace_schema_new();
	add_type(schema, CTRACE_ID_PROCESS_MAP, "sched", "process_map", f_map, 10);
	symbols = symbols_new(live);
}

static void end(void)
{
	symbols_free(symbols);
	ctrace_schema_free(schema);
}

struct told {
	int32_t tid, pid, parent;
	bool first;
	uint64_t start, offset;
	const char *build_id, *path;
	uint64_t dev, ino;
};

static void tell(const struct told *t)
{
	struct made m;

	make(&m, 1, CTRACE_ID_PROCESS_MAP, 1, t->tid ? t->tid : t->pid, 1);
	put_int(&m, (uint32_t)t->pid, 4);
	put_int(&m, (uint32_t)t->parent, 4);
	put_int(&m, t->first, 4);
	put_int(&m, t->dev, 4);
	put_int(&m, t->start, 8);
	put_int(&m, t->start ? t->start + SIZE : 0, 8);
	put_int(&m, t->offset, 8);
	put_int(&m, t->ino, 8);
	put_string(&m, t->build_id ? t->build_id : "");
	put_string(&m, t->path ? t->path : "");
	symbols_learn(symbols, schema, &m.rec);
}

static const char *name(int32_t tid, uint64_t addr)
{
	return symbols_user(symbols, tid, addr, true);
}

static void dead(void)
{
	begin(false);
	tell(&(struct told){ .pid = GONE, .first = true, .start = AT, .build_id = build_id, .path = exe });
	check_str(name(GONE, AT + here), "landmark+0x0 [maps_test]");
	check_str(name(GONE, AT + there), FIND "+0x0 [maps_test]");
	check_str(name(GONE, AT + there + 1), FIND "+0x1 [maps_test]");
	check_str(name(GONE, AT - 1), "0xfffffff");
	check_str(name(GONE + 1, AT - 2), "0xffffffe");
	/* one that was deleted, or lies elsewhere by now: another copy was read */
	tell(&(struct told){ .pid = GONE + 1, .first = true, .start = AT, .build_id = build_id, .path = "/no/such/app (deleted)" });
	check_str(name(GONE + 1, AT + here), "landmark+0x0 [app]");
	/* a part of the file, somewhere else */
	tell(&(struct told){ .pid = GONE + 2, .start = AT, .offset = here & ~0xfffull, .build_id = build_id, .path = exe });
	check_str(name(GONE + 2, AT + (here & 0xfff)), "landmark+0x0 [maps_test]");
	end();
}

static void another(void)
{
	char text[64];

	begin(false);
	tell(&(struct told){ .pid = GONE, .start = AT, .build_id = "00112233", .path = exe });
	snprintf(text, sizeof(text), "maps_test+0x%llx", (unsigned long long)here);
	check_str(name(GONE, AT + here), text);
	/* without a build-id nothing says that it is the file: not on another machine, and here only its number */
	tell(&(struct told){ .pid = GONE + 1, .start = AT, .path = exe, .ino = self.st_ino });
	check_str(name(GONE + 1, AT + here), text);
	end();
	begin(true);
	tell(&(struct told){ .pid = GONE, .start = AT, .path = exe, .ino = self.st_ino + 1,
			     .dev = (uint64_t)major(self.st_dev) << 20 | minor(self.st_dev) });
	check_str(name(GONE, AT + here), text);
	tell(&(struct told){ .pid = GONE, .start = AT, .path = exe, .ino = self.st_ino,
			     .dev = (uint64_t)major(self.st_dev) << 20 | minor(self.st_dev) });
	check_str(name(GONE, AT + here), "landmark+0x0 [maps_test]");
	end();
}

static void family(void)
{
	const struct told map = { .pid = GONE, .first = true, .start = AT, .build_id = build_id, .path = exe };
	struct told other = map;

	begin(false);
	tell(&map);
	tell(&(struct told){ .pid = GONE + 1, .parent = GONE });
	check_str(name(GONE + 1, AT + here), "landmark+0x0 [maps_test]");
	/* a thread of the child, which maps for all of it */
	tell(&(struct told){ .tid = GONE + 2, .pid = GONE + 1, .parent = GONE + 1 });
	check_str(name(GONE + 2, AT + here), "landmark+0x0 [maps_test]");
	other = (struct told){ .tid = GONE + 2, .pid = GONE + 1, .start = 4 * AT, .build_id = build_id, .path = exe };
	tell(&other);
	check_str(name(GONE + 1, 4 * AT + here), "landmark+0x0 [maps_test]");
	check_str(name(GONE, 4 * AT), "0x40000000");
	/* another program: what the parent has stays */
	tell(&(struct told){ .pid = GONE + 1, .first = true, .start = 8 * AT, .build_id = build_id, .path = exe });
	check_str(name(GONE + 1, AT + 1), "0x10000001");
	check_str(name(GONE, AT + here), "landmark+0x0 [maps_test]");
	/* another file in the same place */
	tell(&(struct told){ .pid = GONE, .start = AT, .path = "/x/other" });
	check_str(name(GONE, AT + 0x10), "other+0x10");
	/* forked from a process of another container: nothing is known of it */
	tell(&(struct told){ .pid = GONE, .parent = 0 });
	check_str(name(GONE, AT + 0x11), "0x10000011");
	end();
}

/* Freed memory is not kept to find its users: that would be counted. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

static uint64_t resident(void)
{
	unsigned long long all, pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	check(f && fscanf(f, "%llu %llu", &all, &pages) == 2);
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* More tasks than are kept, more mappings and files than are kept, and records that say nonsense. */
static void many(void)
{
	begin(false);
	for (int i = 1; i < 40000; i++)
		tell(&(struct told){ .pid = i, .parent = i - 1 });
	for (uint64_t i = 1; i < 20000; i++)
		tell(&(struct told){ .pid = GONE, .start = i << 24, .path = "/x/many" });
	check_str(name(GONE, 19999ull << 24), "many+0x0");
	/* children of a process with 8,000 mappings: with all of them, 1.3 GB */
	for (int i = 1; i < 4000; i++)
		tell(&(struct told){ .pid = i, .parent = GONE });
	printf("# %llu MiB\n", (unsigned long long)(resident() >> 20));
	check(resident() < 300ull << 20);
	for (uint64_t i = 1; i < 20000; i++)
		tell(&(struct told){ .pid = GONE, .start = AT, .path = "/x/file", .ino = i });
	check_str(name(GONE, AT), "file+0x0");
	tell(&(struct told){ .pid = -1, .start = AT, .path = exe });
	tell(&(struct told){ .pid = 0, .parent = -5 });
	tell(&(struct told){ .pid = GONE + 1, .first = true, .start = AT, .path = "no slash" });
	check_str(name(GONE + 1, AT), "no slash+0x0");
	end();
}

static bool find_self(void)
{
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fd = open("/proc/self/exe", O_RDONLY);
	struct symtab t = { 0 };
	struct elf_facts facts;

	if (n < 0 || fd < 0 || fstat(fd, &self) || !read_elf(&t, fd, &facts))
		return false;
	snprintf(build_id, sizeof(build_id), "%s", facts.build_id);
	exe[n] = '\0';
	for (size_t i = 0; i < t.n; i++) {
		if (!strcmp(symtab_name(&t, &t.v[i]), "landmark"))
			here = t.v[i].addr;
		if (!strcmp(symtab_name(&t, &t.v[i]), "_ZN3web4findEi"))
			there = t.v[i].addr;
	}
	symtab_free(&t);
	close(fd);
	return here && there && *build_id && landmark(0) && find(0);
}

static const struct ktap_case cases[] = {
	{ "a process that is gone: by the path, by a copy with the same build-id", dead },
	{ "a file that is not the one is not read", another },
	{ "forks, threads, programs one after the other", family },
	{ "no more is kept than there is room for", many },
};

int main(void)
{
	if (!find_self()) {
		printf("Bail out! this program has no build-id\n");
		return 1;
	}
	return ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
