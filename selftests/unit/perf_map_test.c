// SPDX-License-Identifier: GPL-2.0-only
/* Maps of functions that processes compiled themselves. The process is a child, which stands still. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktap.h"
#include "symbols/symbols.h"

#define AT	0x1000ull	/* nothing is ever mapped there */

static struct symbols *symbols;
static char path[64], other[80];
static pid_t child;

static void begin(void)
{
	child = fork();
	if (!child)
		for (;;)
			pause();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", child);
	snprintf(other, sizeof(other), "/tmp/ctrace-perf-map-test-%d", child);
	symbols = symbols_new(true);
}

static void end(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink(path);
	unlink(other);
	symbols_free(symbols);
}

static void put(const char *how, const char *text)
{
	FILE *f = fopen(path, how);

	check(f && fputs(text, f) >= 0 && !fclose(f));
}

/* After the time for which it is not looked whether the file has changed. */
static const char *later(uint64_t addr)
{
	usleep(600000);
	return symbols_user(symbols, child, addr, true);
}

static const char *name(uint64_t addr)
{
	return symbols_user(symbols, child, addr, true);
}

static void lines(void)
{
	begin();
	check_str(name(AT), "0x1000");
	put("w", "1000 100 first function\n0x0000000000001100 0x0000000000000080 Ljava;::two\n");
	check_str(later(AT), "first function+0x0 [jit]");
	check_str(name(AT + 0xff), "first function+0xff [jit]");
	check_str(name(AT + 0x100), "Ljava;::two+0x0 [jit]");
	check_str(name(AT + 0x180), "0x1180");
	/* the address that a call returns to may be that of the next function */
	check_str(symbols_user(symbols, child, AT + 0x100, false), "first function+0x100 [jit]");
	/* a thing that was compiled again, and one that has moved there */
	put("a", "2000 10 three\n1000 40 newer\n");
	check_str(later(AT + 1), "newer+0x1 [jit]");
	check_str(name(0x2001), "three+0x1 [jit]");
	check_str(symbols_user(symbols, child + 1000000, AT, true), "0x1000");
	end();
}

static void rubbish(void)
{
	char *much;

	begin();
	put("w", "\n\n \nx\n1000\n1000 \n1000 10\n1000 10 \n1000 0 none\nffffffffffffffff 10 past\n-1 -1 minus\n1800 10 a\x1b" "b\n"
	    "1000 10\nlast 1 1\n1900 10 without an end");
	check_str(name(AT), "0x1000");
	check_str(name(0x1800), "a\\x1b" "b+0x0 [jit]");
	check_str(name(0x1900), "without an end+0x0 [jit]");
	/* of a file that is too long, the end */
	put("w", "1000 10 begin\n");
	much = malloc((40 << 20) + 1);
	memset(much, 'x', 40 << 20);
	much[40 << 20] = '\0';
	put("a", much);
	put("a", "\n2000 10 end\n");
	free(much);
	check_str(later(0x2000), "end+0x0 [jit]");
	check_str(name(0x1004), "0x1004");
	/* one that is empty is being written */
	put("w", "");
	check_str(later(0x2001), "end+0x1 [jit]");
	put("w", "1000 10 again\n");
	check_str(later(0x2002), "0x2002");
	end();
}

static void whose(void)
{
	begin();
	put("w", "1000 10 mine\n");
	if (chown(path, 12345, 12345)) {
		ktap_skip("it needs root");
	} else {
		check_str(name(AT), "0x1000");
		check(!chown(path, getuid(), getgid()));
		check_str(later(AT), "mine+0x0 [jit]");
		/* neither a pipe, nor anything else that is not a file */
		unlink(path);
		check(!mkfifo(path, 0600));
		check_str(later(AT + 1), "mine+0x1 [jit]");
	}
	end();
}

/* The map read while it lived is kept; a program that comes after it does not have it. */
static void gone(void)
{
	begin();
	put("w", "1000 10 lived\n");
	check_str(name(AT), "lived+0x0 [jit]");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink(path);
	check_str(later(AT + 1), "lived+0x1 [jit]");
	end();
}

static const struct ktap_case cases[] = {
	{ "lines, also those that come later", lines },
	{ "files that hold something else", rubbish },
	{ "a file counts that belongs to the process's user", whose },
	{ "a process that is gone", gone },
};
KTAP_MAIN(cases)
