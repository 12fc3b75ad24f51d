/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace: members of the group ctrace may trace. */
#ifndef CTRACE_GROUP_H
#define CTRACE_GROUP_H

/* Returns if the caller may trace, or cannot be helped; else becomes the copy of this command that may. */
void group_exec(char **argv);
/*
 * If the message says that the caller may not trace, appends what to type. Takes the message, and returns it
 * or another one, which the caller frees.
 */
char *group_next_step(char *message);

#endif
