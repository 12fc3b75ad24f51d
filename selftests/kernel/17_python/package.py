# SPDX-License-Identifier: GPL-2.0-only
"""package.py FUNCTION CID DIRECTORY TIMES [TEST...]: the parts of package.sh that are in Python, or these; it prints KTAP.

FUNCTION: the kernel's for open(2). CID: 0, or that of a container with the name pybox, which makes calls getpriority(, 79) in fives.
"""
import errno
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import traceback

import ctrace

# a shell's background processes ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)
MARK = 0x4d41524b  # counted's first argument, which getpriority() refuses
FUNCTION, CID, TMP, TIMES, CHOSEN = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5:]
ME = "pid:%d" % os.getpid()
count = 0


def ok(what, good, seen=""):
    global count
    count += 1
    print("%sok %d - %s%s" % ("" if good else "not ", count, what, "" if good else ": seen %r" % (seen,)), flush=True)


def same(what, wanted, seen):
    ok("%s: %r" % (what, wanted), wanted == seen, seen)


def refused(what, number, words, fn, *args, **more):
    try:
        fn(*args, **more)
    except ctrace.Error as e:
        ok("%s: %s" % (what, e), e.errno == number and words in str(e), (e.errno, str(e)))
    else:
        ok(what, False, "no refusal")


def calls(n):
    for _ in range(n):
        os.getpriority(os.PRIO_PROCESS, 0)


def as_nobody(fn):
    """The status of a child without privileges: 0 if fn returned True."""
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            status = 0 if fn() else 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_containers():
    same("a container by its name", CID, ctrace.container("pybox").cid)
    same("and its runtime", "podman", ctrace.container(CID).runtime)
    ok("the list has it", ("pybox", CID) in [(c.name, c.cid) for c in ctrace.containers()])
    ok("the list has the host if asked", [c.cid for c in ctrace.containers(host=True)][0] == ctrace.HOST)
    with ctrace.Connection() as c:
        ok("the kernel's own list has it", CID in [k.cid for k in c.containers()])
        same("the module's version is the library's", ctrace.version(), c.info()["version"])
        ok("types of events", c.event_type("sched_switch").fields[:2] == ("prev_comm", "prev_tid"))
        ok("tracepoints", "sched_switch" in c.tracepoints(), c.tracepoints()[:5])
        fd = c.watch()
        subprocess.run(["unshare", "--pid", "--fork", "true"], check=True)
        seen, end = [], time.monotonic() + 20
        while {born for _, born in seen} != {True, False} and time.monotonic() < end:
            select.select([fd], [], [], 1)
            seen += c.births()
        same("births and deaths", {True, False}, {born for _, born in seen})
    refused("a closed connection", errno.ESHUTDOWN, "closed", c.info)
    refused("no container of that name", errno.ENOENT, "pybx", ctrace.Session, "pybx", "calls")
    refused("no container of that glob", errno.ENOENT, "pyb*z", ctrace.Session, "pyb*z", "calls")
    refused("the command's own targets", errno.EINVAL, "ctrace.containers()", ctrace.Session, "image:nginx", "calls")


def test_iteration():
    with ctrace.Session("pyb*", "syscall:getpriority") as s:
        taken = []
        for event in s:
            taken.append(event)
            if len(taken) == 40:
                break
    same("one container's events alone", {CID}, {e.cid for e in taken})
    ok("in order of time", [e.time for e in taken] == sorted(e.time for e in taken))
    entry = next(e for e in taken if "who" in e)
    same("a field", 79, entry["who"])
    same("all fields", {"which": MARK, "who": 79}, entry.fields)
    same("its names", ("syscall_entry_getpriority", "getpriority"), (entry.name, entry.syscall))
    same("no such field", (None, 5, False), (entry.get("x"), entry.get("x", 5), "x" in entry))
    ok("a thread has two numbers", 0 < entry.vtid < 100000 and entry.tid != 0, entry)
    try:
        entry["x"]
        ok("KeyError", False)
    except KeyError:
        ok("KeyError", True)
    ok("the account after the end", s.losses().seen >= 40 and s.losses().lost == 0, s.losses())
    refused("a closed session", errno.ESHUTDOWN, "closed", s.start)
    refused("and its reader", errno.ESHUTDOWN, "closed", s.read)


def test_exactly():
    with ctrace.Session(ME, "call:getpriority") as s:
        calls(1000)
        s.stop()
        events = list(s)
        same("each call is an event", 1000, len(events))
        same("and the account says so", (1000, 0), (s.losses().seen, s.losses().lost))
        same("an event outlives its session", 1000, sum(e["duration"] >= 0 and e["ret"] >= 0 for e in events))
    with ctrace.Session(ME, "call:getpriority", ring_size=8192, subbuf_size=4096, buffer_size=1 << 20) as s:
        calls(5000)
        s.stop()
        seen = sum(1 for _ in s)
        lost = s.losses()
        ok("a small ring loses", 0 < seen < 5000, seen)
        same("and knows exactly how much", (seen, 5000 - seen), (lost.seen, lost.overrun))
    with ctrace.Session(ME, "call:getpriority", ring_size=8192, subbuf_size=4096, buffer_size=1 << 20, stop_when_full=True) as s:
        calls(5000)
        s.stop()
        seen = sum(1 for _ in s)
        same("a ring that stops when it is full", (seen, 5000 - seen), (s.losses().seen, s.losses().full))
    with ctrace.Session(ME, filter='$comm == "nobody"') as s:
        s.add_probe("call:getpriority")
        calls(10)
        s.stop()
        same("a filter for all", 0, len(list(s)))
    with ctrace.Session([ME, "all"] + (["not:%d" % CID] if CID else []), [("call:getpriority", "which == 1")]) as s:
        probe = s.add_probe("call:getpgid")
        calls(10)
        os.getpriority(os.PRIO_PGRP, 0)
        s.remove_probe(probe)
        os.getpgid(0)
        s.stop()
        mine = [e for e in s if e.tid == os.getpid()]
        same("a probe's filter, and a probe that was removed", [1], [e["which"] for e in mine])


def test_freeze():
    def freezes(frozen, prober):
        probe = prober.add_probe("sched_process_exec", freeze=True if prober is frozen else frozen)
        end = time.monotonic() + 20
        while not frozen.frozen() and time.monotonic() < end:
            time.sleep(.05)
        prober.remove_probe(probe)
        return frozen.frozen()

    with ctrace.Session("pybox", "syscall:getpriority", neighbours=True, freeze_time=60) as s:
        seen = freezes(s, s)
        kinds = [s.connection.schema.by_id(f.event_id).name for f in seen]
        same("an event freezes its container's rings", ([CID], ["sched_process_exec"]), ([f.cid for f in seen], kinds))
        ok("for a bounded time", 0 < seen[0].left_ms <= 60000, seen)
        end = time.monotonic() + 20
        while not s.losses().frozen and time.monotonic() < end:
            s.read()
            time.sleep(.05)
        ok("what comes later is counted", s.losses().frozen > 0, s.losses())
        s.thaw(CID)
        same("thawed", [], s.frozen())
        refused("which it is once", errno.ENOENT, "frozen", s.thaw, CID)
        with ctrace.Session("pybox", connection=s.connection) as other:
            same("a probe of another session freezes it", [CID], [f.cid for f in freezes(s, other)])
            same("and not its own", [], other.frozen())
        s.thaw()
        same("all are thawed", [], s.frozen())


def test_callbacks():
    seen = []
    s = ctrace.Session("pybox", ["syscall:getpriority", "sched_process_exec"])
    s.on("getpriority", lambda e: seen.append(e.name))

    @s.on("sched_process_ex*")
    def started(event):
        seen.append(ctrace.arguments(event["argv"])[0])
        if len(seen) > 30:
            s.stop()

    with s:
        lost = s.run(20)
    ok("callbacks by call, and by a glob; stop() in one ends it",
       {"syscall_entry_getpriority", "syscall_exit_getpriority", "counted", "cat"} <= set(seen), seen)
    ok("run() tells the account", lost.seen >= len(seen), lost)


def test_waiting():
    with ctrace.Session(ME, "call:getpgid") as s:
        began = time.monotonic()
        same("nothing came", [], s.read(timeout=.1) + list(s.events(.1)))
        ok("it waited that long", .2 <= time.monotonic() - began < 20)
        os.getpgid(0)
        same("read() waits for the first", 1, len(s.read(timeout=10)))
        os.getpgid(0)
        ok("its descriptor tells", select.select([s.reader], [], [], 10)[0])
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            for _ in s:
                pass
            ok("Ctrl-C", False)
        except KeyboardInterrupt:
            ok("Ctrl-C ends an iteration", True)
        waiter = threading.Thread(target=lambda: [None for _ in s])
        waiter.start()
        time.sleep(.1)
        refused("two threads in one reader", errno.EBUSY, "another thread", s.read)
        s.stop()
        waiter.join(20)
        ok("stop() in another thread ends it", not waiter.is_alive())
        s.start()
        os.getpgid(0)
        same("it can be started again", 1, len(s.read(timeout=10)))


def test_tables():
    with ctrace.Session(ME, table_size=8 << 20) as s:
        table = s.aggregate("calls", "count(), min(ret), hist(duration) by syscall, errno, comm", rows=64)
        same("its columns", (("syscall", "errno", "comm"), ("count()", "min(ret)", "hist(duration)")),
             (table.keys, table.values))
        calls(500)
        for _ in range(3):
            try:
                os.getpriority(os.PRIO_PROCESS, 4000000)
            except OSError:
                pass
        found = {(r["syscall"], r["errno"]): r for r in table.gain()}
        good, bad = found["getpriority", 0], found["getpriority", errno.ESRCH]
        same("counts by call and error", (500, 3), (good["count()"], bad["count()"]))
        same("an extreme", -errno.ESRCH, bad["min(ret)"])
        same("text in a key", "python3", good["comm"])
        same("a histogram has all", 500, good["hist(duration)"].count)
        h = good["hist(duration)"]
        ok("its numbers are in order", 0 < h.min <= h.percentile(.5) <= h.percentile(.99) <= h.max, h)
        same("its buckets add up", 500, sum(n for _, n in h.buckets()))
        calls(7)
        same("a gain is what came since", 7, {r["syscall"]: r["count()"] for r in table.gain()}["getpriority"])
        whole = table.table()
        same("the whole is the whole", 507, {(r["syscall"], r["errno"]): r for r in whole}["getpriority", 0]["count()"])
        same("nothing was lost", (0, 0), (whole.lost, s.losses().lost))
        refused("a wrong aggregate", errno.EINVAL, "cuont", s.aggregate, "sched_switch", "cuont()")
        refused("no room", errno.ENOSPC, "", s.aggregate, "sched_switch", "hist(prev_prio)", rows=1 << 17)
    same("a table outlives its session", 507, {(r["syscall"], r["errno"]): r for r in table.table()}["getpriority", 0]["count()"])


def test_kprobes():
    with ctrace.Session(ME) as s:
        s.add_probe("p:pyopen %s dfd=%%di:s32 name=+0(%%si):ustring" % FUNCTION)
        os.close(os.open("/etc/passwd", os.O_RDONLY))
        s.stop()
        events = [e for e in s if e.name == "pyopen"]
        ok("a kprobe's arguments", events and "/etc/passwd" in [e["name"] for e in events], events)
    with ctrace.Connection() as c:
        name = c.define("p:pydefined %s" % FUNCTION)
        with ctrace.Session(ME, name, connection=c) as s:
            s.add_probe("sched_switch", stack=True)
            os.close(os.open("/etc/passwd", os.O_RDONLY))
            time.sleep(.01)
            s.stop()
            events = list(s)
            ok("a definition by its name", "pydefined" in {e.name for e in events}, events)
            stacks = [e for e in events if e.name == "kernel_stack"]
            ok("stacks are numbers", stacks and all(isinstance(a, int) for e in stacks for a in e["callstack"]), events)
        ok("a session leaves the connection open that it was given", c.info()["abi"] > 0)
        c.undefine(name)
    refused("no such function", errno.ENOENT, "no_such_function", ctrace.Session, ME, "kprobe:no_such_function")
    refused("a wrong filter", errno.EINVAL, "nope", ctrace.Session, ME, [("sched_switch", "nope == 1")])


def test_stack_copy():
    registers, sp = (33, 31) if os.uname().machine == "aarch64" else (17, 7)
    with ctrace.Session(ME) as s:
        s.add_probe("call:getpriority", user_copy=1000)
        s.add_probe("syscall:getpgid")
        calls(1)
        os.getpgid(0)
        s.stop()
        events = list(s)
        same("a copy of the stack, and only where it is asked for",
             ["syscall_getpriority", "user_memory", "user_registers", "syscall_entry_getpgid", "syscall_exit_getpgid"],
             [e.name for e in events])
        call, *pieces, last = events[:3]
        same("of that event", {call.id}, {e["event"] for e in pieces + [last]})
        with open("/proc/self/maps") as maps:
            low, high = (int(a, 16) for a in next(m.split()[0] for m in maps if m.endswith("[stack]\n")).split("-"))
        top = last["registers"][sp]
        ok("registers, the stack pointer too", len(last["registers"]) == registers and last["known"] >> sp & 1
           and low <= top < high, last)
        # nothing is above a stack
        there = min(1000, high - top)
        same("its bytes", (1000, there, [(0, there)]),
             (last["asked"], last["copied"], [(e["offset"], len(e["bytes"])) for e in pieces]))
    refused("too much of it", errno.EINVAL, "more than 32768", ctrace.Session(ME).add_probe, "call:getpgid", user_copy=32769)


def test_nobody():
    def refused_to_trace():
        try:
            ctrace.Session("host", "calls")
        except ctrace.Error as e:
            print("# nobody: %d: %s" % (e.errno, e), flush=True)
            return e.errno == errno.EPERM and "CAP_SYS_ADMIN" in str(e)
        return False
    same("without privileges: not permitted", 0, as_nobody(refused_to_trace))
    with ctrace.Session("pybox", "call:getpriority") as s:
        view = s.view("pybox")
        same("a view shows one container", (s.id, CID), view.shows)

        def reads():
            # of the descriptor alone: what of the library's was inherited is the parent's
            reader = ctrace.open_view(os.dup(view.fileno()))
            events = [next(iter(reader)) for _ in range(10)]
            return {(e.cid, e.name, e["who"]) for e in events} == {(CID, "syscall_getpriority", 79)}
        same("nobody reads the view that he was given", 0, as_nobody(reads))
        view.revoke()
        same("a view that was taken back has ended", [], list(view))
        view.close()
        refused("no view of no container", errno.ENOENT, "", s.view, 4000000)


def test_recordings():
    with ctrace.Session(ME, "call:getpriority") as s:
        threading.Timer(.2, calls, (300,)).start()
        wrote = s.record(TMP + "/ctf", 1)
    shown = subprocess.run(["babeltrace2", TMP + "/ctf"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    same("a trace that babeltrace2 reads", (300, 0, 300), (wrote["records"], wrote["lost"], len(shown)))
    refused("a directory with something in it", errno.ENOTEMPTY, "not empty", ctrace._ctrace.Writer, TMP,
            ctrace._ctrace.Schema(), ctrace.Session(ME).reader._r)
    subprocess.run(["ctrace", "record", "-o", TMP + "/t", "-e", "calls,sched_process_exec", "--duration", "1", "pybox"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    recording = ctrace.Recording(TMP + "/t")
    events = list(recording)
    marked = [e for e in events if e.syscall == "getpriority"]
    # a state dump's beginning and end are the host's
    same("by the container's name", {("pybox", CID)}, {(e.container, e.cid) for e in marked})
    shown = subprocess.run(["babeltrace2", TMP + "/t"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    same("a recording has all events", (sum(b"syscall_getpriority:" in line for line in shown), 0), (len(marked), recording.lost))
    same("with their fields", {(79, MARK, "EINVAL")}, {(e["who"], e["which"], e.errno) for e in marked})
    ok("and times", all(e.duration > 0 and e.realtime > e.time for e in marked), marked[:1])
    ok("in order", [e.time for e in events] == sorted(e.time for e in events))
    same("one may stop amid it", events[0].time, next(iter(recording)).time)
    refused("a container that it does not have", errno.ENOENT, "other", lambda: list(ctrace.Recording(TMP + "/t", "other")))
    ok("its summary", CID in [r["cid"] for r in recording.summary()["rows"]])
    refused("no recording", errno.ENOENT, TMP, lambda: list(ctrace.Recording(TMP + "/none")))


def test_memory():
    """What is opened is closed, by the collector too: sessions, mappings, descriptors."""
    def once():
        s = ctrace.Session(ME, "call:getpriority", table_size=1 << 20).start()
        table = s.aggregate("sched_switch", "count() by comm", rows=16)
        calls(100)
        s.stop()
        return sum(1 for _ in s) and len(table.table())
    for _ in range(3):
        once()
    files, memory = len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5 * TIMES):
        once()
    same("no descriptor is left", files, len(os.listdir("/proc/self/fd")))
    ok("nor memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 4000 + 40 * TIMES)
    with ctrace.Connection() as c:
        same("nor a session", [], [s for s in c.sessions() if s["owner"] == os.getpid()])


for name, test in list(globals().items()):
    if name.startswith("test_") and (not CHOSEN or name[5:] in CHOSEN):
        began = time.monotonic()
        try:
            test()
        except BaseException as e:
            traceback.print_exc()
            ok(name, False, e)
        print("# %s took %.2f s" % (name, time.monotonic() - began), flush=True)
