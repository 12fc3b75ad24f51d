// SPDX-License-Identifier: GPL-2.0-only
/* Views of one event share this: the conditions of the event, and the columns that order the rows. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "count/view.h"

int view_one_event(struct run_opts *o, const char *event, const char *failed)
{
	struct probes_opts *p = &o->probes;
	struct sbuf b = { 0 };

	if (p->nevents)
		return cli_usage("this view shows %s alone: 'ctrace agg -e EVENTS' counts others", event);
	if (p->failed && !failed)
		return cli_usage("--failed means nothing here: leave it out");
	sbuf_puts(&b, event);
	if (p->longer)
		sbuf_printf(&b, " if duration >= %llu", (unsigned long long)p->longer);
	if (p->failed)
		sbuf_printf(&b, "%s%s", p->longer ? " && " : " if ", failed);
	p->longer = 0;
	p->failed = false;
	p->events = xcalloc(1, sizeof(char *));
	p->events[0] = b.s;
	p->nevents = 1;
	return CLI_OK;
}

int view_sort_is(const struct view *v)
{
	const char *word = v->sort ? v->sort + (*v->sort == '-') : NULL, *columns = "";

	for (const struct cli_option *o = v->kind->options; !v->rows_alone && !v->kind->sorts && o &&
	     (o->name || o->help); o++)
		if (o->name && o->val == OPT_SORT)
			columns = o->values;
	if (!*columns)
		return CLI_OK;
	for (const char *p = columns; word && *p;) {
		size_t n = strcspn(p, " ");

		if (strlen(word) == n && !strncasecmp(p, word, n))
			return CLI_OK;
		p += n + (p[n] == ' ');
	}
	return word ? cli_usage("no column '%s' to sort by: there are %s", word, columns) : CLI_OK;
}

const char *view_sort_column(const struct view *v, const char *first, bool *turned)
{
	*turned = v->sort && *v->sort == '-';
	return v->sort ? v->sort + *turned : first;
}
