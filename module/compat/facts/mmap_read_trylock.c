// SPDX-License-Identifier: GPL-2.0-only
/* since 5.8; before, mmap_sem */
#include <linux/mm.h>
int ctrace_fact(struct mm_struct *mm);
int ctrace_fact(struct mm_struct *mm)
{
	if (!mmap_read_trylock(mm))
		return 0;
	mmap_read_unlock(mm);
	return 1;
}
