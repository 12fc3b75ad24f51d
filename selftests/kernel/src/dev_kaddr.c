// SPDX-License-Identifier: GPL-2.0-only
/*
 * A view of one container may be given to any user. So a session whose records hold kernel addresses gives
 * no views, and a session cannot start to record such addresses while a view of it is open. A session
 * also gives no view that shows both sides of events between two containers.
 */
#include "dev.h"

int main(void)
{
	struct genl_sizes neighbours = { .flags = CTRACE_SESSION_F_NEIGHBOURS };
	int s, before, after, whole, err;

	ksft_print_header();
	ksft_set_plan(9);

	dev_session_make(NULL, "sched_switch");
	before = dev_open(0);
	dev_expect(0, dev_bind(before, dev_session, CTRACE_CID_HOST, NULL), "a view without addresses");
	err = genl_probe_add(&dev_genl, dev_session, "raw:sched_switch");
	ksft_test_result(err < 0 && strstr(dev_genl.text, "kernel addresses"),
			 "no raw probe beside it (%d: %s)\n", err, dev_genl.text);
	err = genl_probe_add(&dev_genl, dev_session, "sched_wakeup");
	ksft_test_result(err > 0, "a curated one still (%d)\n", err);

	s = genl_session_new(&dev_genl, NULL);
	err = genl_probe_add(&dev_genl, s, "raw:sched_switch");
	ksft_test_result(err > 0, "a raw probe in another session (%d: %s)\n", err, dev_genl.text);
	after = dev_open(0);
	dev_expect(-EACCES, dev_bind(after, s, CTRACE_CID_HOST, NULL), "no view of it");
	whole = dev_open(0);
	dev_expect(0, dev_bind(whole, s, CTRACE_CID_ALL, NULL), "but the whole session, if one may trace");

	s = genl_session_new(&dev_genl, &neighbours);
	err = genl_probe_add(&dev_genl, s, "raw:sched_switch");
	ksft_test_result(s > 0 && err > 0, "a session that shows neighbours, and addresses (%d, %d: %s)\n", s, err, dev_genl.text);
	after = dev_open(0);
	dev_expect(-EACCES, dev_bind(after, s, CTRACE_CID_HOST, NULL), "no view of it");
	whole = dev_open(0);
	dev_expect(0, dev_bind(whole, s, CTRACE_CID_ALL, NULL), "but the whole session");
	ksft_finished();
}
