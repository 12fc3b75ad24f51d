/* SPDX-License-Identifier: GPL-2.0-only */
/* What gc.c needs of the real one, which needs a kernel's tasks. */
#include "identity/container.h"
#include "identity/look.h"
#define ctrace_rules rules
void ctrace_identity_forget_dying(void);
