// SPDX-License-Identifier: GPL-2.0-only
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "names/names.h"
#include "names/record.h"

/* The container name of a pod's sandbox. */
#define SANDBOX		"POD"

static char *dup(const char *s)
{
	return s && *s ? xstrdup(s) : NULL;
}

void record_copy(struct name_record *to, const struct name_record *from)
{
	bool labels = from->labels && json_object_is_type(from->labels, json_type_object);
	uint32_t number;

	to->ns = dup(from->ns);
	to->pod = dup(from->pod);
	to->pod_uid = dup(from->pod_uid);
	to->container = dup(from->container);
	to->image = dup(from->image);
	to->restarts = from->restarts && !parse_u32(from->restarts, &number) ? dup(from->restarts) : NULL;
	to->labels = labels ? json_object_get(from->labels) : NULL;
}

void record_clear(struct name_record *r)
{
	free(r->ns);
	free(r->pod);
	free(r->pod_uid);
	free(r->container);
	free(r->image);
	free(r->restarts);
	json_object_put(r->labels);
	memset(r, 0, sizeof(*r));
}

char *record_name(const struct name_record *r, bool with_ns)
{
	const char *first = r->pod ? r->pod : r->container;
	const char *second = r->pod ? r->container : NULL;

	if (!first || (with_ns && !r->ns))
		return NULL;
	return xasprintf("%s%s%s%s%s", with_ns ? r->ns : "", with_ns ? "/" : "", first, second ? "/" : "",
			 second ? second : "");
}

void record_from_labels(struct name_record *r, struct json_object *labels)
{
	r->ns = (char *)names_str(labels, "io.kubernetes.pod.namespace");
	r->pod = (char *)names_str(labels, "io.kubernetes.pod.name");
	r->pod_uid = (char *)names_str(labels, "io.kubernetes.pod.uid");
	r->container = (char *)names_str(labels, "io.kubernetes.container.name");
	r->restarts = (char *)names_str(labels, "io.kubernetes.container.restartCount");
	if (r->container && !strcmp(r->container, SANDBOX))
		r->container = NULL;
}

bool record_from_k8s_name(struct name_record *r, char *name)
{
	char *word[6];
	size_t n = 0;

	/* none of the words has a '_' of its own */
	for (const char *p = name; *p; p++)
		n += *p == '_';
	if (n != ARRAY_SIZE(word) - 1 || strncmp(name, "k8s_", 4))
		return false;
	for (n = 0; n < ARRAY_SIZE(word); n++)
		word[n] = strsep(&name, "_");
	r->container = strcmp(word[1], SANDBOX) ? word[1] : NULL;
	r->pod = word[2];
	r->ns = word[3];
	r->pod_uid = word[4];
	r->restarts = word[5];
	return true;
}

void record_json(struct json *j, const struct name_record *r)
{
	uint32_t restarts;

	json_str(j, "image", r->image ? r->image : "");
	if (r->ns)
		json_str(j, "namespace", r->ns);
	if (r->pod)
		json_str(j, "pod", r->pod);
	if (r->pod_uid)
		json_str(j, "pod_uid", r->pod_uid);
	if (r->container)
		json_str(j, "container", r->container);
	if (r->restarts && !parse_u32(r->restarts, &restarts))
		json_uint(j, "restarts", restarts);
	if (!r->labels)
		return;
	json_open(j, "labels", '{');
	json_object_object_foreach(r->labels, key, v)
		if (json_object_is_type(v, json_type_string))
			json_str(j, key, json_object_get_string(v));
	json_close(j, '}');
}

void record_from_json(struct name_record *r, struct json_object *o)
{
	struct json_object *restarts = names_get(o, "restarts");

	*r = (struct name_record){
		.ns = (char *)names_str(o, "namespace"), .pod = (char *)names_str(o, "pod"),
		.pod_uid = (char *)names_str(o, "pod_uid"), .container = (char *)names_str(o, "container"),
		.image = (char *)names_str(o, "image"), .labels = names_get(o, "labels"),
		.restarts = restarts ? (char *)json_object_get_string(restarts) : NULL,
	};
}
