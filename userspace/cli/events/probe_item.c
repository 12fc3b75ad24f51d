// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "events/probes.h"
#include "base/util.h"

bool probe_is_definition(const char *text)
{
	size_t n;

	if (!*text || !strchr("prf", *text))
		return false;
	n = 1 + strspn(text + 1, "0123456789");
	return text[n] == ':' || (n == 1 && text[n] == ' ');
}

static char *trimmed(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return xstrndup(s, n);
}

/* Finds the word "if" with space around it. Quotes need no care: there are none before the first "if". */
static const char *find_if(const char *s)
{
	for (const char *p = s; (p = strstr(p, "if")); p += 2)
		if ((p == s || isspace((unsigned char)p[-1])) &&
		    (isspace((unsigned char)p[2]) || !p[2] || p[2] == '('))
			return p;
	return NULL;
}

static struct probe_item *add(struct probe_items *items, char *text)
{
	struct probe_item *i;

	items->v = xrealloc(items->v, (items->n + 1) * sizeof(items->v[0]));
	i = &items->v[items->n++];
	*i = (struct probe_item){ .text = text };
	return i;
}

static void add_word(struct probe_items *items, const char *word)
{
	bool not = *word == '!';

	add(items, xstrdup(word + not))->not = not;
}

/* As bpftrace and perf write it. */
static bool in_program(const char *word)
{
	return !strncmp(word, "uprobe:", 7) || !strncmp(word, "uretprobe:", 10) ||
	       !strncmp(word, "usdt:", 5) || !strncmp(word, "sdt_", 4);
}

/* Finds "=>" that is in no string of a condition. */
static const char *find_arrow(const char *s)
{
	bool quoted = false;

	for (; *s; s++) {
		if (*s == '\\' && quoted && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && s[0] == '=' && s[1] == '>')
			return s;
	}
	return NULL;
}

/* Only "freeze" may follow "=>" here. Other commands count. */
static int parse_action(const char *value, const char *arrow, bool *freeze)
{
	char *action = trimmed(arrow + 2, strlen(arrow + 2));
	bool known = !strcmp(action, "freeze"), with = strstr(action, "freeze");

	*freeze = known;
	free(action);
	if (known)
		return CLI_OK;
	if (with)
		return cli_usage("-e '%s': events that are counted are not recorded, so they cannot freeze: write "
				 "'=> freeze' alone, and count in another -e of 'ctrace agg'", value);
	return cli_usage("-e '%s': only 'freeze' can follow '=>' here; 'ctrace agg' counts", value);
}

static int parse_text(struct probe_items *items, const char *value, bool freeze)
{
	const char *cond;
	size_t before = items->n;
	char *list, *save = NULL;

	value += strspn(value, " \t\n");
	cond = find_if(value);
	list = trimmed(value, cond ? (size_t)(cond - value) : strlen(value));
	if (probe_is_definition(list)) {
		add(items, list)->definition = true;
	} else {
		/* accept strace's -e trace=LIST */
		bool strace = !strncmp(list, "trace=", 6);
		const char *const gap = ", \t\n";

		for (char *w = strtok_r(list + 6 * strace, gap, &save); w; w = strtok_r(NULL, gap, &save)) {
			add_word(items, w);
			/* the C library's open() makes this call */
			if (strace && !strcmp(w, "open"))
				add_word(items, "openat");
		}
		free(list);
	}
	if (items->n == before)
		return cond ? cli_usage("'if' needs an event before it in -e '%s'", value) :
			      cli_usage("-e needs an event: 'ctrace events' lists them");
	for (size_t i = before; i < items->n; i++)
		if (!*items->v[i].text)
			return cli_usage("'!' needs an event after it in -e '%s'", value);
	for (size_t i = before; i < items->n; i++)
		if (in_program(items->v[i].text))
			return cli_usage("'%s' is inside a program: ctrace traces the kernel's own functions (func:, kprobe:), "
					 "its tracepoints and system calls", items->v[i].text);
	if ((cond || freeze) && items->v[items->n - 1].not)
		return cli_usage("'!%s' takes no %s, as it leaves the event out", items->v[items->n - 1].text,
				 cond ? "condition" : "'=> freeze'");
	items->v[items->n - 1].freeze = freeze;
	if (!cond)
		return CLI_OK;
	items->v[items->n - 1].filter = trimmed(cond + 2, strlen(cond + 2));
	if (!*items->v[items->n - 1].filter)
		return cli_usage("'if' needs a condition after it in -e '%s'", value);
	return CLI_OK;
}

int probe_items_parse(struct probe_items *items, const char *value)
{
	const char *arrow = find_arrow(value);
	bool freeze = false;
	int status = arrow ? parse_action(value, arrow, &freeze) : CLI_OK;
	char *text;

	if (status != CLI_OK)
		return status;
	text = xstrndup(value, arrow ? (size_t)(arrow - value) : strlen(value));
	status = parse_text(items, text, freeze);
	free(text);
	return status;
}

void probe_items_free(struct probe_items *items)
{
	for (size_t i = 0; i < items->n; i++) {
		free(items->v[i].text);
		free(items->v[i].filter);
	}
	free(items->v);
	memset(items, 0, sizeof(*items));
}
