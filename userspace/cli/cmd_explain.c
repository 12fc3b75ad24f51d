// SPDX-License-Identifier: GPL-2.0-only
/* ctrace explain: why this is the container it is, and why it has its name. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "commands.h"
#include "base/cli.h"
#include "names/cgroupfs.h"
#include "names/ctable.h"
#include "names/patterns.h"
#include "names/pods.h"
#include "run/which.h"

static const char usage[] =
"Usage: ctrace explain [OPTIONS] TARGET|pid:N|cgroup:PATH\n"
"\n"
"Says why a container is the one it is: its cgroup, its pid namespace, its\n"
"parent; which file gave its name; and which files have another name for it, and\n"
"are not believed.\n"
"\n"
"TARGET is a name, an id or its first digits, cid:N, or host. With pid:N: the\n"
"container that the process is in. With cgroup:PATH: the container that the\n"
"cgroup belongs to.\n";

static const char notes[] =
"Exit status: 0 explained; 1 there is no such container, or there are several; 2\n"
"not understood.\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("json", 'j', NULL, "print one JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

struct out {
	struct ctable *t;
	struct json j;
	struct sbuf b;
};

/* One fact: a word, and a sentence that the caller allocated. */
static void fact(struct out *o, const char *word, char *text)
{
	if (cli_json) {
		json_str(&o->j, strcmp(word, "made by") ? word : "made_by", text);
	} else {
		sbuf_printf(&o->b, "  %-8s  ", word);
		sbuf_clean(&o->b, text);
		sbuf_putc(&o->b, '\n');
	}
	free(text);
}

/* The record says so in JSON. */
static char *pod_text(const struct centry *e)
{
	struct sbuf b = { 0 };

	pod_put(&b, e);
	if (e->r.pod_uid)
		sbuf_printf(&b, ", uid %s", e->r.pod_uid);
	if (e->r.container)
		sbuf_printf(&b, "; its container %s", e->r.container);
	if (e->r.restarts)
		sbuf_printf(&b, ", restarted %s times", e->r.restarts);
	return b.s;
}

static void facts(struct out *o, const struct centry *e)
{
	const struct ctrace_container *c = &e->c;
	const char *path = c->path[0] ? c->path : "?";
	const struct pattern *pattern;
	const struct centry *p;
	char *id = NULL;

	pattern = c->cgroup_id ? pattern_of(o->t->names, c, &id) : NULL;
	if (pattern && strcmp(pattern->runtime, c->runtime))
		pattern = NULL;
	if (pattern)
		fact(o, "cgroup", xasprintf("%s is its own: it matches %s, of %s:%u, whose runtime is %s", path,
					    pattern->glob, pattern->file, pattern->line, pattern->runtime));
	else if (!c->cgroup_id)
		fact(o, "cgroup", xasprintf("it has none of its own; its init is in %s", path));
	else if (c->runtime_id[0])
		fact(o, "cgroup", xasprintf("%s is its own: the name is one that a runtime gives, with the id %s",
					    path, c->runtime_id));
	else if (c->runtime[0])
		fact(o, "cgroup", xasprintf("%s is its own: the name is one that %s gives", path, c->runtime));
	else
		fact(o, "cgroup", xasprintf("%s is its own: a runtime put its init there", path));
	if (c->flags & CTRACE_CONTAINER_F_HOSTPID)
		fact(o, "pids", xasprintf("it shares the host's pid namespace"));
	else if (c->pidns && c->init_pid)
		fact(o, "pids", xasprintf("pid namespace %u is its own, and process %u its init", c->pidns, c->init_pid));
	else if (c->pidns)
		fact(o, "pids", xasprintf("pid namespace %u is its own", c->pidns));
	else
		fact(o, "pids", xasprintf("no pid namespace of its own was seen"));
	if (c->parent) {
		p = ctable_get(o->t, c->parent);
		fact(o, "inside", xasprintf("container %u (%s)", c->parent, p->shown));
	} else {
		fact(o, "inside", xasprintf("the host, and no container"));
	}
	if (e->r.pod && !cli_json)
		fact(o, "pod", pod_text(e));
	fact(o, "made by", xasprintf(names_system_made(o->t->names, c) ?
		"the system: only root could make its cgroup" : c->parent ?
		"not told: what is in a container is that one's affair" :
		"not the system: others than root could make its cgroup"));
	free(id);
}

static void claim(struct out *o, const struct centry *e, const struct name_entry *n)
{
	static const char *const owners[] = { "system", "user", "container" };
	enum name_doubt doubt = names_doubt(o->t->names, n, &e->c);
	char *why = names_why(n, doubt);

	if (cli_json) {
		json_open(&o->j, NULL, '{');
		json_str(&o->j, "name", n->name);
		json_str(&o->j, "runtime", n->runtime);
		json_str(&o->j, "file", n->file);
		json_str(&o->j, "owner", owners[n->owner]);
		if (n->owner != NAME_OF_SYSTEM)
			json_uint(&o->j, n->owner == NAME_OF_USER ? "uid" : "in_cid", n->whose);
		json_flag(&o->j, "believed", doubt == NAME_BELIEVED);
		json_str(&o->j, "why", why);
		json_close(&o->j, '}');
	} else {
		sbuf_puts(&o->b, doubt == NAME_BELIEVED ? "  believed  '" : "  not       '");
		sbuf_clean(&o->b, n->name);
		sbuf_puts(&o->b, "' of ");
		sbuf_clean(&o->b, n->file);
		sbuf_printf(&o->b, ": %s\n", why);
	}
	free(why);
}

/* Others that live now and have the same id or name. */
static void others(struct out *o, const struct centry *e)
{
	struct centry *x;

	if (cli_json)
		json_open(&o->j, "others", '[');
	for (size_t i = 0; (x = ctable_next(o->t, &i));) {
		bool id = e->c.runtime_id[0] && !strcmp(x->c.runtime_id, e->c.runtime_id);

		if (x == e || !ctable_alive(x))
			continue;
		ctable_get(o->t, x->c.cid);
		if (!id && strcmp(x->name, e->name))
			continue;
		if (cli_json) {
			json_open(&o->j, NULL, '{');
			json_uint(&o->j, "cid", x->c.cid);
			json_str(&o->j, "name", x->label);
			json_str(&o->j, "same", id ? "id" : "name");
			json_str(&o->j, "cgroup", x->c.path);
			json_close(&o->j, '}');
		} else {
			sbuf_printf(&o->b, "  beware    container %u (%s) has the same %s: its cgroup is ", x->c.cid,
				    x->shown, id ? "id in its cgroup's name" : "name");
			sbuf_clean(&o->b, x->c.path);
			sbuf_putc(&o->b, '\n');
		}
	}
	if (cli_json)
		json_close(&o->j, ']');
}

static void explain(struct ctable *t, struct centry *e, char *because)
{
	struct out o = { .t = t };
	const struct names *n = t->names;
	const struct name_entry *best, *x;
	struct names_walk w;

	o.j.out = &o.b;
	e = ctable_get(t, e->c.cid);
	w = names_walk(n, &e->c);
	best = names_lookup(n, &e->c);
	if (cli_json) {
		json_open(&o.j, NULL, '{');
		ctable_json(&o.j, t, e);
		if (because)
			json_str(&o.j, "because", because);
		json_open(&o.j, "facts", '{');
	} else {
		if (because)
			sbuf_printf(&o.b, "%s\n", because);
		sbuf_printf(&o.b, "%s is %s %u%s%s\n", e->shown,
			    e->c.cid == CTRACE_CID_HOST ? "no container, and has the number" : "container",
			    e->c.cid, e->runtime[0] ? ", of " : "", e->runtime);
	}
	if (e->c.cid != CTRACE_CID_HOST)
		facts(&o, e);
	if (cli_json) {
		json_close(&o.j, '}');
		if (best)
			json_str(&o.j, "name_from", best->file);
		json_open(&o.j, "claims", '[');
	} else if (e->c.cid != CTRACE_CID_HOST) {
		sbuf_puts(&o.b, "  name      ");
		if (best)
			sbuf_clean(&o.b, best->file);
		else
			sbuf_puts(&o.b, e->named ? "in the path" : "no file has one that is believed");
		sbuf_putc(&o.b, '\n');
	}
	while (e->c.cid != CTRACE_CID_HOST && (x = names_next_match(n, &w, &e->c)))
		if (x->rank != NAME_POD)
			claim(&o, e, x);
	if (cli_json)
		json_close(&o.j, ']');
	others(&o, e);
	if (cli_json) {
		json_close(&o.j, '}');
		json_line(&o.j);
	}
	fputs(o.b.s, stdout);
	sbuf_free(&o.b);
}

/* The innermost container whose cgroup is path or above it, in this hierarchy; NULL: none. */
static struct centry *by_path(struct ctable *t, const char *path, uint32_t hierarchy)
{
	struct centry *e, *best = NULL;

	for (size_t i = 0; (e = ctable_next(t, &i));) {
		size_t n = strlen(e->c.path);

		if (ctable_alive(e) && e->c.cgroup_id && e->c.hierarchy == hierarchy && n > 1 &&
		    !strncmp(path, e->c.path, n) && (!path[n] || path[n] == '/') &&
		    (!best || n > strlen(best->c.path)))
			best = e;
	}
	return best;
}

static struct centry *by_pidns(struct ctable *t, uint32_t pidns)
{
	struct centry *e;

	for (size_t i = 0; pidns && (e = ctable_next(t, &i));)
		if (ctable_alive(e) && e->c.pidns == pidns)
			return e;
	return NULL;
}

/* Is e inside the container outer? */
static bool is_inside(struct ctable *t, const struct centry *e, const struct centry *outer)
{
	for (int depth = 0; e && e->c.parent && depth < 64; depth++) {
		if (e->c.parent == outer->c.cid)
			return true;
		e = which_cid(t, e->c.parent);
	}
	return false;
}

/* As the kernel decides: by the cgroup, and by a pid namespace that was made inside. */
struct centry *explain_of_pid(struct ctable *t, const char *word, char **because, int *status)
{
	struct centry *e = NULL, *found, *ns;
	char *p, *text, *line, *save = NULL;
	struct stat st;
	uint32_t pid;

	if (parse_u32(word, &pid) || !pid) {
		*status = cli_usage("'%s' is not a process id: write pid:N", word);
		return NULL;
	}
	p = xasprintf("/proc/%u/ns/pid", pid);
	if (stat(p, &st))
		st.st_ino = 0;
	free(p);
	p = xasprintf("/proc/%u/cgroup", pid);
	text = read_file(p, NULL);
	free(p);
	if (!text || !st.st_ino) {
		free(text);
		*status = cli_error("no process %u: see 'ps ax'", pid);
		return NULL;
	}
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		/* NUMBER:CONTROLLERS:PATH */
		char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		found = path ? by_path(t, path + 1, (uint32_t)strtoul(line, NULL, 10)) : NULL;
		if (found && (!e || is_inside(t, found, e)))
			e = found;
	}
	ns = by_pidns(t, (uint32_t)st.st_ino);
	found = e;
	if (ns && (!e || is_inside(t, ns, e)))
		e = ns;
	if (!e)
		e = which_cid(t, CTRACE_CID_HOST);
	free(text);
	if (!e) {
		*status = cli_error("the module does not list the host");
		return NULL;
	}
	*because = xasprintf("process %u is in it by its %s", pid, e->c.cid == CTRACE_CID_HOST ?
		      "cgroup and pid namespace, which are no container's" :
		      e == ns && e == found ? "cgroup and its pid namespace" : e == ns ? "pid namespace" : "cgroup");
	return e;
}

static int explain_pid(struct ctable *t, const char *word)
{
	char *because = NULL;
	int status = CLI_OK;
	struct centry *e = explain_of_pid(t, word, &because, &status);

	if (e)
		explain(t, e, because);
	free(because);
	return status;
}

static int explain_cgroup(struct ctable *t, const char *word)
{
	struct sbuf units = { 0 };
	uint32_t hierarchy = 0;
	struct centry *e;
	char *p, *path;
	int r;

	path = cgroup_path(word, &hierarchy);
	if (!path) {
		sbuf_reset(&units);
		which_units(&units, word, NULL);
		r = cli_error("no cgroup '%s': give its directory, or its path as in /proc/PID/cgroup%s", word, units.s);
		sbuf_free(&units);
		return r;
	}
	e = by_path(t, path, hierarchy);
	p = e ? xasprintf("cgroup %s is in it: %s is its own", path, e->c.path) :
		xasprintf("cgroup %s is in no container's", path);
	if (!e)
		e = which_cid(t, CTRACE_CID_HOST);
	free(path);
	if (e)
		explain(t, e, p);
	free(p);
	return e ? CLI_OK : cli_error("the module does not list the host");
}

static int show(struct ctrace *ct, const char *word)
{
	struct ctable *t = ctable_new(ct);
	struct centry *e;
	int status = CLI_OK;

	if (ctable_list(t)) {
		status = cli_error("%s", ctrace_errmsg(ct));
	} else if (!strncmp(word, "pid:", 4)) {
		status = explain_pid(t, word + 4);
	} else if (!strncmp(word, "cgroup:", 7)) {
		status = explain_cgroup(t, word + 7);
	} else {
		e = which_target(t, word, &status);
		if (e)
			explain(t, e, NULL);
	}
	ctable_free(t);
	return status;
}

static int run_explain(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct ctrace *ct;
	int opt, status;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt != 'j')
			return cli_bad_option(opt, argv, &g);
	}
	if (argc - optind != 1 || !argv[optind][0])
		return cli_usage("explain takes one target: 'ctrace ps' lists containers");
	ct = cli_open();
	if (!ct)
		return CLI_FAIL;
	status = show(ct, argv[optind]);
	ctrace_close(ct);
	return status;
}

const struct command cmd_explain = {
	.name = "explain", .usage = usage, .options = { options }, .notes = notes,
	.words = { "@containers host pid: cid: cgroup:" }, .run = run_explain,
};
