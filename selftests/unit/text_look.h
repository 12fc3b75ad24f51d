/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a text that a program has written. */
#ifndef CTRACE_TEXT_LOOK_H
#define CTRACE_TEXT_LOOK_H

#include <string.h>

/* How often word is in text. */
static inline unsigned int times(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

#endif
