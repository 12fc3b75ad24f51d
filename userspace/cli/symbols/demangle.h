/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_DEMANGLE_H
#define CTRACE_DEMANGLE_H

#include "base/util.h"

/*
 * Appends a function's name as one writes it in C++ or Rust, without arguments: "std::vector<int>::push_back"
 * for "_ZNSt6vectorIiE9push_backERKi". False: it has no such form, and b is as it was.
 */
bool demangle(const char *name, struct sbuf *b);

#endif
