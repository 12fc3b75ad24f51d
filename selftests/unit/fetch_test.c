// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobe definitions: the module's own parser and evaluation, on a machine made for this test. The
 * library's decoder reads back what they write, as a record's payload.
 */
#include "fetch_module.h"
#include "ktap.h"
#include <ctrace/libctrace.h>

static char why[CTRACE_WHY_MAX];

static struct ctrace_fetch *parsed(const char *text)
{
	struct ctrace_fetch *f = NULL;
	int err;

	why[0] = 0;
	err = ctrace_fetch_new(text, &f, why, sizeof(why));
	if (err)
		ktap_fail(__FILE__, __LINE__, "'%s': error %d: %s", text, err, why);
	return err ? NULL : f;
}

/* The definition is refused, with words like these. */
static void refused(const char *text, const char *words)
{
	struct ctrace_fetch *f = NULL;
	int err = ctrace_fetch_new(text, &f, why, sizeof(why));

	if (!err) {
		ktap_fail(__FILE__, __LINE__, "'%s' was taken", text);
		ctrace_free(f);
		return;
	}
	check(err == -EINVAL || err == -E2BIG);
	if (!strstr(why, words))
		ktap_fail(__FILE__, __LINE__, "'%s': '%s' does not say '%s'", text, why, words);
}

/* --- a hit --------------------------------------------------------------------- */

static union {
	struct ctrace_record head;
	char room[CTRACE_RECORD_MAX + 64];
} rec;
static struct ctrace_value vals[CTRACE_FETCH_ARGS];
static struct ctrace_field lib_fields[CTRACE_FETCH_ARGS];
static struct fake_regs regs;
static char comm[16] = "worker";
static bool task = true;

/* Evaluates f for the registers, and decodes the result. Returns the number of values. */
static int hit(const struct ctrace_fetch *f)
{
	struct ctrace_fetch_ctx x = { .regs = &regs, .sp = regs.sp, .stack_size = 512, .comm = comm,
				      .task = task };
	struct ctrace_event_type t = { .name = f->name, .nfields = f->nargs, .fields = lib_fields };
	u32 len, i;

	for (i = 0; i < f->nargs; i++)
		lib_fields[i] = (struct ctrace_field){ .name = f->fields[i].name,
			.kind = f->fields[i].kind, .display = f->fields[i].display, .size = f->fields[i].size };
	memset(&rec, 0xa5, sizeof(rec));
	len = ctrace_fetch_eval(f, &x, rec.room + sizeof(rec.head));
	check(len <= f->max);
	for (i = 0; i < len; i++)
		if (rec.room[sizeof(rec.head) + i] == (char)0xa5)
			return ktap_fail(__FILE__, __LINE__, "%s: byte %u is whatever was there", f->name, i);
	for (i = f->max; i < 2048 + 32 - sizeof(rec.head); i++)
		if (rec.room[sizeof(rec.head) + i] != (char)0xa5)
			return ktap_fail(__FILE__, __LINE__, "%s: wrote beyond %u bytes", f->name, f->max);
	rec.head.len = sizeof(rec.head) + ((len + 7) & ~7u);
	return ctrace_decode(&t, &rec.head, vals, CTRACE_FETCH_ARGS);
}

static u64 one(const char *arg)
{
	char text[256];
	struct ctrace_fetch *f;

	snprintf(text, sizeof(text), "p f v=%s", arg);
	f = parsed(text);
	if (!f)
		return 0xdead;
	check_eq(hit(f), 1);
	ctrace_free(f);
	return vals[0].u;
}

static const char *one_string(const char *arg)
{
	static char s[300];
	char text[256];
	struct ctrace_fetch *f;

	snprintf(text, sizeof(text), "p f v=%s", arg);
	f = parsed(text);
	if (!f)
		return "?";
	check_eq(hit(f), 1);
	ctrace_free(f);
	snprintf(s, sizeof(s), "%.*s", (int)vals[0].str.len, vals[0].str.s);
	return s;
}

static void poke(u32 at, u64 v, u32 size)
{
	memcpy(fake_memory + at, &v, size);
}

static void machine(void)
{
	memset(fake_memory, 0, sizeof(fake_memory));
	memset(fake_user_memory, 0, sizeof(fake_user_memory));
	regs = (struct fake_regs){ .a = 0xfedcba9876543210, .b = FAKE_BASE, .c = FAKE_USER,
				   .sp = FAKE_BASE + 256, .ret = (u64)-2 };
	poke(0, 0x8877665544332211, 8);
	poke(8, FAKE_BASE + 64, 8);
	poke(16, FAKE_USER, 8);
	poke(64, FAKE_BASE + 128, 8);
	poke(72, 0xf1f2f3f4, 4);
	strcpy((char *)fake_memory + 128, "kernel text");
	strcpy((char *)fake_user_memory, "user text");
	memcpy(fake_user_memory + 16, &regs.b, sizeof(regs.b));
	poke(256, 0x1111, 8);
	poke(264, 0x2222, 8);
	poke(272, 0x3333, 8);
	poke(512, 0x4444, 8);
}

/* --- cases ----------------------------------------------------------------------- */

static void places(void)
{
	static const struct {
		const char *text, *system, *name, *symbol;
		u64 offset;
		u32 maxactive;
		bool ret;
	} t[] = {
		{ "p do_exit", "kprobes", "p_do_exit_0", "do_exit", 0, 0, false },
		{ "p do_exit+0x10", "kprobes", "p_do_exit_16", "do_exit", 16, 0, false },
		{ "p:x  do_exit+010", "kprobes", "x", "do_exit", 8, 0, false },
		{ "p:g/x\tdo_exit", "g", "x", "do_exit", 0, 0, false },
		{ "p:g/ do_exit", "g", "p_do_exit_0", "do_exit", 0, 0, false },
		{ "p ext4:ext4_read.part.0", "kprobes", "p_ext4_ext4_read_part_0_0",
		  "ext4:ext4_read.part.0", 0, 0, false },
		{ "r do_exit", "kprobes", "r_do_exit_0", "do_exit", 0, 0, true },
		{ "r20:y do_exit", "kprobes", "y", "do_exit", 0, 20, true },
		{ "p:z do_exit%return", "kprobes", "z", "do_exit", 0, 0, true },
		{ "kprobe:do_exit", "kprobes", "kprobe:do_exit", "do_exit", 0, 0, false },
		{ "kretprobe:do_exit", "kprobes", "kretprobe:do_exit", "do_exit", 0, 0, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct ctrace_fetch *f = parsed(t[i].text);

		if (!f)
			continue;
		check_str(f->system, t[i].system);
		check_str(f->name, t[i].name);
		check_str(f->symbol, t[i].symbol);
		check_eq(f->offset, t[i].offset);
		check_eq(f->maxactive, t[i].maxactive);
		check_eq(f->ret, t[i].ret);
		check_eq(f->nargs, 0);
		check_eq(f->kaddr, false);
		ctrace_free(f);
	}
}

static void numbers(void)
{
	machine();
	check_eq(one("%a"), 0xfedcba9876543210);
	check_eq(one("%a:u8"), 0x10);
	check_eq(one("%a:x16"), 0x3210);
	check_eq(one("%a:u32"), 0x76543210);
	check_eq(one("%a:s64"), 0xfedcba9876543210);
	check_eq(one("\\-1:s16"), -1);
	check_eq(one("\\0x7f:u8"), 0x7f);
	check_eq(one("%b"), FAKE_BASE);
	check_eq(one("+0(%b)"), 0x8877665544332211);
	check_eq(one("+1(%b):u8"), 0x22);
	check_eq(one("+7(%b):s8"), (s8)0x88);
	check_eq(one("+6(%b):s16"), (s16)0x8877);
	check_eq(one("+72(%b):s32"), (s32)0xf1f2f3f4);
	check_eq(one("-256(%sp):x64"), 0x8877665544332211);
	check_eq(one("@0xffff888000001000:u16"), 0x2211);
	check_eq(one("+64(@0xffff888000001008):u8"), 'k');
}

static void nested(void)
{
	machine();
	check_eq(one("+8(+8(%b)):u32"), 0xf1f2f3f4);
	check_eq(one("+0(+0(+8(%b))):u8"), 'k');
	check_eq(one("+u0(%c):u8"), 'u');
	check_eq(one("+0(%c):u8"), 0);
	check_eq(one("+u0(+16(%b)):u8"), 'u');
	check_eq(one("+8(+u16(%c))"), FAKE_BASE + 64);
	check_eq(one("+8(+16(%c))"), 0);
	/* memory that is not there gives 0, at any depth */
	check_eq(one("+0(\\0)"), 0);
	check_eq(one("+0(+0(+0(%b)))"), 0);
	check_eq(one("+0(+u0(%b))"), 0);
	check_eq(one("+0(+0(+0(+0(+0(+0(+0(+0(%b))))))))"), 0);
}

static void variables(void)
{
	struct ctrace_fetch *f;

	machine();
	check_eq(one("$stack"), FAKE_BASE + 256);
	check_eq(one("$stack0"), 0x1111);
	check_eq(one("$stack2:u16"), 0x3333);
	check_eq(one("$stack32"), 0);	/* the next stack */
	check_eq(one("$arg1"), 0xfedcba9876543210);
	check_eq(one("$arg2"), FAKE_BASE);
	check_eq(one("$arg3"), 0x2222);	/* the first one on the stack */
	check_eq(one("$arg4"), 0x3333);
	check_str(one_string("$comm"), "worker");
	check_str(one_string("$comm:string"), "worker");
	memset(comm, 'x', sizeof(comm));	/* renamed under us: no NUL */
	check_str(one_string("$comm"), "xxxxxxxxxxxxxxx");
	strcpy(comm, "worker");
	f = parsed("r f $retval:s32");
	if (!f)
		return;
	check_eq(hit(f), 1);
	check_eq(vals[0].i, -2);
	ctrace_free(f);
}

static void strings(void)
{
	machine();
	check_str(one_string("+128(%b):string"), "kernel text");
	check_str(one_string("+0(+0(+8(%b))):string"), "kernel text");
	check_str(one_string("+0(%c):ustring"), "user text");
	check_str(one_string("+u0(%c):string"), "user text");
	check_str(one_string("+0(+16(%b)):ustring"), "user text");
	check_str(one_string("+0(%c):string"), "(fault)");
	check_str(one_string("+0(\\0):ustring"), "(fault)");
	check_str(one_string("+0(+0(%b)):string"), "(fault)");
	task = false;	/* a hit in an interrupt, when user memory belongs to no task */
	check_str(one_string("+0(%c):ustring"), "(fault)");
	check_str(one_string("+128(%b):string"), "kernel text");
	task = true;
	/* up to the last byte of memory */
	strcpy((char *)fake_memory + FAKE_SIZE - 4, "end");
	check_str(one_string("+1020(%b):string"), "end");
	check_str(one_string("+1021(%b):string"), "nd");
	/* Too long: the string is cut. If memory ends before the string does: a fault. */
	memset(fake_memory + 600, 'y', 400);
	check_eq(strlen(one_string("+600(%b):string")), CTRACE_STR_MAX - 1);
	memset(fake_memory + 600, 'y', FAKE_SIZE - 600);
	check_str(one_string("+1000(%b):string"), "(fault)");
}

static void bitfields(void)
{
	machine();
	regs.a = 0xb5;	/* 10110101 */
	check_eq(one("%a:b4@0/8"), 5);
	check_eq(one("%a:b4@4/8"), 11);
	check_eq(one("%a:b1@7/32"), 1);
	check_eq(one("%a:b64@0/64"), 0xb5);
	check_eq(one("+0(%b):b12@4/16"), 0x221);
}

static void arrays(void)
{
	struct ctrace_fetch *f = parsed("p f +0(%b):x8[3] +0(%b):s16[4] c=$comm +0(%b):u64[2] +1020(%b):x32[3]");

	machine();
	poke(1020, 0x99887766, 4);
	if (!f)
		return;
	check_eq(hit(f), 5);
	check_eq(f->fields[0].kind, CTRACE_FK_SEQ);
	check_eq(f->fields[0].display, CTRACE_FD_HEX);
	check_eq(f->fields[1].kind, CTRACE_FK_SEQ_INT);
	check_eq(f->fields[3].kind, CTRACE_FK_SEQ);
	check_eq(f->fields[3].display, CTRACE_FD_DEFAULT);
	check_eq(vals[0].seq.n, 3);
	check_eq(ctrace_value_at(&vals[0], 2), 0x33);
	check_eq(vals[1].seq.n, 4);
	check_eq((int64_t)ctrace_value_at(&vals[1], 3), (s16)0x8877);
	check_eq(vals[3].seq.n, 2);
	check_eq(ctrace_value_at(&vals[3], 0), 0x8877665544332211);
	check_eq(ctrace_value_at(&vals[3], 1), FAKE_BASE + 64);
	check_eq(ctrace_value_at(&vals[4], 0), 0x99887766);
	check_eq(ctrace_value_at(&vals[4], 1), 0);	/* beyond the last element */
	ctrace_free(f);
}

/* Every kind of field behind strings of every length: no field stays in its place. */
static void layout(void)
{
	struct ctrace_fetch *f = parsed("p f $comm a=%a:u8 b=%b:u64 +0(%b):u8[5] $comm c=%a:u16 $comm "
					"d=+0(%b):u64[2] $comm e=%a:u32 +0(%b):u16[1]");
	char full[] = "0123456789abcde";
	u32 longest = 0;

	machine();
	if (!f)
		return;
	check_str(f->args[0].name, "arg1");
	check_str(f->args[3].name, "arg4");
	for (u32 i = 0; i < 16; i++) {
		strcpy(comm, full + i);
		check_eq(hit(f), 11);
		check_eq(vals[0].str.len, 15 - i);
		check_eq(vals[1].u, 0x10);
		check_eq(vals[2].u, FAKE_BASE);
		check_eq(ctrace_value_at(&vals[3], 4), 0x55);
		check_eq(vals[5].u, 0x3210);
		check_eq(ctrace_value_at(&vals[7], 1), FAKE_BASE + 64);
		check_eq(vals[9].u, 0x76543210);
		check_eq(ctrace_value_at(&vals[10], 0), 0x2211);
		longest = rec.head.len > longest ? rec.head.len : longest;
	}
	check_eq(longest, sizeof(rec.head) + ((f->max + 7) & ~7u));
	strcpy(comm, "worker");
	ctrace_free(f);
}

static void kernel_addresses(void)
{
	static const struct { const char *text; bool kaddr; } t[] = {
		{ "p f", false }, { "p f $comm", false }, { "p f \\1", false }, { "p f %a", true },
		{ "p f $comm %a:u8", true }, { "p f +0(%a):ustring", true }, { "p f $stack", true },
		{ "p f @0x10", true }, { "r f $retval", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct ctrace_fetch *f = parsed(t[i].text);

		if (f)
			check_eq(f->kaddr, t[i].kaddr);
		ctrace_free(f);
	}
}

static void errors(void)
{
	char text[1024] = "p f";

	refused("", "begins with p");
	refused("q f", "begins with p");
	refused("p", "'p': the name of a kernel function must follow");
	refused("p:x", "'p:x': the name of a kernel function must follow");
	refused("px f", "'px'");
	refused("p: f", "not a valid event name: use at most 127");
	refused("p:9 f", "'9' is not a valid event name");
	refused("p:a-b f", "'a-b' is not a valid event name");
	refused("p:a/b/c f", "'b/c' is not a valid event name");
	refused("p:/b f", "'' is not a valid group name: use at most 31");
	refused("r0 f", "1 to 4096");
	refused("r4097 f", "1 to 4096");
	refused("r99999999999999999999 f", "1 to 4096");
	refused("p 0xffffffff81000000", "not the name");
	refused("p f-1", "'f-1'");
	refused("p f+", "not an offset");
	refused("p f+0xg", "not an offset");
	refused("p f%entry", "not '%entry'");
	refused("p f+4%return", "no offset");
	refused("r f+4", "no offset");
	refused("kprobe:", "'kprobe:': the name of a kernel function must follow");
	refused("kprobe:f g", "not the name");
	refused("kprobe:f%return", "kretprobe:FUNCTION, not with '%return'");
	refused("p f %rdi", "unknown register '%rdi'");
	refused("p f %", "unknown register '%'");
	refused("p f $foo", "unknown variable '$foo'");
	refused("p f $arg0", "$arg0");
	refused("p f $arg17", "$arg17");
	refused("p f $argx", "$argx");
	refused("p f+4 $arg1", "only at a function's entry");
	refused("r f $arg1", "only at a function's entry");
	refused("p f $retval", "only at a function's return");
	refused("p f $stack4097", "$stack4097");
	refused("p f +0(%a", "')' is missing");
	refused("p f +0 %a", "'(' must follow");
	refused("p f +(%a)", "a number up to 0x7fffffff is expected before '(%a)'");
	refused("p f +0(%a))", "not ')'");
	refused("p f +0x80000000(%a)", "a number up to 0x7fffffff");
	refused("p f +0(+0(+0(+0(+0(+0(+0(+0(+0(%a)))))))))", "more than 8");
	refused("p f @jiffies", "@jiffies");
	refused("p f \\\"text\"", "takes a number");
	refused("p f +0($comm)", "not an address");
	refused("p f $comm:u32", "$comm is a string");
	refused("p f $comm:string[2]", "$comm is a string");
	refused("p f %a:u7", "unknown type 'u7'");
	refused("p f %a:", "unknown type ''");
	refused("p f %a:u128", "unknown type");
	refused("p f %a:b9@0/8", "unknown type");
	refused("p f %a:b4@5/8", "unknown type");
	refused("p f %a:b0@0/8", "unknown type");
	refused("p f %a:string", "+0(...):string");
	refused("p f %a:ustring", "+0(...):ustring");
	refused("p f %a:u8[4]", "in memory");
	refused("p f +0(%a):u8[0]", "1 to 64");
	refused("p f +0(%a):u8[65]", "1 to 64");
	refused("p f +0(%a):u8[4", "1 to 64");
	refused("p f +0(%a):string[2]", "array cannot hold strings");
	refused("p f =%a", "'' is not a valid argument name");
	refused("p f 1a=%a", "'1a' is not a valid argument name");
	refused("p f a\351=%a", "not a valid argument name");
	refused("p f a=%a a=%b", "taken by argument 'a'");
	refused("p f arg2=%a %b", "taken by argument 'arg2'");
	refused("p f a=+0(%b):u8[2] a_length=%b", "already taken");
	refused("p f a_length=%b a=+0(%b):u8[2]", "already");
	refused("p f this_is_a_name_of_thirty_two_chars=%a", "at most 31");
	for (int i = 0; i < 33; i++)
		strcat(text, " %a");
	refused(text, "more than 32");
	*text = 'f';
	refused(text, "more than 30");
	refused("f f+8 %a", "span takes no offset");
	refused("f f%return", "leave '%return' out");
	refused("func:f%return", "leave '%return' out");
	refused("f f a=$retval", "field 'ret'");
	refused("f f ret=%a", "has a field 'ret'");
	refused("f5000 f", "from 1 to 4096");
	strcpy(text, "p f");
	for (int i = 0; i < 8; i++)
		strcat(text, " +0(%a):string");
	refused(text, "2048 bytes");
}

static const struct ktap_case cases[] = {
	{ "places", places }, { "numbers", numbers }, { "nested", nested },
	{ "variables", variables }, { "strings", strings }, { "bitfields", bitfields },
	{ "arrays", arrays }, { "layout", layout }, { "kernel_addresses", kernel_addresses },
	{ "errors", errors },
};
KTAP_MAIN(cases)
