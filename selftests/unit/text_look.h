/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a text that a program has written. */
#ifndef CTRACE_TEXT_LOOK_H
#define CTRACE_TEXT_LOOK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Each element that is opened is closed, in turn; those that have no end are not. */
static inline bool is_balanced(const char *s)
{
	static const char *const alone[] = { "meta", "img", "path", "!DOCTYPE" };
	char open[64][16], name[16];
	size_t n = 0;

	for (s = strchr(s, '<'); s; s = strchr(s + 1, '<')) {
		bool ends = s[1] == '/', is_alone = false;
		const char *from = s + 1 + ends;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(from, " >/\n"), from);
		for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
			is_alone |= !strcmp(name, alone[i]);
		if (is_alone)
			continue;
		if (!ends && n == sizeof(open) / sizeof(*open))
			return false;
		if (!ends)
			strcpy(open[n++], name);
		else if (!n || strcmp(open[--n], name))
			return false;
	}
	return n == 0;
}

/* How often word is in text. */
static inline unsigned int times(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

#endif
