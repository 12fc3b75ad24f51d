/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace doctor: looks at what the module and the command need, and says what to do where something lacks. */
#ifndef CTRACE_DOCTOR_H
#define CTRACE_DOCTOR_H

#include <stdbool.h>
#include "base/util.h"

enum verdict {
	DOCTOR_OK,
	DOCTOR_NOTE,		/* ctrace works, but not all of it, or slower */
	DOCTOR_BAD,		/* ctrace does not work */
};

struct finding {
	enum verdict verdict;
	const char *check;	/* "headers" */
	char *what;		/* what was seen */
	char *fix;		/* what to type; NULL: nothing */
};

/* The machine, as far as several checks ask for it. */
struct machine {
	const char *root;	/* "" or a directory in place of / */
	char *release;		/* of the running kernel */
	char *config;		/* its configuration's text; NULL: not found */
	char *config_path;
	bool loaded;		/* the module */
	char *ko;		/* the module's file for this kernel, below root; NULL: not installed */
	bool root_user;		/* may do what the fixes say */
	enum { OS_OTHER, OS_DEBIAN, OS_FEDORA, OS_SUSE } os;

	struct finding *v;
	size_t n;
	size_t troubles;	/* of these, those that are DOCTOR_BAD */
};

/* Adds a finding. fix may be NULL; it is the machine's from now on, as is what. */
void found(struct machine *m, enum verdict verdict, const char *check, char *what, char *fix);
/* The path below the root, for the caller to free. */
char *at_root(const struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The text of a file below the root, at most 8 MiB, without the last newline; NULL: it cannot be read. */
char *text_of(const struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool exists(const struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Is there a trouble of this check? */
bool has_trouble(const struct machine *m, const char *check);
/* The first line that a command of the shell prints. NULL: none. The caller frees it. */
char *said_by(const char *command);
/* Could apt install the package, by the lists that it has? It does not ask the network. */
bool apt_has(const char *package);
/*
 * "apt-get install linux-headers-6.1.0": by the distribution's own tool. NULL: the tool is not known, or it
 * is apt, and apt does not have the package.
 */
char *install_of(const struct machine *m, const char *debian, const char *fedora, const char *suse);
/*
 * The value of CONFIG_option in the kernel's configuration: "y", "m", a text without its quotes; NULL: not
 * set.
 */
char *option_of(const struct machine *m, const char *option);

/*
 * The command that installs the module: from a package, if ctrace came as one, or from the source. The caller
 * frees it.
 */
char *doctor_installs(const struct machine *m);
/*
 * Commands that install the kernel's headers, and build a kernel with options (" -e X -e Y"). The caller
 * frees them.
 */
char *doctor_headers(const struct machine *m);
char *doctor_rebuild(const char *options);

/* Adds all findings; what an earlier trouble makes moot is not looked at. */
void doctor_look(struct machine *m);

/* Each adds one finding or more. */
void doctor_kernel(struct machine *m);		/* kernel.c: release, options */
void doctor_build(struct machine *m);		/* build.c: headers, compiler, DKMS */
void doctor_module(struct machine *m);		/* module.c: installed, allowed to load, signature, loaded */
/* host.c: permission, cgroups, symbols, runtimes, other tracers */
void doctor_host(struct machine *m);

/* cmd_doctor.c: adds what rooms above this one look at; main.c sets it. NULL: nothing. */
extern void (*doctor_more)(struct machine *m);

/*
 * build.c, for tests: the line of a log of make that says what went wrong; NULL: none. The caller frees it.
 */
char *doctor_decisive(const char *log);

#endif
