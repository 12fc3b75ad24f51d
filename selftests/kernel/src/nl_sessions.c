// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_sessions: prints what the module says of its sessions and probes, one a line:
 *
 *	session ID state STATE owner PID slots USED/ALL events N full N nested N missed N name NAME
 *	probe ID session ID NAME
 */
#include <stdio.h>
#include <ctrace/libctrace.h>

static int session(const struct ctrace_session_info *i, void *arg)
{
	(void)arg;
	printf("session %u state %u owner %u slots %u/%u events %llu full %llu nested %llu missed %llu name %s\n",
	       i->id, i->state, i->owner, i->slots_used, i->slots, (unsigned long long)i->events,
	       (unsigned long long)i->lost_full, (unsigned long long)i->lost_nested,
	       (unsigned long long)i->lost_missed, i->name);
	return 0;
}

static int probe(const struct ctrace_probe_info *i, void *arg)
{
	(void)arg;
	printf("probe %u session %u %s\n", i->id, i->session, i->name);
	return 0;
}

int main(void)
{
	struct ctrace *ct;

	if (ctrace_open(&ct) || ctrace_session_each(ct, session, NULL) < 0 ||
	    ctrace_probe_each(ct, 0, probe, NULL) < 0) {
		fprintf(stderr, "nl_sessions: %s\n", ctrace_errmsg(ct));
		return 1;
	}
	ctrace_close(ct);
	return 0;
}
