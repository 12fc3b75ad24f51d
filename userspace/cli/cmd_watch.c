// SPDX-License-Identifier: GPL-2.0-only
/* ctrace watch: keeps the last seconds of every container, and writes them down when something goes wrong. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commands.h"
#include "base/cli.h"
#include "base/json_read.h"
#include "base/table.h"
#include "doctor/doctor.h"
#include "run/which.h"
#include "watch/report.h"
#include "watch/watch.h"

#define DUMP_WAIT_MS	600000	/* for a dump that was asked for */

static const char usage[] =
"Usage: ctrace watch [--config FILE]\n"
"       ctrace watch --check [--config FILE]\n"
"       ctrace watch status | list | show ID | rm ID... | export [-o FILE] ID\n"
"       ctrace watch dump CONTAINER | all\n"
"\n"
"Keeps the last seconds of every container in memory, and when something goes\n"
"wrong, writes them down: the recording, with what 'ctrace why', 'blame' and\n"
"'page' say of it, and what happened. ctrace-watch.service runs it; in the\n"
"foreground it does the same. What goes wrong is what FILE names: a container\n"
"that fails, the OOM killer, no quota, pressure, slow calls, any event. SIGHUP\n"
"takes a new FILE, SIGUSR2 writes all containers down.\n"
"Words ask a watch that runs, or look at its dumps. ID may be a part from an id's\n"
"beginning, or last. show says what happened; 'ctrace why --input', 'ctrace page'\n"
"and others take the directory 'recording' of a dump.\n";

enum { OPT_CONFIG = 256, OPT_CHECK };

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("config", OPT_CONFIG, "FILE", "the configuration (default " WATCH_CONF ")"),
	OPTION("check", OPT_CHECK, NULL, "name each mistake of FILE with its line, and end"),
	OPTION("output", 'o', "FILE", "export: the archive to write; - is standard output (default ID.tar)"),
	OPTION("json", 'j', NULL, "print a JSON object; list: one per line and dump; errors as JSON"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

struct watch_opts {
	const char *conf, *out;
	char *dir;		/* of dumps */
};

/* --- the configuration ----------------------------------------------------------------------- */

static int check(const char *conf)
{
	struct mistakes m = { 0 };
	struct watch_config *c = watch_config_read(conf, &m);
	struct ctrace_schema *schema = NULL;
	struct ctrace *ct = NULL;
	bool events = false;

	/* the module knows which events there are */
	if (!ctrace_open(&ct) && !ctrace_schema_get(ct, &schema) && ctrace_schema_at(schema, 0)) {
		engine_check(c, schema, &m);
		events = true;
	}
	ctrace_schema_free(schema);
	ctrace_close(ct);
	if (m.n)
		fputs(m.b.s, stderr);
	if (m.n)
		cli_error("%s has %zu mistake%s", conf, m.n, m.n == 1 ? "" : "s");
	else if (cli_json)
		printf("{\"config\":\"good\",\"triggers\":%zu,\"events_checked\":%s}\n", c->ntriggers,
		       events ? "true" : "false");
	else
		printf("%s is good: %zu trigger%s%s\n", conf, c->ntriggers, c->ntriggers == 1 ? "" : "s",
		       events ? "" : "; the names of events were not looked at: the module is not loaded");
	watch_config_free(c);
	sbuf_free(&m.b);
	return m.n ? CLI_FAIL : CLI_OK;
}

static int run_watch_itself(const char *conf)
{
	struct mistakes m = { 0 };
	struct watch_config *c = watch_config_read(conf, &m);

	if (!m.n)
		return watch_run(conf, c);
	fputs(m.b.s, stderr);
	sbuf_free(&m.b);
	watch_config_free(c);
	return cli_error("%s has mistakes: 'ctrace watch --check' names them", conf);
}

/* Where dumps are, by the configuration as far as it can be read. */
static char *dumps_dir(const char *conf)
{
	struct mistakes m = { 0 };
	struct watch_config *c = watch_config_read(conf, &m);
	char *dir = xstrdup(c->dir);

	sbuf_free(&m.b);
	watch_config_free(c);
	return dir;
}

/* --- dumps --------------------------------------------------------------------------------- */

static struct json_object *reason_of(const char *dir, const char *id)
{
	char *path = xasprintf("%s/%s/" STORE_REASON, dir, id);
	struct json_object *o;
	int err;

	o = json_read(path, &err);
	free(path);
	if (o && !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		o = NULL;
	}
	return o;
}

static const char *text_in(struct json_object *o, const char *key)
{
	struct json_object *v;

	return o && json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) ?: "" : "";
}

static void list_one(struct table *t, const struct watch_opts *o, const struct dump_entry *d)
{
	struct json_object *reason = reason_of(o->dir, d->id), *c = NULL;
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	if (reason)
		json_object_object_get_ex(reason, "container", &c);
	if (cli_json) {
		json_open(&j, NULL, '{');
		json_str(&j, "id", d->id);
		json_str(&j, "time", text_in(reason, "realtime"));
		json_str(&j, "container", c ? text_in(c, "name") : "all");
		json_str(&j, "reason", text_in(reason, "reason"));
		json_str(&j, "what", text_in(reason, "what"));
		json_uint(&j, "bytes", d->bytes);
		json_close(&j, '}');
		json_line(&j);
		fputs(b.s, stdout);
		sbuf_free(&b);
	} else {
		table_str(t, d->id);
		table_str(t, c ? text_in(c, "name") : "all");
		table_size(t, d->bytes);
		table_str(t, reason ? text_in(reason, "what") : "damaged: it has no " STORE_REASON);
		table_end_row(t);
	}
	json_object_put(reason);
}

static int list(const struct watch_opts *o)
{
	static const char *const heads[] = { "ID", "CONTAINER", "SIZE", "WHAT HAPPENED" };
	struct watch_state s;
	struct sbuf not = { 0 };
	struct dumps d;
	struct table t;
	int err = store_list(o->dir, &d);

	if (err)
		return cli_error("cannot read %s: %s", o->dir,
				 err == -EACCES ? "only root may" : strerror(-err));
	table_init(&t, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < d.n; i++)
		list_one(&t, o, &d.v[i]);
	if (!cli_json && d.n)
		table_print(&t, stdout);
	else if (!cli_json)
		printf("no dumps in %s\n", o->dir);
	table_free(&t);
	store_list_free(&d);
	watch_state_get(&s, "", o->conf);
	account_words(&not, &s.account);
	if (not.len)
		fprintf(stderr, "ctrace: not written: %s\n", not.s);
	sbuf_free(&not);
	watch_state_free(&s);
	return CLI_OK;
}

static void show_line(struct sbuf *b, const char *key, const char *text)
{
	sbuf_printf(b, "%-12s", key);
	sbuf_clean(b, text);
	sbuf_putc(b, '\n');
}

static void show_files(struct sbuf *b, struct json_object *reason)
{
	struct json_object *v;

	if (!json_object_object_get_ex(reason, "reports", &v) || !json_object_is_type(v, json_type_object))
		return;
	json_object_object_foreach(v, name, how) {
		const char *text = json_object_get_string(how) ?: "";
		char *line = xasprintf("%s%s%s", name, strcmp(text, "written") ? ": " : "",
				       strcmp(text, "written") ? text : "");

		show_line(b, "", line);
		free(line);
	}
}

static uint64_t number_in(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? (uint64_t)json_object_get_int64(v) : 0;
}

/* If the recording has less than the configuration asked for. */
static void show_lack(struct sbuf *b, struct json_object *reason, struct json_object *recording)
{
	uint64_t time = number_in(reason, "time"), whole = number_in(recording, "whole_from");
	double asked = (double)(time - number_in(recording, "from")) / 1e9;
	char *text;

	if (whole <= number_in(recording, "from"))
		return;
	text = xasprintf("%.1f s before it, not %.1f: what was before that was overwritten, or no watch ran",
			 whole < time ? (double)(time - whole) / 1e9 : 0, asked);
	show_line(b, "begins", text);
	free(text);
}

static int show(const struct watch_opts *o, const char *word)
{
	char *id = store_find(o->dir, word), *path;
	struct json_object *reason, *v, *c = NULL;
	struct sbuf b = { 0 };

	if (!id)
		return CLI_FAIL;
	reason = reason_of(o->dir, id);
	path = xasprintf("%s/%s", o->dir, id);
	if (!reason) {
		cli_error("the dump %s is damaged: it has no " STORE_REASON, id);
	} else if (cli_json) {
		puts(json_object_to_json_string_ext(reason, WATCH_JSON_PLAIN));
	} else {
		json_object_object_get_ex(reason, "container", &c);
		show_line(&b, "dump", id);
		show_line(&b, "container", c ? text_in(c, "name") : "all");
		show_line(&b, "happened", text_in(reason, "what"));
		show_line(&b, "at", text_in(reason, "realtime"));
		if (json_object_object_get_ex(reason, "trigger", &v))
			show_line(&b, "asked by", text_in(v, "text"));
		if (json_object_object_get_ex(reason, "recording", &v)) {
			show_line(&b, "events", text_in(v, "records"));
			show_lack(&b, reason, v);
		}
		show_line(&b, "directory", path);
		show_files(&b, reason);
		sbuf_puts(&b, "\n");
		fputs(b.s, stdout);
		printf("    ctrace report %s/recording\n", path);
		sbuf_free(&b);
	}
	json_object_put(reason);
	free(path);
	free(id);
	return reason ? CLI_OK : CLI_FAIL;
}

static int rm(const struct watch_opts *o, char **words, int n)
{
	int status = CLI_OK, err;

	for (int i = 0; i < n && status == CLI_OK; i++) {
		char *id = store_find(o->dir, words[i]);

		err = id ? store_remove(o->dir, id) : 0;
		if (err)
			status = cli_error("cannot remove %s: %s", id, strerror(-err));
		else if (!id)
			status = CLI_FAIL;
		free(id);
	}
	return status;
}

/* tar(1) knows formats and long names. */
static int export(const struct watch_opts *o, const char *word)
{
	char *id = store_find(o->dir, word), *out;
	int status;
	pid_t pid;

	if (!id)
		return CLI_FAIL;
	out = o->out ? xstrdup(o->out) : xasprintf("%s.tar", id);
	if (!strcmp(out, "-") && isatty(STDOUT_FILENO)) {
		status = cli_usage("an archive is not for a terminal: give -o FILE, or a pipe");
	} else {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			/* a colon in FILE is no host here */
			execlp("tar", "tar", "--force-local", "-C", o->dir, "-cf", out, "--", id,
			       (char *)NULL);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			status = cli_error("cannot run tar: %s", strerror(errno));
		else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			status = cli_error("cannot run tar: is it installed?");
		else if (status)
			status = cli_error("tar failed: its message is above");
		else if (strcmp(out, "-") && !cli_json)
			printf("%s\n", out);
	}
	free(out);
	free(id);
	return status;
}

/* --- a watch that runs -------------------------------------------------------------------------- */

/* Prints the answer, or its error. */
static int say(char *answer, const char *key)
{
	struct json_object *o = json_tokener_parse(answer), *v;
	int status = CLI_OK;

	if (o && json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, "error", &v))
		status = cli_error("%s", json_object_get_string(v));
	else if (cli_json)
		fputs(answer, stdout);
	else
		puts(text_in(o, key));
	json_object_put(o);
	free(answer);
	return status;
}

static int no_watch(int err)
{
	if (err == -ENOENT || err == -ECONNREFUSED)
		return cli_error("no watch runs: 'systemctl start ctrace-watch', or 'ctrace watch'");
	if (err == -EACCES || err == -EPIPE)
		return cli_error("only root may ask the watch");
	return cli_error("the watch does not answer: %s", strerror(-err));
}

/* Which container is meant is found here, as in other commands; the watch gets its number. */
static int dump(const char *word)
{
	struct ctrace *ct;
	struct ctable *t;
	struct centry *e;
	char *line = NULL, *answer;
	int status = CLI_OK, err;

	if (!strcmp(word, "all")) {
		line = xstrdup("dump all");
	} else {
		ct = cli_open();
		if (!ct)
			return CLI_FAIL;
		t = ctable_new(ct);
		if (ctable_list(t)) {
			status = cli_error("%s", ctrace_errmsg(ct));
		} else {
			e = which_target(t, word, &status);
			line = e ? xasprintf("dump %u", e->c.cid) : NULL;
		}
		ctable_free(t);
		ctrace_close(ct);
	}
	if (!line)
		return status;
	answer = control_ask(line, DUMP_WAIT_MS, &err);
	free(line);
	return answer ? say(answer, "id") : no_watch(err);
}

static int status_of(const struct watch_opts *o)
{
	struct watch_state s;
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	watch_state_get(&s, "", o->conf);
	if (cli_json) {
		json_open(&j, NULL, '{');
		watch_state_json(&j, "watch", &s);
		json_close(&j, '}');
		json_line(&j);
	} else {
		sbuf_puts(&b, "the watch ");
		watch_state_words(&b, &s);
		sbuf_putc(&b, '\n');
		if (s.first) {
			sbuf_clean(&b, s.first);
			sbuf_putc(&b, '\n');
		}
	}
	fputs(b.s, stdout);
	sbuf_free(&b);
	watch_state_free(&s);
	return CLI_OK;
}

void watch_doctor(struct machine *m)
{
	struct watch_state s;
	struct sbuf b = { 0 };

	watch_state_get(&s, m->root, WATCH_CONF);
	if (s.configured && s.mistakes)
		found(m, DOCTOR_NOTE, "watch", xstrdup(s.first ? s.first : "its configuration has mistakes"),
		      xstrdup("ctrace watch --check"));
	if (!s.mistakes && (s.runs || s.dumps)) {
		watch_state_words(&b, &s);
		found(m, DOCTOR_OK, "watch", xstrdup(b.s), NULL);
		sbuf_free(&b);
	}
	watch_state_free(&s);
}

/* --- the words --------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	int least, most;	/* words behind it */
} words[] = {
	{ "status", 0, 0 }, { "list", 0, 0 }, { "show", 1, 1 }, { "rm", 1, 1000 }, { "export", 1, 1 },
	{ "dump", 1, 1 },
};

static int run_word(const struct watch_opts *o, char **argv, int n)
{
	struct nearest near = { .word = argv[0] };
	struct sbuf b = { 0 };
	size_t i = 0;
	int status;

	while (i < ARRAY_SIZE(words) && strcmp(argv[0], words[i].word))
		nearest_offer(&near, words[i++].word);
	sbuf_reset(&b);
	nearest_print(&near, &b);
	if (i == ARRAY_SIZE(words))
		status = cli_usage("unknown command 'watch %s'%s: use status, list, show, rm, export or dump",
				   argv[0], b.s);
	else if (n - 1 < words[i].least || n - 1 > words[i].most)
		status = cli_usage("watch %s %s", argv[0], !words[i].least ? "takes no words" :
				   *argv[0] == 'd' ? "needs one container, or all" :
				   "needs the id of a dump");
	else if (o->out && strcmp(argv[0], "export"))
		status = cli_usage("-o is for 'watch export'");
	else if (!strcmp(argv[0], "status"))
		status = status_of(o);
	else if (!strcmp(argv[0], "list"))
		status = list(o);
	else if (!strcmp(argv[0], "show"))
		status = show(o, argv[1]);
	else if (!strcmp(argv[0], "rm"))
		status = rm(o, argv + 1, n - 1);
	else if (!strcmp(argv[0], "export"))
		status = export(o, argv[1]);
	else
		status = dump(argv[1]);
	sbuf_free(&b);
	return status;
}

static int run_watch(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct watch_opts o = { .conf = WATCH_CONF };
	bool checks = false;
	int opt, status;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == OPT_CONFIG)
			o.conf = optarg;
		else if (opt == OPT_CHECK)
			checks = true;
		else if (opt == 'o')
			o.out = optarg;
		else if (opt != 'j')
			return cli_bad_option(opt, argv, &g);
	}
	if (checks && optind < argc)
		return cli_usage("--check takes no words");
	if (checks)
		return check(o.conf);
	if (optind == argc)
		return run_watch_itself(o.conf);
	o.dir = dumps_dir(o.conf);
	status = run_word(&o, argv + optind, argc - optind);
	free(o.dir);
	return status;
}

const struct command cmd_watch = {
	.name = "watch", .usage = usage, .options = { options },
	.words = { "status list show rm export dump", "@targets" }, .run = run_watch,
};
