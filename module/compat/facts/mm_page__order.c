// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <trace/events/kmem.h>
static void ctrace_fact_alloc(void *d, struct page *page, unsigned int order, gfp_t gfp, int migratetype) { }
static void ctrace_fact_page_free(void *d, struct page *page, unsigned int order) { }
void ctrace_fact(void) { check_trace_callback_type_mm_page_alloc(ctrace_fact_alloc); check_trace_callback_type_mm_page_free(ctrace_fact_page_free); }
