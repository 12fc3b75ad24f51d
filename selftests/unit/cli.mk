# SPDX-License-Identifier: GPL-2.0-only
# Parts of the command that tests here are linked with: userspace/cli/NAME.c
sinks := sink sink_text sink_json sink_folded fields_text syscall_args errno_names json sbuf util ctable \
	names names_manager names_runtime stacks symbols symbols_table symbols_user comms
probes := probes probe_item probe_names classes tracepoints errors sbuf util
names_test_cli := names names_manager names_runtime sbuf util ctable json
text_test_cli := $(sinks)
stack_test_cli := $(sinks) ctf_symbols
report_test_cli := $(sinks) sink_ctf ctf_dir ctf_read ctf_symbols side errors
ctf_killed_test_cli := $(sinks) sink_ctf ctf_dir ctf_read ctf_symbols side errors
probes_test_cli := $(probes)
options_test_cli := $(probes) run_opts
