# SPDX-License-Identifier: GPL-2.0-only
# The parts of the command (userspace/cli/ROOM/NAME.c) that tests here are linked with.
sinks := show/sink show/sink_text show/sink_json show/sink_folded show/fields_text show/paint \
	show/syscall_args show/errno_names base/json base/sbuf base/util names/ctable names/names \
	names/names_manager names/names_runtime symbols/stacks symbols/symbols symbols/symbols_table \
	symbols/symbols_user show/comms
probes := events/probes events/probe_item events/probe_names events/classes events/tracepoints \
	base/errors base/sbuf base/util
names_test_cli := names/names names/names_manager names/names_runtime base/sbuf base/util \
	names/ctable base/json
text_test_cli := $(sinks)
stack_test_cli := $(sinks) ctf/ctf_symbols
report_test_cli := $(sinks) ctf/sink_ctf ctf/ctf_read ctf/ctf_symbols ctf/side \
	base/errors
ctf_killed_test_cli := $(sinks) ctf/sink_ctf ctf/ctf_read ctf/ctf_symbols ctf/side \
	base/errors
probes_test_cli := $(probes)
options_test_cli := $(probes) run/run_opts
module_test_cli := base/module base/sbuf base/util
