// SPDX-License-Identifier: GPL-2.0-only
/* Which containers the words of a command line mean: names with and without a namespace, pods, namespaces. */
#include <stdlib.h>
#include "base/cli.h"
#include "ktap.h"
#include "names/pods.h"
#include "names_fixture.h"
#include "run/which.h"
#include "show/ps_columns.h"

bool cli_json;
static char *said;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	free(said);
	if (vasprintf(&said, fmt, ap) < 0)
		abort();
	return status;
}

/* Two pods cart-1, and the pod of ann's store, which is called kube. */
static struct ctable *table(void)
{
	struct ctable *t = fixture_table();

	put(t, 1, '4', "/kubepods/pod1/sandbox");
	put(t, 2, '3', "/kubepods/pod1/app");
	put(t, 3, 'j', "/kubepods/pod2/app");
	put(t, 4, 'a', "/system.slice/libpod-web.scope");
	put(t, 5, '1', "/user.slice/user-1000.slice/user@1000.service/x.scope");
	return t;
}

/* what: the numbers of the containers, or what is said */
static void means(struct ctable *t, const char *word, bool ns, int status, const char *what)
{
	struct which w = { 0 };
	struct sbuf b = { 0 };

	check_eq(which_pod(t, word, ns, &w), status);
	sbuf_reset(&b);
	for (uint32_t cid = 0; cid < 100; cid++)
		for (size_t i = 0; i < w.n; i++)
			if (w.v[i]->c.cid == cid)
				sbuf_printf(&b, "%s%u", b.len ? " " : "", cid);
	if (status == CLI_OK)
		check_str(b.s, what);
	else if (!check(strstr(said, what)))
		check_str(said, what);
	free(w.v);
	sbuf_free(&b);
}

static void pods(void)
{
	struct ctable *t = table();

	means(t, "prod/cart-1", false, CLI_OK, "1 2");
	means(t, "test/cart-1", false, CLI_OK, "3");
	means(t, "cart-1", false, CLI_FAIL, "'cart-1' is the name of several pods: ");
	check(strstr(said, "prod/cart-1 (the system's, with cid:") && strstr(said, "test/cart-1 (the system's, with cid:3)"));
	check(strstr(said, ": write pod:NAMESPACE/NAME"));
	means(t, "cart", false, CLI_FAIL, "no container is in pod 'cart'");
	means(t, "prod/cart-", false, CLI_FAIL, "no container is in pod");
	means(t, "pro/cart-1", false, CLI_FAIL, "no container is in pod");
	means(t, "/cart-1", false, CLI_FAIL, "no container is in pod");
	means(t, "", false, CLI_USAGE, "needs a name");
	means(t, "/", false, CLI_USAGE, "needs a name");
	/* podman's web is in no pod */
	means(t, "web", false, CLI_FAIL, "no container is in pod");
	/* podman's without an infra container has no name, but an id */
	put(t, 6, 't', "/machine.slice/libpod-t.scope");
	means(t, "920aed8d6adfcc6f855d2ccd1bc5d6b34e485fd09d86195d5aacd67b94ef6f49", false, CLI_OK, "6");
	means(t, "920aed8d6adf", false, CLI_OK, "6");
	means(t, "920aed8d6ad", false, CLI_FAIL, "no container is in pod");
	means(t, "920aed8d6ade", false, CLI_FAIL, "no container is in pod");
	means(t, "kube", false, CLI_OK, "5");
	means(t, "/kube", false, CLI_OK, "5");
	ctable_free(t);
}

static void namespaces(void)
{
	struct ctable *t = table();

	means(t, "prod", true, CLI_OK, "1 2");
	means(t, "test", true, CLI_OK, "3");
	means(t, "pro", true, CLI_FAIL, "no container is in namespace 'pro'");
	means(t, "", true, CLI_USAGE, "'ns:' needs a name");
	/* a dead one is not meant */
	ctable_get(t, 2)->c.flags |= CTRACE_CONTAINER_F_DEAD;
	means(t, "prod", true, CLI_OK, "1");
	ctable_free(t);
}

/* Another owner's pod with the same name as the system's does not count; of two others', none is taken. */
static void owners(void)
{
	struct ctable *t = table();

	for (uint32_t cid = 1; cid <= 5; cid++)
		ctable_get(t, cid);
	ctable_get(t, 2)->owner = NAME_OF_USER;
	ctable_get(t, 2)->whose = 1000;
	means(t, "prod/cart-1", false, CLI_OK, "1");
	means(t, "prod", true, CLI_OK, "1");
	check(pod_compare(ctable_get(t, 1), ctable_get(t, 2)));
	ctable_get(t, 1)->owner = NAME_OF_CONTAINER;
	ctable_get(t, 1)->whose = 9;
	means(t, "prod/cart-1", false, CLI_FAIL, "user 1000's, with cid:2");
	check(strstr(said, "prod/cart-1 (in container 9, with cid:1)") && strstr(said, "by their numbers, as cid:"));
	means(t, "prod", true, CLI_FAIL, "'prod' is a namespace of several: ");
	ctable_get(t, 1)->owner = NAME_OF_USER;
	means(t, "prod/cart-1", false, CLI_FAIL, "user 9's, with cid:1");
	ctable_free(t);
}

static void by_name(void)
{
	struct ctable *t = table();
	struct centry *e;
	int status = -1;

	e = which_container(t, "prod/cart-1/app", &status);
	check_eq(e ? e->c.cid : 0, 2);
	e = which_container(t, "test/cart-1/app", &status);
	check_eq(e ? e->c.cid : 0, 3);
	check(!which_container(t, "cart-1/app", &status));
	check(strstr(said, "prod/cart-1/app, ") && strstr(said, "test/cart-1/app, "));
	/* the sandbox has the name of its pod, and is alone with it */
	e = which_container(t, "cart-1", &status);
	check_eq(e ? e->c.cid : 0, 1);
	e = which_container(t, "prod/cart-1", &status);
	check_eq(e ? e->c.cid : 0, 1);
	ctable_free(t);
}

static void columns(void)
{
	struct ps_columns c;
	struct table t;

	check_eq(ps_columns_parse(&c, PS_COLUMNS_DEFAULT), CLI_OK);
	check_eq(c.n, 8);
	check_eq(ps_columns_parse(&c, PS_COLUMNS_WIDE), CLI_OK);
	check_eq(ps_columns_parse(&c, "Name,POD_UID"), CLI_OK);
	check_eq(c.n, 2);
	ps_columns_init_table(&c, &t);
	check_str(t.text.s, "NAMEPOD_UID");
	table_free(&t);
	check_eq(ps_columns_parse(&c, "name,size"), CLI_USAGE);
	check(strstr(said, "no column 'size': there are cid, name,") && strstr(said, ", cgroup"));
	check_eq(ps_columns_parse(&c, ""), CLI_USAGE);
	check_eq(ps_columns_parse(&c, "name,"), CLI_USAGE);
	check_eq(ps_columns_parse(&c, "nam"), CLI_USAGE);
	check_eq(ps_columns_parse(&c, "cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid,cid"),
		 CLI_USAGE);
	check(strstr(said, "more than 20 columns"));
}

static const struct ktap_case cases[] = {
	{ "pods by their names", pods },
	{ "namespaces", namespaces },
	{ "pods of one name and several owners", owners },
	{ "containers by names with a namespace", by_name },
	{ "columns to choose", columns },
};

int main(void)
{
	int failed;

	said = xstrdup("");
	failed = ktap_run(cases, sizeof(cases) / sizeof(cases[0]));

	free(said);
	return failed;
}
