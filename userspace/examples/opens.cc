// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A consumer in C++: prints the files that a container, or everything, opens, and how many records were lost.
 *	c++ opens.cc $(pkg-config --cflags --libs libctrace) -o opens
 *	./opens CID|all [COUNT]		(cids: ctrace ps)		ends after COUNT files
 */
#include <ctrace/libctrace.hpp>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

static std::string text(const ctrace_event_type &type, const ctrace_record *rec, const char *field)
{
	ctrace_value v[64];
	int n = ctrace_decode(&type, rec, v, 64);

	for (int i = 0; i < n; i++)
		if (v[i].field->kind == CTRACE_FK_STRING && !std::strcmp(v[i].field->name, field))
			return std::string(v[i].str.s, v[i].str.len);
	return std::string();
}

static void follow(const char *who, long count)
{
	libctrace::connection ct;
	libctrace::schema types(ct);
	libctrace::session session(ct);
	ctrace_target target = ctrace_target();
	ctrace_losses lost;

	target.sz = sizeof(target);
	target.kind = std::strcmp(who, "all") ? CTRACE_TARGET_CID : CTRACE_TARGET_ALL;
	target.cid = static_cast<uint32_t>(std::strtoul(who, nullptr, 10));
	session.add_probe("call:openat").add_target(&target);
	libctrace::reader reader(session);

	session.start();
	while (count > 0 && !reader.ended()) {
		const ctrace_record *rec = reader.next();
		const ctrace_event_type *type = rec ? types.by_id(rec->id) : nullptr;

		if (!rec)
			reader.poll(-1);
		else if (type && count--)
			std::cout << rec->cid << ' ' << text(*type, rec, "filename") << '\n';
	}
	session.stop();
	libctrace::check(ct.get(), ctrace_reader_losses(reader.get(), &lost, sizeof(lost)));
	std::cout << lost.seen << " records, " << lost.overrun << " overrun" << std::endl;
}

int main(int argc, char **argv)
{
	try {
		follow(argc > 1 ? argv[1] : "all", argc > 2 ? std::strtol(argv[2], nullptr, 10) : 100);
	} catch (const libctrace::error &e) {
		std::cerr << argv[0] << ": " << e.what() << '\n';
		return 1;
	}
}
