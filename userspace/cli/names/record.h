/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about a container besides its name. */
#ifndef CTRACE_RECORD_H
#define CTRACE_RECORD_H

#include "base/json.h"

struct json_object;

/* NULL: not known. Words are raw, as their author wrote them. */
struct name_record {
	char *ns;		/* the pod's namespace; podman's pods have none */
	char *pod, *pod_uid;
	char *container;	/* its name in the pod; NULL for the pod's sandbox, too */
	char *image;
	char *restarts;		/* how often it was restarted, a number */
	struct json_object *labels;	/* an object of strings */
};

/*
 * Copies with a reference to the labels. Drops restarts that are not a number, and labels that are not an
 * object.
 */
void record_copy(struct name_record *to, const struct name_record *from);
void record_clear(struct name_record *r);
/*
 * The name that a record gives: POD/CONTAINER, POD, or CONTAINER. with_ns: with NAMESPACE/ before it. NULL:
 * none.
 */
char *record_name(const struct name_record *r, bool with_ns);
/* Fills r from Kubernetes's labels: io.kubernetes.pod.name and others. The labels own the words. */
void record_from_labels(struct name_record *r, struct json_object *labels);
/*
 * Fills r from k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT, the name that the kubelet gives docker's containers.
 * Cuts name up, and r points into it. false: it is not such a name, and is unchanged.
 */
bool record_from_k8s_name(struct name_record *r, char *name);
void record_json(struct json *j, const struct name_record *r);
/* Fills r from an object that record_json() wrote. o owns the words. */
void record_from_json(struct name_record *r, struct json_object *o);

#endif
