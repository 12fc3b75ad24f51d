// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: is it there for this kernel, would the kernel take it, and if it is loaded, does it fit this
 * command?
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libctrace.h>
#include "base/module.h"
#include "doctor/doctor.h"

/* The command that makes the machine trust DKMS's signing key. Ubuntu's DKMS takes the key of shim-signed. */
static char *enrol(const struct machine *m)
{
	static const char shim[] = "/var/lib/shim-signed/mok/MOK.der", dkms[] = "/var/lib/dkms/mok.pub";

	return xasprintf("mokutil --import %s   # then reboot, and confirm",
			 exists(m, shim) && !exists(m, dkms) ? shim : dkms);
}

static void check_installed(struct machine *m)
{
	if (m->ko)
		found(m, DOCTOR_OK, "module", xasprintf("installed: %s", m->ko), NULL);
	else if (!m->loaded && !has_trouble(m, "headers") && !has_trouble(m, "compiler") &&
		 !has_trouble(m, "dkms"))
		found(m, DOCTOR_BAD, "module", xasprintf("not installed for Linux %s", m->release),
		      doctor_installs(m));
}

/* Does the text have a line of these two words? */
static bool has_line(const char *text, const char *first, const char *second)
{
	size_t n;

	for (; *text; text += n + (text[n] == '\n')) {
		const char *s = text + strspn(text, " \t");
		size_t a = strlen(first), b = strlen(second);

		n = strcspn(text, "\n");
		if (strncmp(s, first, a) || !strchr(" \t", s[a]))
			continue;
		s += a + strspn(s + a, " \t");
		if (!strncmp(s, second, b) && strchr(" \t\n", s[b]))
			return true;
	}
	return false;
}

static void check_blacklist(struct machine *m)
{
	static const char *const dirs[] = { "/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *dir = at_root(m, "%s", dirs[i]);
		DIR *d = opendir(dir);
		struct dirent *e;

		while (d && (e = readdir(d))) {
			char *text = *e->d_name == '.' ? NULL : text_of(m, "%s/%s", dirs[i], e->d_name);

			if (text && (has_line(text, "blacklist", "ctrace") || has_line(text, "install", "ctrace")))
				found(m, DOCTOR_BAD, "blacklist", xasprintf("%s/%s keeps the module from being loaded",
									    dirs[i], e->d_name),
				      xasprintf("remove the line about ctrace from %s/%s", dirs[i], e->d_name));
			free(text);
		}
		if (d)
			closedir(d);
		free(dir);
	}
}

/* The EFI variable: four bytes of attributes, then 1 if it is on. */
static bool secure_boot(const struct machine *m)
{
	char *path = at_root(m, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	FILE *f = fopen(path, "re");
	unsigned char v[5] = { 0 };
	bool on = f && fread(v, 1, sizeof(v), f) == sizeof(v) && v[4] == 1;

	if (f)
		fclose(f);
	free(path);
	return on;
}

/* Why the kernel takes signed modules alone; NULL: it takes any. */
static const char *signed_only(const struct machine *m, const char *lockdown)
{
	char *enforce = text_of(m, "/sys/module/module/parameters/sig_enforce"), *forced = option_of(m, "MODULE_SIG_FORCE");
	const char *why = NULL;

	if (enforce && *enforce == 'Y')
		why = "module.sig_enforce is set";
	else if (forced)
		why = "the kernel is built with CONFIG_MODULE_SIG_FORCE";
	else if (lockdown && !strstr(lockdown, "[none]"))
		why = "the kernel is locked down";
	/*
	 * Secure Boot may have done either: it locks the kernel down, and with IMA it sets
	 * module.sig_enforce.
	 */
	if (why && !forced && secure_boot(m))
		why = "Secure Boot is on";
	free(enforce);
	free(forced);
	return why;
}

/* Has the file a signature? -1: it is compressed, and not looked into. */
static int is_signed(const char *path)
{
	static const char magic[] = "~Module signature appended~\n";
	const char *dot = strrchr(path, '.');
	char end[sizeof(magic) - 1];
	FILE *f;
	bool yes;

	if (!dot || strcmp(dot, ".ko"))
		return -1;
	f = fopen(path, "re");
	if (!f)
		return -1;
	yes = !fseek(f, -(long)sizeof(end), SEEK_END) && fread(end, 1, sizeof(end), f) == sizeof(end) &&
	      !memcmp(end, magic, sizeof(end));
	fclose(f);
	return yes;
}

static void check_signature(struct machine *m)
{
	char *lockdown = text_of(m, "/sys/kernel/security/lockdown"), *path, *mok = enrol(m);
	const char *why = signed_only(m, lockdown);
	int sign;

	if (lockdown && strstr(lockdown, "[confidentiality]"))
		found(m, DOCTOR_NOTE, "lockdown",
		      xstrdup("the kernel is locked down to confidentiality: probes on functions, and the events that need them, are refused"),
		      xstrdup("boot with lockdown=integrity"));
	if (!why) {
		found(m, DOCTOR_OK, "signature", xstrdup("the kernel takes unsigned modules"), NULL);
		goto out;
	}
	path = m->ko ? at_root(m, "%s", m->ko) : NULL;
	sign = path ? is_signed(path) : -1;
	free(path);
	if (sign == 0 && !m->loaded)
		found(m, DOCTOR_BAD, "signature", xasprintf("%s, and %s has no signature", why, m->ko),
		      xasprintf("dkms install --force ctrace/%s; %s", ctrace_version(), mok));
	else
		found(m, m->loaded ? DOCTOR_OK : DOCTOR_NOTE, "signature", xasprintf("%s: the module's key must be known to it", why),
		      m->loaded ? NULL : xstrdup(mok));
out:
	free(mok);
	free(lockdown);
}

static void check_loaded(struct machine *m)
{
	char *disabled, *version, *why, *fix;

	version = text_of(m, "/sys/module/ctrace/version");
	if (m->loaded) {
		if (version && strcmp(version, ctrace_version()))
			found(m, DOCTOR_NOTE, "loaded", xasprintf("the module is %s, this command %s", version, ctrace_version()),
			      xstrdup("rmmod ctrace && modprobe ctrace"));
		else
			found(m, DOCTOR_OK, "loaded", xasprintf("ctrace %s", version ?: ""), NULL);
		if (!exists(m, "/dev/ctrace"))
			found(m, DOCTOR_BAD, "loaded", xstrdup("there is no /dev/ctrace"),
			      xstrdup("run ctrace on the host, outside all containers, with a devtmpfs at /dev"));
		free(version);
		return;
	}
	free(version);
	disabled = text_of(m, "/proc/sys/kernel/modules_disabled");
	if (disabled && *disabled == '1') {
		found(m, DOCTOR_BAD, "loaded", xstrdup("module loading is switched off until the next boot (kernel.modules_disabled)"),
		      xstrdup("load ctrace before it is switched off"));
	} else if (m->ko && m->root_user && !*m->root) {
		/* the kernel's own answer */
		why = module_load();
		if (!why) {
			found(m, DOCTOR_OK, "loaded", xstrdup("it was not; it is now"), NULL);
			m->loaded = true;
		} else {
			fix = strrchr(why, ':');
			found(m, DOCTOR_BAD, "loaded", xasprintf("%.*s", fix ? (int)(fix - why) : (int)strlen(why), why),
			      fix ? xstrdup(fix + 1 + strspn(fix + 1, " ")) : NULL);
		}
		free(why);
	} else if (m->ko) {
		found(m, DOCTOR_NOTE, "loaded", xstrdup("the module is not loaded; root's first use of ctrace loads it"),
		      xstrdup("modprobe ctrace"));
	}
	free(disabled);
}

/* It is loaded: does it answer here? Not of a made-up machine. */
static void check_answers(struct machine *m)
{
	struct ctrace *ct;

	if (!m->loaded || *m->root)
		return;
	if (ctrace_open(&ct) == -ENONET)
		found(m, DOCTOR_BAD, "network",
		      xstrdup("the module answers only in the host's network namespace, and this is another"),
		      xstrdup("nsenter --net=/proc/1/ns/net ctrace doctor   # on the host; "
			      "or start the container with --network=host"));
	ctrace_close(ct);
}

void doctor_module(struct machine *m)
{
	check_installed(m);
	check_blacklist(m);
	check_signature(m);
	check_loaded(m);
	check_answers(m);
}
