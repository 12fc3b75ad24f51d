# SPDX-License-Identifier: GPL-2.0-only
"""The package for Python, as far as it needs no kernel module: records and their types, refusals, and the command's answers.

It prints KTAP. The extension is built with address and undefined-behaviour checks.
"""
import errno
import gc
import os
import random
import stat
import struct
import sys
import tempfile
import traceback

import ctrace
from ctrace import _ctrace, _names

UINT, INT, TEXT, STRING, SEQ, SEQ_INT = range(1, 7)


def pad(payload, to):
    return payload + b"\0" * (-len(payload) % to)


def record(payload, id=0x1000, time=1234567890123, cid=5, tid=6, vtid=7, length=None):
    payload = pad(payload, 8)
    return struct.pack("<QHHIii", time, id, 24 + len(payload) if length is None else length, cid, tid, vtid) + payload


def refused(number, words, fn, *args, **more):
    try:
        fn(*args, **more)
    except ctrace.Error as e:
        assert e.errno == number and words in str(e), (e.errno, str(e))
        assert isinstance(e, OSError) and e.strerror == str(e)
    else:
        raise AssertionError("no refusal")


FIELDS = (("u8", UINT, 1), ("u64", UINT, 8), ("i32", INT, 4), ("text", TEXT, 16), ("name", STRING, 0), ("bytes", SEQ, 1),
          ("pair", SEQ_INT, 2), ("addresses", SEQ, 8))
PAYLOAD = struct.pack("<B7xQi16s", 255, 2**64 - 1, -3, b"comm") + b"na\xffme\0"
PAYLOAD = pad(PAYLOAD, 4) + struct.pack("<I3s", 3, b"a\0b")
PAYLOAD = pad(PAYLOAD, 4) + struct.pack("<I2h", 2, -1, 5)
PAYLOAD = pad(PAYLOAD, 4) + struct.pack("<I", 1)
PAYLOAD = pad(PAYLOAD, 8) + struct.pack("<Q", 2**63)
VALUES = {"u8": 255, "u64": 2**64 - 1, "i32": -3, "text": "comm", "name": "na\udcffme", "bytes": b"a\0b", "pair": (-1, 5),
          "addresses": (2**63,)}


def made():
    schema = _ctrace.Schema()
    schema.add(0x1000, "made", FIELDS, "here")
    return schema


def test_values():
    event = made().event(record(PAYLOAD))
    assert event.fields == VALUES, event.fields
    assert all(event[k] == v for k, v in VALUES.items())
    assert os.fsencode(event["name"]) == b"na\xffme"
    assert (event.time, event.id, event.cid, event.tid, event.vtid) == (1234567890123, 0x1000, 5, 6, 7)
    assert event.name == "made" and event.syscall is None and event.type.system == "here"
    assert event.type.fields == tuple(VALUES) and event.raw == record(PAYLOAD)
    assert "u8" in event and "u9" not in event and event.get("u9", 1) == 1 and event.get("u8") == 255
    assert str(event).startswith("1234.567890123 made cid=5 tid=6 vtid=7 {'u8': 255, "), str(event)


def test_unhashable():
    event = made().event(record(PAYLOAD))
    for fn in (lambda: event[[]], lambda: [] in event, lambda: event.get([])):
        try:
            fn()
        except TypeError:
            continue
        raise AssertionError("a list is no field")
    try:
        event[3]
    except KeyError:
        pass


def test_not_made():
    for kind in (ctrace.Event, ctrace.EventType, _ctrace.Look):
        for make in (kind, lambda: kind.__new__(kind), lambda: object.__new__(kind)):
            try:
                make()
            except TypeError:
                continue
            raise AssertionError("an empty %s" % kind)


def test_lives_alone():
    """An event keeps what it needs, whatever else is gone."""
    event = made().event(record(PAYLOAD))
    gc.collect()
    assert event.fields == VALUES
    kind = event.type
    del event
    assert kind.name == "made" and kind.fields[0] == "u8"


def test_type_replaced():
    schema = made()
    old = schema.event(record(PAYLOAD))
    schema.add(0x1000, "other", (("n", UINT, 4),))
    new = schema.event(record(struct.pack("<I", 9)))
    assert (old.name, new.name, new["n"], old["u8"]) == ("made", "other", 9, 255)
    assert schema.by_name("made") is None and schema.by_id(0x1000) is new.type
    assert [t.name for t in schema.types()] == ["other"]


def test_unknown_type():
    event = made().event(record(b"12345678", id=77))
    assert (event.name, event.fields, event.get("x"), "x" in event) == ("event_77", {}, None, False)


def test_calls():
    schema = _ctrace.Schema()
    for id, name, call in ((0x4000 + 257, "syscall_entry_openat", "openat"), (0x4400 + 257, "syscall_exit_openat", "openat"),
                           (0x5000 + 257, "syscall_openat", "openat"), (0x5400 + 5, "compat_syscall_open", "open"),
                           (2, "sched_switch", None)):
        assert schema.add(id, name, ()).syscall == call, name


def test_wrong_types():
    schema = _ctrace.Schema()
    refused(errno.EINVAL, "no valid type", schema.add, 70000, "far", ())
    refused(errno.EINVAL, "no valid type", schema.add, 1, "x", (("a", UINT, 3),))
    refused(errno.EINVAL, "no valid type", schema.add, 1, "x", (("a", 9, 4),))
    refused(errno.EINVAL, "64 fields", schema.add, 1, "x", (("a", UINT, 4),) * 65)


def test_wrong_numbers():
    schema = _ctrace.Schema()
    for number in (1 << 32, 1 << 64, -1):
        for arguments in ((number, "x", ()), (1, "x", (("a", UINT, number),))):
            try:
                schema.add(*arguments)
            except OverflowError:
                continue
            raise AssertionError("taken: %s" % (arguments,))


def test_wrong_lengths():
    schema = made()
    refused(errno.EBADMSG, "24 to 2048", schema.event, b"")
    refused(errno.EBADMSG, "24 to 2048", schema.event, b"\0" * 2056)
    refused(errno.EBADMSG, "length", schema.event, record(PAYLOAD, length=24))
    refused(errno.EBADMSG, "length", schema.event, record(PAYLOAD)[:-8])
    assert schema.event(record(b"\0" * (2048 - 24))).id == 0x1000


def test_damaged():
    """Any bytes decode, or are refused by a sentence; a record that is cut at each place is."""
    schema, rng = made(), random.Random(21)
    for n in range(0, len(PAYLOAD), 8):
        event = schema.event(record(PAYLOAD[:n]))
        refused(errno.EBADMSG, "does not fit", lambda: event.fields)
    for _ in range(3000):
        payload = bytearray(pad(PAYLOAD, 8))
        for _ in range(rng.randrange(1, 5)):
            payload[rng.randrange(len(payload))] = rng.randrange(256)
        event = schema.event(record(bytes(payload)))
        for use in (lambda: event.fields, lambda: event["addresses"], lambda: repr(event)):
            try:
                use()
            except ctrace.Error as e:
                assert e.errno == errno.EBADMSG


def test_histogram():
    words = [0] * 129
    words[0], words[1], words[20], words[21] = 1, 2, 3, 4
    h = ctrace.Histogram(struct.pack("<129Q", *words))
    assert h.count == 10 and sum(n for _, n in h.buckets()) == 10 and h.buckets()[0] == (0, 1)
    assert h.min <= h.percentile(.1) <= h.percentile(.5) <= h.percentile(1.0) <= h.max
    for wrong in (1.5, -.1, float("nan")):
        try:
            h.percentile(wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)
    try:
        ctrace.Histogram(b"short").count
    except ValueError:
        return
    raise AssertionError("a short histogram")


def test_arguments():
    assert ctrace.arguments("sh -c a\\ b\\\\ ") == ["sh", "-c", "a b\\", ""]
    assert ctrace.arguments("") == [""]


def test_no_module():
    # on a machine that has it loaded the tests in guests are for this
    if os.path.exists("/sys/module/ctrace"):
        return
    refused(errno.ENOENT, "kernel module", ctrace.Session, "all", "calls")
    refused(errno.ENOENT, "kernel module", ctrace.Connection)


def test_not_a_view():
    with open("/dev/null", "rb") as f:
        refused(errno.ENOTTY, "", _ctrace.Reader, _ctrace.Schema(), fd=f.fileno())
        os.fstat(f.fileno())  # it is still ours


def test_losses():
    lost = ctrace.Losses(seen=5, overrun=1, full=2, nested=3, missed=4, unfollowed=5, unfollowed_tasks=6, unread=7, limited=8)
    assert lost.lost == 28


class Command:
    """A command ctrace that answers what the test says."""

    def __init__(self, out="", err="", status=0):
        self.out, self.err, self.status = out, err, status

    def __enter__(self):
        self.dir = tempfile.TemporaryDirectory()
        for name, text in (("out", self.out), ("err", self.err)):
            with open(os.path.join(self.dir.name, name), "w") as f:
                f.write(text)
        self.path = os.path.join(self.dir.name, "ctrace")
        with open(self.path, "w") as f:
            f.write('#!/bin/sh\nd=${0%%/*}\necho "$*" > $d/asked\ncat $d/out\ncat $d/err >&2\nexit %d\n' % self.status)
        os.chmod(self.path, stat.S_IRWXU)
        os.environ["CTRACE_COMMAND"] = self.path
        # what goes before this interpreter has nothing to do with a shell
        self.preload = os.environ.pop("LD_PRELOAD", None)
        return self

    def __exit__(self, *exc):
        self.dir.cleanup()
        del os.environ["CTRACE_COMMAND"]
        if self.preload:
            os.environ["LD_PRELOAD"] = self.preload

    def asked(self):
        with open(os.path.join(self.dir.name, "asked")) as f:
            return f.read().strip()


PS = """{"cid":0,"name":"host","named":false,"dead":false}
{"cid":3,"name":"web-1","named":true,"named_by":"system","image":"nginx","labels":{"a":"b"},"dead":false,"new":1}
{"cid":4,"name":"web-2","named":true,"named_by":"user:1000","dead":false}
{"cid":5,"name":"gone","named":true,"dead":true}
"""


def test_containers():
    with Command(PS) as command:
        assert [c.cid for c in ctrace.containers()] == [3, 4]
        assert command.asked() == "ps --json --all"
        assert [c.cid for c in ctrace.containers(ended=True, host=True)] == [0, 3, 4, 5]
        web = ctrace.container(3)
        assert (web.name, web.image, web.labels, web.named_by) == ("web-1", "nginx", {"a": "b"}, "system")
        refused(errno.ENOENT, "number 9", ctrace.container, 9)


def targets(word):
    return list(_names.targets_of(word))


def test_targets():
    assert targets(7) == targets("7") == targets("cid:7") == targets(ctrace.Container(7)) == [(_ctrace.TARGET_CID, {"cid": 7})]
    assert targets("all") == [(_ctrace.TARGET_ALL, {})]
    assert targets("not:host") == [(_ctrace.TARGET_CID, {"cid": 0, "exclude": True})]
    assert targets("!cgroup:/nowhere") == [(_ctrace.TARGET_CGROUP, {"cgroup": "/nowhere", "exclude": True})]
    assert targets("pid:12") == [(_ctrace.TARGET_PID, {"pid": 12})]
    refused(errno.EINVAL, "'pid:x' is no target", targets, "pid:x")
    refused(errno.EINVAL, "choose from ctrace.containers()", targets, "pod:prod/web")
    with Command(PS):
        # a user's files do not give a name that a word means
        assert targets("web-*") == [(_ctrace.TARGET_CID, {"cid": 3})]
        refused(errno.ENOENT, "matches 'db-*'", targets, "db-*")
    with Command('{"cid":4,"name":"web"}\n') as command:
        assert targets("web") == [(_ctrace.TARGET_CID, {"cid": 4})]
        assert command.asked() == "explain --json -- web"
    with Command('{"error":"no container \'wbe\' (did you mean \'web\'?)"}\n', status=1):
        refused(errno.ENOENT, "did you mean", targets, "wbe")
    with Command(err="ctrace: what was wrong\nctrace: see 'ctrace help'\n", status=2):
        refused(errno.EINVAL, "what was wrong", targets, "web")


def test_no_command():
    path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
    try:
        refused(errno.ENOENT, "CTRACE_COMMAND", ctrace.containers)
    finally:
        os.environ["PATH"] = path


REPORT = """{"event":"syscall_openat","time":1000000001,"realtime":5,"cid":3,"container":"web","tid":9,"vtid":1,"syscall":"openat","errno":"ENOENT","duration":77,"fields":{"filename":"/x"},"user_stack":["main"]}
{"lost":3,"cause":"discarded"}
{"event":"sched_wait","time":1000000002,"realtime":6,"cid":3,"container":"web","tid":9,"vtid":1,"fields":{"duration":5}}
"""


def test_recording():
    with Command(REPORT) as command:
        recording = ctrace.Recording("/tmp/r", "web")
        call, wait = recording
        assert command.asked() == "report --json -- /tmp/r web" and recording.lost == 3
    assert (call.name, call.syscall, call.errno, call.duration, call["filename"]) == \
        ("syscall_openat", "openat", "ENOENT", 77, "/x")
    assert (call.user_stack, call.kernel_stack, call.container, call.time) == (("main",), None, "web", 1000000001)
    assert "filename" in call and call.get("x", 1) == 1 and str(call).startswith("1.000000001 syscall_openat web tid=9")
    assert (wait.duration, wait.syscall, wait.errno) == (5, None, None)
    with Command(REPORT, "ctrace: the stream is damaged\n", 1):
        seen = []
        refused(errno.ENOENT, "damaged", lambda: seen.extend(iter(ctrace.Recording("/tmp/r"))))
        assert len(seen) == 2
    with Command(REPORT * 1000):  # more than a pipe holds: who stops early leaves no child that waits
        assert next(iter(ctrace.Recording("/tmp/r"))).cid == 3
        gc.collect()


def test_leaks():
    import resource
    schema = made()
    event = schema.event(record(PAYLOAD))

    def work(n):
        for _ in range(n):
            e = schema.event(event.raw)
            e.fields, e["name"], repr(e), e.type.fields, e.get("x")
            try:
                e["x"]
            except KeyError:
                pass
    work(2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(20000)
    # the sanitizer keeps what was freed for a while
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300000


def main():
    tests = [(n, t) for n, t in globals().items() if n.startswith("test_")]
    print("1..%d" % len(tests))
    bad = 0
    for i, (name, test) in enumerate(tests, 1):
        try:
            test()
            print("ok %d %s" % (i, name[5:]), flush=True)
        except BaseException:
            bad = 1
            print("# " + traceback.format_exc().replace("\n", "\n# "))
            print("not ok %d %s" % (i, name[5:]), flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
