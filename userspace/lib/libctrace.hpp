/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libctrace for C++11: handles that close themselves and can be moved, and errors as exceptions. All
 * else is libctrace.h: structs are the C ones, and get() gives a handle's C object.
 *
 *	libctrace::connection ct;	libctrace::session s(ct);
 *	s.add_probe("syscalls").add_target();
 *	libctrace::reader r(s);
 *	for (s.start(); !r.ended(); )
 *		if (const ctrace_record *rec = r.next())
 *			...			// good until the next call on r
 *		else
 *			r.poll(-1);
 *
 * A connection must live longer than its sessions, as it does if it is declared before them.
 */
#ifndef LIBCTRACE_HPP
#define LIBCTRACE_HPP

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <ctrace/libctrace.h>

namespace libctrace {

/* what() is the library's sentence, code the negative errno. */
struct error : std::runtime_error {
	error(int err, const char *text) : std::runtime_error(text), code(err) {}
	int code;
};

inline int check(const struct ctrace *ct, int got)
{
	return got < 0 ? throw error(got, ctrace_errmsg(ct)) : got;
}

template <typename T, void (*close)(T *)> class handle {
	struct closer { void operator()(T *t) const { close(t); } };
protected:
	std::unique_ptr<T, closer> h;
public:
	T *get() const { return h.get(); }
};

class connection : public handle<struct ctrace, ctrace_close> {
public:
	connection()
	{
		struct ctrace *ct = nullptr;
		int err = ctrace_open(&ct);
		h.reset(ct);	/* on errors, too: it has the sentence */
		check(ct, err);
	}
};

class schema : public handle<ctrace_schema, ctrace_schema_free> {
public:
	explicit schema(const connection &c)
	{
		ctrace_schema *s;
		check(c.get(), ctrace_schema_get(c.get(), &s));
		h.reset(s);
	}
	const ctrace_event_type *by_id(uint32_t id) const { return ctrace_schema_by_id(get(), id); }
};

class session : public handle<ctrace_session, ctrace_session_free> {
	struct ctrace *ct;
public:
	explicit session(const connection &c, const ctrace_session_opts *o = nullptr) : ct(c.get())
	{
		ctrace_session *s;
		check(ct, ctrace_session_new(ct, o, &s));
		h.reset(s);
	}
	session &add_probe(const char *name, const ctrace_probe_opts *o = nullptr)
	{
		return check(ct, ctrace_probe_add(get(), name, o, nullptr, nullptr)), *this;
	}
	session &add_target(const ctrace_target *t = nullptr)
	{
		return check(ct, ctrace_target_add(get(), t, nullptr)), *this;
	}
	void start() { check(ct, ctrace_session_start(get())); }
	void stop() { check(ct, ctrace_session_stop(get())); }
};

class reader : public handle<ctrace_reader, ctrace_reader_close> {
	bool end = false;
	int look(int got)
	{
		end = got == -ENODATA;
		return got < 0 && !end ? throw error(got, ctrace_reader_errmsg(get())) : got;
	}
public:
	explicit reader(ctrace_session *s, const ctrace_reader_opts *o = nullptr)
	{
		ctrace_reader *r = nullptr;
		int err = ctrace_reader_open(s, o, &r);
		h.reset(r);
		look(err);
	}
	explicit reader(const session &s) : reader(s.get()) {}
	explicit reader(const ctrace_reader_opts &o) : reader(nullptr, &o) {}
	bool ended() const { return end; }	/* and every record was read */
	const ctrace_record *next()		/* nullptr: none for now, or ended() */
	{
		const ctrace_record *rec = nullptr;
		return look(ctrace_reader_next(get(), &rec)) == 1 ? rec : nullptr;
	}
	bool poll(int timeout_ms)		/* false: the time is over, a signal came, or ended() */
	{
		int got = ctrace_reader_poll(get(), timeout_ms);
		return got != -EINTR && look(got) == 1;
	}
};

}
#endif /* LIBCTRACE_HPP */
