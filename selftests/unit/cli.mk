# SPDX-License-Identifier: GPL-2.0-only
# The parts of the command (userspace/cli/ROOM/NAME.c) that tests here are linked with.
sinks := base/output base/json_read show/sink show/sink_text show/sink_json show/sink_folded show/waited strace/fields_text strace/paint \
	strace/io_uring_names strace/syscall_args strace/clone_text strace/call_memory strace/found strace/inner_call strace/late strace/memory strace/memory_kinds strace/memory_objects strace/memory_sockaddr strace/number_text \
	strace/constants strace/errno_names strace/pairs base/json base/sbuf base/far base/foreign base/util base/wall names/ctable names/ctable_json names/ctable_parts names/cgroupfs \
	names/labels names/names names/names_index names/names_manager names/names_docker names/names_runtime \
	names/names_machines \
	names/names_given names/names_logs names/names_inside names/names_far names/patterns names/record names/trust \
	symbols/demangle symbols/perf_map symbols/stacks symbols/symbols symbols/symbols_debug symbols/symbols_elf symbols/symbols_far \
	symbols/symbols_files symbols/symbols_find symbols/symbols_table symbols/symbols_tasks symbols/symbols_user \
	symbols/unwind symbols/unwind_table symbols/xz show/comms
probes := events/probes events/probe_item events/probe_names events/io_uring_ops events/classes events/functions events/tracepoints \
	strace/io_uring_names base/errors base/sbuf base/util
names_test_cli := names/names names/names_index names/names_manager names/names_docker names/names_runtime \
	names/names_machines names/names_given names/names_logs names/names_inside names/names_far names/patterns names/record names/trust \
	names/labels names/cgroupfs names/ctable names/ctable_json names/ctable_parts base/sbuf base/far base/foreign base/util base/json
given_test_cli := $(names_test_cli)
theirs_test_cli := $(names_test_cli)
which_test_cli := $(names_test_cli) names/pods names/processes names/units names/cgroup_files run/which show/ps_columns \
	base/errors base/table
ps_test_cli := $(filter-out names/cgroupfs,$(names_test_cli)) base/output names/pods names/processes names/cgroup_files show/ps_columns \
	run/births run/which run/word base/errors base/options base/table cmd_ps
text_test_cli := $(sinks)
sockets := names/whose net/peers net/sock_diag net/sockets net/sockets_file
sockets_test_cli := $(sinks) $(sockets)
lines_test_cli := $(sinks) $(sockets) show/sink_lines show/lines_fields show/lines_forms show/lines_tcp show/file_ops names/cgroup_files
stack_test_cli := $(sinks) ctf/ctf_symbols
maps_test_cli := $(stack_test_cli)
debug_files_test_cli := $(stack_test_cli)
bombs_test_cli := $(stack_test_cli)
perf_map_test_cli := $(sinks)
late_files_test_cli := $(sinks)
# it contains these two
far_test_cli := $(filter-out base/far symbols/symbols_far,$(sinks))
unwind_test_cli := $(stack_test_cli)
comms_test_cli := $(sinks)
disks_test_cli := names/disks base/sbuf base/util
io_limits_test_cli := names/io_limits base/sbuf base/util
demangle_test_cli := symbols/demangle base/sbuf base/util
report_test_cli := $(sinks) ctf/sink_ctf ctf/ctf_disks ctf/ctf_read ctf/ctf_symbols ctf/side \
	base/errors
gaps_test_cli := ctf/ctf_read base/sbuf base/util
ctf_killed_test_cli := $(sinks) ctf/sink_ctf ctf/ctf_read ctf/ctf_symbols ctf/side \
	base/errors
probes_test_cli := $(probes)
options_test_cli := $(probes) run/run_opts base/options
module_test_cli := base/module base/sbuf base/util
follow_test_cli := run/follow run/target run/which run/word names/units names/pods $(names_test_cli) base/errors
constants_test_cli := $(sinks)
memory_test_cli := $(sinks)
memory32_test_cli := $(sinks)
memory_sink_test_cli := $(sinks)
# all of a view but its run
views := $(sinks) count/rows count/io_uring count/one_event count/sums count/show count/show_json count/bars count/plan $(probes) run/follow run/target run/which \
	run/word names/units names/pods base/table
hist_test_cli := $(sort $(views)) count/heat
view_test_cli := $(sort $(views))
recorded_test_cli := $(sort $(views) count/input count/input_ways count/spans count/tally count/call_pairs run/recording run/window run/asked run/blind run/run_opts base/options ctf/sink_ctf ctf/ctf_read \
	ctf/ctf_symbols ctf/side $(addprefix lang/,agg agg_parse expr expr_lex expr_parse expr_term fields))
export_test_cli := $(sort $(sinks) $(probes) run/recording run/window run/asked run/blind run/run_opts base/options run/target run/follow run/which run/word names/units \
	names/pods base/table base/proto ctf/sink_ctf ctf/ctf_read ctf/ctf_symbols ctf/side flame/flame flame/flame_svg count/bars \
	$(patsubst $(top)/userspace/cli/%.c,%,$(wildcard $(top)/userspace/cli/export/*.c)))
escapes_test_cli := $(export_test_cli)
side_test_cli := $(export_test_cli)
full_test_cli := $(export_test_cli)
large_test_cli := $(export_test_cli)
page_test_cli := $(export_test_cli)
verdict_test_cli := $(sinks) count/verdict count/threads count/descriptors $(sockets)
watch_test_cli := $(sort $(export_test_cli) base/json_read watch/config watch/account watch/store)
flame_test_cli := flame/flame flame/flame_svg flame/flame_files base/proto base/json base/sbuf base/util
core_test_cli := $(sinks) vmcore/find vmcore/facts vmcore/rings vmcore/last
# it contains base/habits
habits_test_cli := base/options base/sbuf base/util
doctor_test_cli := doctor/doctor doctor/kernel doctor/build doctor/module doctor/host base/module base/cli base/group base/habits base/options base/output base/errors base/json base/sbuf base/util \
	cmd_doctor
# the commands themselves; the test contains what stands for top's screen
waits_test_cli := $(filter-out main first complete top/screen top/keys top/no_screen $(no_image),$(patsubst $(top)/userspace/cli/%.c,%,$(wildcard $(top)/userspace/cli/*.c $(top)/userspace/cli/*/*.c))) \
	strace/constants $(addprefix lang/,agg agg_parse expr expr_lex expr_parse expr_term fields)
window_test_cli := $(waits_test_cli)
