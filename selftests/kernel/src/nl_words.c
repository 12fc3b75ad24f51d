// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_words [SECONDS]: threads make mistakes as fast as they can, short ones and long ones, some as user
 * nobody. Each thread must get its own mistake in the answer. (The kernel keeps a pointer to a refusal's text
 * until
 * it sends it, and warns if the text has grown since it was measured.)
 */
#include "dev.h"
#include "box.h"
#include <pthread.h>

#define THREADS 12

static volatile bool over;

static unsigned long told, wrong;

static int named(struct genl *g, const char *name)
{
	static __thread struct msg m;
	uint32_t at;

	msg_new(&m, g->family, CTRACE_CMD_EVENT_DEL, 0);
	at = msg_nest(&m, CTRACE_A_EVENT);
	msg_str(&m, CTRACE_A_EVENT_NAME, name);
	msg_nest_end(&m, at);
	return genl_call(g, &m, NULL, NULL);
}

static void *mistaken(void *arg)
{
	unsigned long nr = (unsigned long)arg, n, bad = 0;
	char name[64], want[80];
	struct genl g;

	if (genl_open(&g))
		return NULL;
	if (nr % 3 == 2 && syscall(SYS_setresuid, 65534, 65534, 65534))
		return NULL;
	for (n = 0; !over; n++) {
		if (nr % 3 == 2) {
			/* a thread with credentials of its own: nobody, who is refused before the mistake
			 * is found */
			named(&g, "x");
			snprintf(want, sizeof(want), "CAP_SYS_ADMIN");
		} else if (nr % 3) {
			snprintf(want, sizeof(want), "session %lu", 1000000 * (nr + 1) + n);
			genl_session_do(&g, CTRACE_CMD_SESSION_DEL, 1000000 * (nr + 1) + n, -1);
		} else {
			snprintf(name, sizeof(name), "%.*s%lu-%lu", (int)(n % 40), "a-name-that-is-longer-than-the-others-are", nr, n);
			snprintf(want, sizeof(want), "'%s'", name);
			named(&g, name);
		}
		if (!strstr(g.text, want) && !bad++)
			ksft_print_msg("expected ...%s..., seen \"%s\"\n", want, g.text);
	}
	__sync_fetch_and_add(&told, n);
	__sync_fetch_and_add(&wrong, bad);
	close(g.fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	struct genl g;
	int err;

	ksft_print_header();
	ksft_set_plan(2);
	err = genl_open(&g);
	if (err)
		ksft_exit_fail_msg("no family: %s\n", strerror(-err));
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, mistaken, (void *)i);
	sleep(argc > 1 ? atoi(argv[1]) : 2);
	over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	ksft_test_result(told && !wrong, "%lu mistakes of %d threads: %lu were told of another\n", told, THREADS, wrong);
	err = genl_session_new(&g, NULL);
	ksft_test_result(err > 0, "and the module still answers (%d)\n", err);
	ksft_finished();
}
