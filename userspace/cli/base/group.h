/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace: members of the group ctrace may trace. */
#ifndef CTRACE_GROUP_H
#define CTRACE_GROUP_H

/* Returns if the caller may trace, or cannot be helped; else becomes the copy of this command that may. */
void group_exec(char **argv);

#endif
