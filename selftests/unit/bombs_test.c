// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small files that stand for much memory while their symbols are read. A container may write such files, and root reads
 * them. Each case reads in a process of its own, whose memory at its height is compared with a limit; so is that of the
 * process which this one has to read files (base/far.h).
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "apart.h"
#include "elf_file.h"
#include "ktap.h"
#include "symbols/symbols.h"

#define NAME_LEN	4000
#define FILES		5
#define MAPPINGS	4000
#define PROCESSES	16

static char dir[] = "/tmp/ctrace-bombs-XXXXXX";

/* What the sanitizer keeps of freed memory would be counted. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=4:thread_local_quarantine_size_kb=64";
}

static __attribute__((noinline)) int landmark(int v)
{
	return v + 1;
}

static bool run(const char *commands)
{
	char *text = xasprintf("cd %s && set -e && { %s; } > log 2>&1", dir, commands);
	int status = system(text);

	free(text);
	return !status;
}

/* An ELF file of n functions that all have one name. */
static bool write_bomb(const char *name, size_t n, char letter)
{
	static const char words[] = "\0.symtab\0.strtab\0.shstrtab";
	const size_t syms = n * sizeof(Elf64_Sym), at = 4096, strings = at + syms, names = strings + NAME_LEN + 2;
	const size_t sections = (names + sizeof(words) + 7) & ~(size_t)7, len = sections + 4 * sizeof(Elf64_Shdr);
	Elf64_Ehdr *h = calloc(1, len);
	Elf64_Phdr *p = (Elf64_Phdr *)(h + 1);
	Elf64_Sym *s = (Elf64_Sym *)((char *)h + at);
	Elf64_Shdr *sh = (Elf64_Shdr *)((char *)h + sections);
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	bool done;

	memcpy(h->e_ident, ELFMAG, SELFMAG);
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_VERSION] = h->e_version = EV_CURRENT;
	h->e_type = ET_DYN;
	h->e_machine = EM_X86_64;
	h->e_phoff = sizeof(*h);
	h->e_shoff = sections;
	h->e_ehsize = sizeof(*h);
	h->e_phentsize = sizeof(*p);
	h->e_phnum = 1;
	h->e_shentsize = sizeof(*sh);
	h->e_shnum = 4;
	h->e_shstrndx = 3;
	*p = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = 1 << 20, .p_memsz = 1 << 20 };
	for (size_t i = 0; i < n; i++)
		s[i] = (Elf64_Sym){ .st_name = 1, .st_value = 0x100 + (i & 0xff), .st_size = 1, .st_shndx = 1,
				    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	memset((char *)h + strings + 1, letter, NAME_LEN);
	memcpy((char *)h + names, words, sizeof(words));
	sh[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_SYMTAB, .sh_offset = at, .sh_size = syms, .sh_link = 2,
			      .sh_entsize = sizeof(*s), .sh_addralign = 8 };
	sh[2] = (Elf64_Shdr){ .sh_name = 9, .sh_type = SHT_STRTAB, .sh_offset = strings, .sh_size = NAME_LEN + 2, .sh_addralign = 1 };
	sh[3] = (Elf64_Shdr){ .sh_name = 17, .sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = sizeof(words), .sh_addralign = 1 };
	done = f && fwrite(h, 1, len, f) == len && !fclose(f);
	free(h);
	free(path);
	return done;
}

/*
 * Runs fn in a process of its own. The memory at its height, MiB, of that or of one that it had and waited for, whichever is
 * more.
 */
static long peak_of(void (*fn)(void))
{
	struct rusage u = { 0 };
	pid_t pid = apart_fork();

	if (!pid) {
		fn();
		/* what read for it was killed, and may not have ended */
		while (waitpid(-1, NULL, 0) > 0)
			;
		apart_exit();
	}
	apart_wait(pid, &u);
	printf("# %ld MiB at its height\n", u.ru_maxrss >> 10);
	return u.ru_maxrss >> 10;
}

static void read_it(const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	int fd = open(path, O_RDONLY);
	struct symtab t = { 0 };
	struct elf_facts facts;

	check(fd >= 0 && read_elf(&t, fd, &facts));
	symtab_sort(&t);
	/* some of its names are known */
	check(symtab_find(&t, 0x100));
	symtab_free(&t);
	close(fd);
	free(path);
}

static void read_plain(void)
{
	read_it("plain");
}

static void plain(void)
{
	/* 600 MB of names in a file of 4 MB */
	check(write_bomb("plain", 150000, 'a'));
	check(peak_of(read_plain) < 400);
}

static void read_packed(void)
{
	read_it("packed");
}

static void packed(void)
{
	struct stat st;
	char *path = xasprintf("%s/packed.xz", dir);

	if (!run("objcopy --strip-all $(readlink /proc/$PPID/exe) stripped") ||
	    !run("cp plain packed && xz packed && objcopy --add-section .gnu_debugdata=packed.xz stripped packed")) {
		ktap_skip("it needs objcopy and xz");
	} else {
		check(!stat(path, &st) && st.st_size < 16384);
		printf("# %ld bytes\n", (long)st.st_size);
		check(peak_of(read_packed) < 400);
	}
	free(path);
}

/* The files, and this program, are mapped in a process; each is asked for a name. */
static void read_many(void)
{
	struct symbols *s = symbols_new(true);
	void *at[FILES];
	pid_t child;

	for (int i = 0; i < FILES; i++) {
		char *path = xasprintf("%s/many%d", dir, i);
		int fd = open(path, O_RDONLY);

		at[i] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		check(fd >= 0 && at[i] != MAP_FAILED);
		close(fd);
		free(path);
	}
	child = fork();
	if (!child)
		for (;;)
			pause();
	for (int i = 0; i < FILES; i++) {
		const char *name = symbols_user(s, child, (uint64_t)(uintptr_t)at[i] + 0x100, true);

		/* if not by its name, then by that of its file */
		check(!strncmp(name, "aaaa", 4) || strstr(name, "many"));
	}
	/* who mapped these takes nothing from others */
	check(!strncmp(symbols_user(s, child, (uint64_t)(uintptr_t)landmark, true), "landmark+0x0", 12));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	symbols_free(s);
}

static void many(void)
{
	for (int i = 0; i < FILES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		check(write_bomb(name, 30000, 'a'));
	}
	check(landmark(1) == 2);
	check(peak_of(read_many) < 520);
}

/* A file whose path is long, mapped very often, in several processes. */
static void read_maps(void)
{
	static const char part[] = "a-directory-whose-name-is-long-so-that-paths-below-it-are-long-and-many-of-them-take-much-memory";
	struct symbols *s = symbols_new(true);
	pid_t children[PROCESSES];
	char *at = NULL;
	int fd, read = 0;

	check(!chdir(dir));
	for (int i = 0; i < 35; i++)
		check(!mkdir(part, 0700) && !chdir(part));
	fd = open("mapped", O_RDWR | O_CREAT, 0700);
	check(fd >= 0 && !ftruncate(fd, 4096));
	/* not one behind the other, which would be one */
	for (int i = 0; i < MAPPINGS; i++)
		at = mmap(NULL, 4096, i & 1 ? PROT_READ | PROT_EXEC : PROT_EXEC, MAP_PRIVATE, fd, 0);
	check(at != MAP_FAILED);
	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i])
			for (;;)
				pause();
	}
	/* a busy machine may take longer than the time that each of them gets */
	for (int i = 0; i < PROCESSES; i++)
		read += !strncmp(symbols_user(s, children[i], (uint64_t)(uintptr_t)at, true), "mapped+", 7);
	check(read >= 1);
	for (int i = 0; i < PROCESSES; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	symbols_free(s);
}

static void maps(void)
{
	check(peak_of(read_maps) < 200);
}

static const struct ktap_case cases[] = {
	{ "a long name that very many symbols share", plain },
	{ "the same, packed in .gnu_debugdata", packed },
	{ "several such files", many },
	{ "long paths of many mappings in several processes", maps },
};

int main(void)
{
	int status;

	if (!mkdtemp(dir))
		return 1;
	status = ktap_run(cases, ARRAY_SIZE(cases));
	run("cd ..; rm -rf $OLDPWD");
	return status;
}
