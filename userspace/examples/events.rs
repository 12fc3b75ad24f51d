// SPDX-License-Identifier: LGPL-2.1-only
//! A consumer in Rust, without cargo and bindgen: counts the events of a container, or of all, by name.
//!	rustc -O events.rs $(pkg-config --libs libctrace) -o events
//!	./events CID|all SECONDS		(cids: ctrace ps)
//! The structs are from libctrace.h and ctrace.h, as far as they are used.
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

#[repr(C)]
struct Target {
    sz: usize,
    kind: u32,
    cid: u32,
    pid: u32,
    cgroup: *const c_char,
    exclude: bool,
}

#[repr(C)]
struct Record {
    time: u64,
    id: u16,
    len: u16,
    cid: u32,
    tid: i32,
    vtid: i32,
}

#[repr(C)]
struct EventType {
    id: u32,
    name: *const c_char, // more follows
}

#[repr(C)]
#[derive(Default)]
struct Losses {
    seen: u64,
    overrun: u64,
    full: u64,
    nested: u64,
}

enum Ctrace {}
enum Schema {}
enum Session {}
enum Reader {}

extern "C" {
    fn ctrace_open(out: *mut *mut Ctrace) -> c_int;
    fn ctrace_errmsg(ct: *const Ctrace) -> *const c_char;
    fn ctrace_close(ct: *mut Ctrace);
    fn ctrace_schema_get(ct: *mut Ctrace, out: *mut *mut Schema) -> c_int;
    fn ctrace_schema_by_id(s: *const Schema, id: u32) -> *const EventType;
    fn ctrace_schema_free(s: *mut Schema);
    fn ctrace_session_new(ct: *mut Ctrace, opts: *const c_void, out: *mut *mut Session) -> c_int;
    fn ctrace_probe_add(s: *mut Session, name: *const c_char, opts: *const c_void, probe: *mut u32, event: *mut u32) -> c_int;
    fn ctrace_target_add(s: *mut Session, t: *const Target, id: *mut u32) -> c_int;
    fn ctrace_session_start(s: *mut Session) -> c_int;
    fn ctrace_session_stop(s: *mut Session) -> c_int;
    fn ctrace_session_free(s: *mut Session);
    fn ctrace_reader_open(s: *mut Session, opts: *const c_void, out: *mut *mut Reader) -> c_int;
    fn ctrace_reader_next(r: *mut Reader, rec: *mut *const Record) -> c_int;
    fn ctrace_reader_poll(r: *mut Reader, timeout_ms: c_int) -> c_int;
    fn ctrace_reader_losses(r: *mut Reader, l: *mut Losses, sz: usize) -> c_int;
    fn ctrace_reader_errmsg(r: *const Reader) -> *const c_char;
    fn ctrace_reader_close(r: *mut Reader);
}

const TARGET_ALL: u32 = 1;
const TARGET_CID: u32 = 2;

fn text(s: *const c_char) -> String {
    unsafe { CStr::from_ptr(s) }.to_string_lossy().into_owned()
}

/// What libctrace wants to be freed, whatever happens.
struct Tracer {
    ct: *mut Ctrace,
    schema: *mut Schema,
    session: *mut Session,
    reader: *mut Reader,
}

impl Drop for Tracer {
    fn drop(&mut self) {
        unsafe {
            if !self.reader.is_null() {
                ctrace_reader_close(self.reader);
            }
            ctrace_session_free(self.session);
            ctrace_schema_free(self.schema);
            ctrace_close(self.ct);
        }
    }
}

impl Tracer {
    fn check(&self, err: c_int) -> Result<(), String> {
        if err < 0 { Err(text(unsafe { ctrace_errmsg(self.ct) })) } else { Ok(()) }
    }

    fn start(target: &Target) -> Result<Tracer, String> {
        let mut t = Tracer { ct: null_mut(), schema: null_mut(), session: null_mut(), reader: null_mut() };
        unsafe {
            let err = ctrace_open(&mut t.ct);
            t.check(err)?;
            let err = ctrace_schema_get(t.ct, &mut t.schema);
            t.check(err)?;
            let err = ctrace_session_new(t.ct, null(), &mut t.session);
            t.check(err)?;
            for probe in [&b"calls\0"[..], &b"sched_switch\0"[..]] {
                t.check(ctrace_probe_add(t.session, probe.as_ptr().cast(), null(), null_mut(), null_mut()))?;
            }
            t.check(ctrace_target_add(t.session, target, null_mut()))?;
            let err = ctrace_reader_open(t.session, null(), &mut t.reader);
            t.check(err)?;
            t.check(ctrace_session_start(t.session))?;
        }
        Ok(t)
    }

    fn count(&self, end: Instant) -> Result<BTreeMap<u16, u64>, String> {
        let mut counts = BTreeMap::new();
        let mut rec = null();
        let mut stopped = false;
        loop {
            if !stopped && Instant::now() >= end {
                self.check(unsafe { ctrace_session_stop(self.session) })?;
                stopped = true;
            }
            match unsafe { ctrace_reader_next(self.reader, &mut rec) } {
                1 => *counts.entry(unsafe { (*rec).id }).or_insert(0) += 1,
                0 if stopped => return Ok(counts),
                0 => { unsafe { ctrace_reader_poll(self.reader, 100) }; }
                _ => return Err(text(unsafe { ctrace_reader_errmsg(self.reader) })),
            }
        }
    }
}

fn run(who: &str, seconds: u64) -> Result<(), String> {
    let kind = if who == "all" { TARGET_ALL } else { TARGET_CID };
    let cid = if who == "all" { 0 } else { who.parse().map_err(|_| format!("'{who}' is no number"))? };
    let target = Target { sz: std::mem::size_of::<Target>(), kind, cid, pid: 0, cgroup: null(), exclude: false };
    let tracer = Tracer::start(&target)?;
    let mut lost = Losses::default();
    for (id, n) in tracer.count(Instant::now() + Duration::from_secs(seconds))? {
        let kind = unsafe { ctrace_schema_by_id(tracer.schema, id.into()) };
        println!("{n:8} {}", if kind.is_null() { format!("event_{id}") } else { text(unsafe { (*kind).name }) });
    }
    unsafe { ctrace_reader_losses(tracer.reader, &mut lost, std::mem::size_of::<Losses>()) };
    println!("{} records, {} lost", lost.seen, lost.overrun + lost.full + lost.nested);
    Ok(())
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() != 3 {
        eprintln!("usage: events CID|all SECONDS");
        std::process::exit(2);
    }
    if let Err(sentence) = run(&args[1], args[2].parse().unwrap_or(1)) {
        eprintln!("events: {sentence}");
        std::process::exit(1);
    }
}
