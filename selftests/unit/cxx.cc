// SPDX-License-Identifier: GPL-2.0-only
/* libctrace.hpp: it compiles as C++11; its handles move and do not copy; errors are exceptions with sentences. */
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>
#include <ctrace/libctrace.hpp>

template <typename T> static constexpr bool moves()
{
	return std::is_nothrow_move_constructible<T>::value && std::is_move_assignable<T>::value &&
	       !std::is_copy_constructible<T>::value && !std::is_copy_assignable<T>::value;
}

static_assert(moves<libctrace::connection>() && moves<libctrace::schema>() && moves<libctrace::session>() &&
	      moves<libctrace::reader>(), "handles move, and do not copy");

static int failed;

static void ok(int n, bool holds, const char *what)
{
	std::printf("%sok %d %s\n", holds ? "" : "not ", n, what);
	failed |= !holds;
}

/* Not called: there is no module here. */
void use();
void use()
{
	libctrace::connection ct;
	libctrace::schema types(ct);
	libctrace::session s(ct);
	libctrace::reader r(s);
	ctrace_target t = ctrace_target();

	t.sz = sizeof(t);
	t.kind = CTRACE_TARGET_CID;
	s.add_probe("syscalls").add_target(&t).add_target();
	for (s.start(); !r.ended(); ) {
		if (const ctrace_record *rec = r.next())
			types.by_id(rec->id);
		else
			r.poll(-1);
	}
	s.stop();
}

int main()
{
	ctrace_reader_opts o = ctrace_reader_opts();

	std::printf("KTAP version 1\n1..2\n");
	o.sz = sizeof(o);
	o.flags = CTRACE_READER_FD;
	o.fd = -1;
	try {
		libctrace::reader r(o);
		ok(1, false, "a reader of no descriptor");
	} catch (const libctrace::error &e) {
		ok(1, e.code == -EBADF && std::strlen(e.what()), "a reader of no descriptor");
	}
	try {
		libctrace::connection ct, other(std::move(ct));
		ok(2, !ct.get() && other.get(), "a connection moves");
	} catch (const libctrace::error &e) {
		ok(2, e.code < 0 && std::strlen(e.what()), "without the module, a sentence");
	}
	return failed;
}
