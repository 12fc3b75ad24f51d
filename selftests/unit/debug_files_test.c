// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols that were taken out of a file, and lie in another, or packed in the file itself. The files are made of this
 * program, in a directory that stands for the root of a container.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/foreign.h"
#include "elf_file.h"
#include "ktap.h"
#include "symbols/symbols.h"

static char dir[] = "/tmp/ctrace-debug-XXXXXX", root[64], exe[512], build_id[BUILD_ID_TEXT];
static uint64_t here;	/* landmark's offset in the file */

static __attribute__((noinline)) int landmark(int v)
{
	return v + 1;
}

/* Runs the commands where the files are; EXE is this program, ID the first and the other digits of its build-id. */
static bool run(const char *commands)
{
	char *text = xasprintf("cd %s && EXE=%s ID=%.2s/%s && set -e && { %s; } > log 2>&1", dir, exe, build_id, build_id + 2, commands);
	int status = system(text);

	free(text);
	return !status;
}

/* The name that the function has by what is known of the file at path in the root; "": none. */
static const char *named(const char *path)
{
	static char name[64];
	struct symtab t = { 0 };
	const struct symbol *s;
	struct elf_facts facts;
	struct stat st;
	int fd = foreign_open_in_root(root, path, &st);

	name[0] = '\0';
	if (fd < 0 || !read_elf(&t, fd, &facts))
		return "no file";
	symtab_read_apart(&t, &facts, &(struct root){ root, root }, path);
	symtab_sort(&t);
	s = symtab_find(&t, here);
	if (s)
		snprintf(name, sizeof(name), "%s", symtab_name(&t, s));
	symtab_free(&t);
	close(fd);
	return name;
}

static void by_build_id(void)
{
	check_str(named("/bin/plain"), "");
	check(run("mkdir -p root/usr/lib/debug/.build-id/${ID%/*}; cp plain.debug root/usr/lib/debug/.build-id/$ID.debug"));
	check_str(named("/bin/plain"), "landmark");
	/* one that has its place, but is of another file */
	check(run("objcopy --remove-section .note.gnu.build-id plain.debug root/usr/lib/debug/.build-id/$ID.debug"));
	check_str(named("/bin/plain"), "");
	check(run("echo rubbish > root/usr/lib/debug/.build-id/$ID.debug"));
	check_str(named("/bin/plain"), "");
	check(run("rm -r root/usr/lib/debug"));
}

static void by_link(void)
{
	static const char *const places[] = { "bin", "bin/.debug", "usr/lib/debug/bin" };
	char command[256];

	check_str(named("/bin/linked"), "");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(command, sizeof(command), "mkdir -p root/%s; cp plain.debug root/%s", places[i], places[i]);
		check(run(command));
		check_str(named("/bin/linked"), "landmark");
		snprintf(command, sizeof(command), "rm root/%s/plain.debug", places[i]);
		check(run(command));
		check_str(named("/bin/linked"), "");
	}
	/* without a build-id, by the CRC */
	check(run("cp noid.debug root/bin"));
	check_str(named("/bin/noid"), "landmark");
	check(run("echo >> root/bin/noid.debug"));
	check_str(named("/bin/noid"), "");
}

static uint64_t peak(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)u.ru_maxrss >> 10;
}

static void packed(void)
{
	uint64_t before;

	check_str(named("/bin/packed"), "landmark");
	check(run("objcopy --add-section .gnu_debugdata=plain.debug root/bin/plain root/bin/bad"));
	check_str(named("/bin/bad"), "");
	check(run("head -c 999 mini.xz > cut; objcopy --add-section .gnu_debugdata=cut root/bin/plain root/bin/bad"));
	check_str(named("/bin/bad"), "");
	/* a hundred kilobytes that unpack to 700 MiB, of which no more than 64 are made */
	check(run("head -c 700M /dev/zero | xz -0 > bomb; objcopy --add-section .gnu_debugdata=bomb root/bin/plain root/bin/bad"));
	before = peak();
	check_str(named("/bin/bad"), "");
	printf("# %llu MiB more\n", (unsigned long long)(peak() - before));
	check(peak() - before < 100);
}

/* Numbers and sizes that cost memory if they are believed. */
static void large(void)
{
	static const struct {
		off_t at;
		uint16_t v;
	} lies[] = { { 0x3c, 0 }, { 0x38, 0xffff } };	/* e_shnum, e_phnum: in the first section */
	const uint32_t many = 1 << 21;
	struct elf_facts facts;
	struct symtab t = { 0 };
	uint64_t before, shoff;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/lie", dir);
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		check(run("cp root/bin/plain lie; truncate -s 1G lie"));
		fd = open(path, O_RDWR);
		check(fd >= 0 && pwrite(fd, &lies[i].v, 2, lies[i].at) == 2 && pread(fd, &shoff, 8, 0x28) == 8);
		/* sh_size and sh_info */
		check(pwrite(fd, &many, 4, (off_t)shoff + 0x20) == 4 && pwrite(fd, &many, 4, (off_t)shoff + 0x2c) == 4);
		before = peak();
		check(!read_elf(&t, fd, &facts));
		printf("# %llu MiB more\n", (unsigned long long)(peak() - before));
		check(peak() - before < 10);
		symtab_free(&t);
		close(fd);
	}
}

static bool opens(const char *path)
{
	struct stat st;
	int fd = foreign_open_in_root(root, path, &st);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void links(void)
{
	check(run("echo > outside; echo > root/file; ln -s /file root/abs; ln -s ../../../../file root/up; ln -s . root/self"));
	check(run("ln -s $PWD/outside root/out; ln -s ../outside root/out2; ln -s a root/b; ln -s b root/a; mkfifo root/fifo"));
	check(run("ln -s /proc/self/root root/magic; mkdir -p root/proc/self; ln -s / root/proc/self/root"));
	check(run("ln -s /bin root/dir; ln -s /dev/null root/null"));
	check(opens("/file") && opens("file") && opens("//./file") && opens("/abs") && opens("/up") && opens("/self/self/abs"));
	check(opens("/dir/plain") && opens("/dir/../file") && opens("/magic/file"));
	check(!opens("/out") && !opens("/out2") && !opens("/../outside") && !opens("/a"));
	check(!opens("/fifo") && !opens("/dir") && !opens("/null") && !opens("/none") && !opens("/file/x") && !opens("/"));
	/* a directory of symbols elsewhere */
	check(run("rm -rf root/usr/lib/debug; mkdir -p else/.build-id/${ID%/*} root/usr/lib; cp plain.debug else/.build-id/$ID.debug"));
	check(run("ln -s $PWD/else root/usr/lib/debug"));
	check_str(named("/bin/plain"), "");
	check(run("mv else root/; rm root/usr/lib/debug; ln -s /else root/usr/lib/debug"));
	check_str(named("/bin/plain"), "landmark");
}

static bool find_self(void)
{
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fd = open("/proc/self/exe", O_RDONLY);
	struct symtab t = { 0 };
	struct elf_facts facts;

	if (n < 0 || fd < 0 || !read_elf(&t, fd, &facts) || !mkdtemp(dir))
		return false;
	exe[n] = '\0';
	snprintf(build_id, sizeof(build_id), "%s", facts.build_id);
	snprintf(root, sizeof(root), "%s/root", dir);
	for (size_t i = 0; i < t.n; i++)
		if (!strcmp(symtab_name(&t, &t.v[i]), "landmark"))
			here = t.v[i].addr;
	symtab_free(&t);
	close(fd);
	return here && *build_id && landmark(0);
}

static const struct ktap_case cases[] = {
	{ "a file of symbols by the build-id", by_build_id },
	{ "a file of symbols by .gnu_debuglink", by_link },
	{ "numbers that would cost memory", large },
	{ "symbols packed in the file", packed },
	{ "no link leads out of the root", links },
};

int main(void)
{
	int status;

	if (!find_self() ||
	    !run("mkdir -p root/bin; objcopy --only-keep-debug $EXE plain.debug; objcopy --strip-all $EXE root/bin/plain;"
		 "objcopy --add-gnu-debuglink=plain.debug root/bin/plain root/bin/linked;"
		 "objcopy --strip-debug plain.debug mini; xz -k mini; objcopy --add-section .gnu_debugdata=mini.xz root/bin/plain root/bin/packed;"
		 "objcopy --remove-section .note.gnu.build-id plain.debug noid.debug;"
		 "objcopy --remove-section .note.gnu.build-id --add-gnu-debuglink=noid.debug root/bin/plain root/bin/noid")) {
		printf("1..0 # SKIP it needs objcopy, xz, and a build-id\n");
		run("cat log >&2");
		status = 0;
	} else {
		status = ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
	}
	run("cd ..; rm -rf $OLDPWD");
	return status;
}
