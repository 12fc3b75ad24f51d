// SPDX-License-Identifier: GPL-2.0-only
/* The files beside the streams of a recording: they may be as long as their writer makes them, and are read in linear time. */
#include <fcntl.h>
#include <sys/resource.h>
#include "export_fixture.h"

#define CONTAINERS	100000u
#define FUNCTIONS	120000u
#define SECONDS		120		/* of CPU time; a quadratic reader takes far more */

static struct recording r;

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

static char *side(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static void put_symbols(void)
{
	struct sbuf b = { 0 };

	sbuf_puts(&b, "{\"symbols\":[");
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		sbuf_printf(&b, "%s{\"tid\":101,\"addr\":\"%x\",\"exact\":true,\"name\":\"a_function_with_a_long_name_%u [program]\"}",
			    i ? "," : "", 0x400000 + 16 * i, i);
	sbuf_puts(&b, "],\"maps\":[]}\n");
	ctf_side(ctf, CTRACE_CTF_SYMBOLS, &b);
}

static void record(void)
{
	char name[32], path[160];

	begin_with(1, machine_types());
	for (uint32_t cid = 10; cid < 10 + CONTAINERS; cid++) {
		struct ctrace_container c = { .cid = cid, .cgroup_id = 1000 + cid };

		snprintf(name, sizeof(name), "app-%u", cid);
		snprintf(path, sizeof(path), "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod%08u.slice/"
			 "cri-containerd-%08u.scope", cid, cid);
		snprintf(c.path, sizeof(c.path), "%s", path);
		snprintf(c.runtime_id, sizeof(c.runtime_id), "%064u", cid);
		ctable_add(table, &c, name, "containerd", true);
	}
	ctf_containers(ctf);
	put_symbols();
	dump_tasks(1000);
	end(NULL);
	check(size_of(side(CTF_SIDE_CONTAINERS)) > 8 << 20);
	check(size_of(side(CTF_SIDE_SYMBOLS)) > 8 << 20);
}

static void many(void)
{
	double before = cpu_seconds();
	char name[64];

	record();
	check_eq(recording_open(&r, dir), CLI_OK);
	check(cpu_seconds() - before < SECONDS);
	for (uint32_t cid = 10; cid < 10 + CONTAINERS; cid += 9999) {
		snprintf(name, sizeof(name), "app-%u", cid);
		check_str(ctable_get(r.table, cid)->shown, name);
	}
	for (uint32_t i = 0; i < FUNCTIONS; i += 9999) {
		snprintf(name, sizeof(name), "a_function_with_a_long_name_%u [program]", i);
		check_str(symbols_user(r.symbols, 101, 0x400000 + 16 * i, true), name);
	}
	recording_close(&r);
}

/* Replaces containers.json; size: then the file is made that long. */
static int load(const char *text, off_t size)
{
	struct ctable *t = ctable_new(NULL);
	int fd = open(side(CTF_SIDE_CONTAINERS), O_WRONLY | O_TRUNC | O_CLOEXEC), err;

	check_eq(write(fd, text, strlen(text)), strlen(text));
	check_eq(ftruncate(fd, size > (off_t)strlen(text) ? size : (off_t)strlen(text)), 0);
	close(fd);
	err = side_load_containers(dir, t);
	check_eq(ctable_find(t, 3) != NULL, strstr(text, "\"cid\":3,") != NULL);
	ctable_free(t);
	return err;
}

#define THREE	"{\"cid\":3,\"name\":\"x\",\"runtime\":\"\"}"

static void damage(void)
{
	const off_t long_hole = (off_t)1 << 40;

	check_eq(load("{\"containers\":[" THREE "]}\n", 0), 0);
	check_eq(load(" { \"other\" : 1.5 , \"list\":[] , \"containers\" : [ 7 , null, " THREE " ] , \"n\":-12 }", 0), 0);
	check_eq(load("{}", 0), 0);
	/* the containers before the fault are kept */
	check_eq(load("{\"containers\":[" THREE, 0), -EBADMSG);
	check_eq(load("{\"containers\":[" THREE ",]}", 0), -EBADMSG);
	check_eq(load("{\"containers\":[" THREE "}", 0), -EBADMSG);
	check_eq(load("{\"containers\":" THREE, 0), -EBADMSG);
	check_eq(load("", 0), -EBADMSG);
	check_eq(load("[]", 0), -EBADMSG);
	check_eq(load("{\"containers\"", 0), -EBADMSG);
	check_eq(load("{\"containers\":[\"", 0), -EBADMSG);
	/* holes: nothing that is no JSON is read, let alone kept */
	check_eq(load("{\"containers\":[" THREE, long_hole), -EBADMSG);
	check_eq(load("{\"containers\":[\"", long_hole), -EBADMSG);
	check_eq(load("{\"containers\":[" THREE "]}\n", long_hole), 0);
	remove_all();
}

static const struct ktap_case cases[] = {
	{ "100,000 containers and as many functions keep their names", many },
	{ "damaged lists", damage },
};
KTAP_MAIN(cases)
