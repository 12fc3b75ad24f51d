// SPDX-License-Identifier: GPL-2.0-only
/* since 5.11; before, struct kretprobe_instance.rp */
#include <linux/kprobes.h>
struct kretprobe *ctrace_fact(struct kretprobe_instance *ri);
struct kretprobe *ctrace_fact(struct kretprobe_instance *ri) { return get_kretprobe(ri); }
