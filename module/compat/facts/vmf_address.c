// SPDX-License-Identifier: GPL-2.0-only
/* since 4.10; before, virtual_address, a pointer */
#include <linux/mm.h>
unsigned long ctrace_fact(struct vm_fault *vmf);
unsigned long ctrace_fact(struct vm_fault *vmf) { return vmf->address; }
