/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A copy of a text that the kernel may replace and free at any moment: of a v1 cgroup's name, which a tenant
 * may change in a loop. Needs ctrace_compat_read_kernel() (compat/kprobe.h), which may be refused the memory,
 * and CTRACE_COMPAT_CGROUP_NAME (compat/cgroup.h).
 */
#ifndef CTRACE_COMPAT_COPY_NAME_H
#define CTRACE_COMPAT_COPY_NAME_H

/*
 * How many bytes from the n-th on lie in the same word of memory, but before the end-th: a word never crosses
 * a page.
 */
static inline size_t ctrace_compat_word_part(const char *text, size_t n, size_t end)
{
	return min_t(size_t, sizeof(long) - ((unsigned long)text + n) % sizeof(long), end - n);
}

/* false: the memory is gone. */
static inline bool ctrace_compat_copy_text(char *buf, const char *text)
{
	const size_t end = CTRACE_COMPAT_CGROUP_NAME - 1;
	size_t n = 0, part;

	for (; n < end; n += part) {
		part = ctrace_compat_word_part(text, n, end);
		if (ctrace_compat_read_kernel(buf + n, (unsigned long)text + n, part))
			return false;
		if (memchr(buf + n, 0, part))
			return true;
	}
	buf[n] = 0;
	return true;
}

/* Is the text at that address still the same as in buf? */
static inline bool ctrace_compat_same_text(const char *buf, const char *text)
{
	size_t end = strlen(buf), n, part;
	char word[sizeof(long)];

	for (n = 0; n < end; n += part) {
		part = ctrace_compat_word_part(text, n, end);
		if (ctrace_compat_read_kernel(word, (unsigned long)text + n, part) || memcmp(word, buf + n, part))
			return false;
	}
	return true;
}

/*
 * Copies the name that *where points to, or returns "?": the old one or the new one, never bytes that have
 * been freed.
 *
 * The kernel stores the new name's address before it frees the old name. So if the address is the same before
 * and after the copy, what was copied was the name all the time - or it had gone, and since then another name
 * has come to the same address, which takes two renames in the middle of the copy. Then the present name is
 * not what was copied. For freed bytes to pass for a name, two more renames have to come in the middle of the
 * comparison, with the same freed bytes.
 */
static inline const char *ctrace_compat_copy_name(const char *const *where, char *buf)
{
	const char *name = READ_ONCE(*where);
	bool same;

	if (!name)
		return "";
	same = ctrace_compat_copy_text(buf, name);
	/* the bytes before the address: partner is the kernel's rename, which frees after it has stored */
	smp_rmb();
	same = same && READ_ONCE(*where) == name && ctrace_compat_same_text(buf, name);
	smp_rmb();	/* as above */
	return same && READ_ONCE(*where) == name ? buf : "?";
}

#endif
