//! The only unsafe code of the crate: the calls into a model's shared object, and the storage of its ports.
#![allow(unsafe_code)]
use super::evaluation::{Evaluated, Evaluation};
use super::wave::Waves;
use super::{Direction, Error, Port, PortInfo};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

// Ports are read as bytes, lowest first, which is how a little-endian machine stores them.
#[cfg(target_endian = "big")]
compile_error!("port access needs a little-endian machine");

type Raw = *mut c_void;

/// The shim's functions (`shim.rs`).
struct Functions {
    new: unsafe extern "C" fn(u32) -> Raw,
    free: unsafe extern "C" fn(Raw),
    port: unsafe extern "C" fn(Raw, u32) -> *mut u8,
    eval: unsafe extern "C" fn(Raw, c_int) -> *const c_char,
    blocks_run: unsafe extern "C" fn(Raw) -> u64,
    trace_open: unsafe extern "C" fn(Raw, *const c_char) -> c_int,
    trace_dump: unsafe extern "C" fn(Raw, u64),
    trace_close: unsafe extern "C" fn(Raw),
}

struct Inner {
    functions: Functions,
    path: PathBuf,
    top: String,
    ports: Vec<PortInfo>,
    by_name: HashMap<String, u32>,
    trace: bool,
    evaluated: Evaluated,
    /// Keeps the code of `functions` loaded.
    _object: libloading::Library,
}

/// A built design, loaded into the process. Clones share it.
#[derive(Clone)]
pub struct Library {
    inner: Arc<Inner>,
    /// An input, and the value that it has in every new model.
    preset: Option<(Port, u64)>,
}

impl Library {
    pub(super) fn open(
        path: &Path,
        top: &str,
        ports: Vec<PortInfo>,
        trace: bool,
        evaluated: Evaluated,
    ) -> Result<Library, Error> {
        let error = |e: libloading::Error| Error::Load {
            path: path.to_owned(),
            reason: e.to_string(),
        };
        // SAFETY: the object was built from the shim, whose functions have these types; its initialisers are those
        // of the C++ and Verilator run-time libraries.
        let (functions, object) = unsafe {
            let object = libloading::Library::new(path).map_err(error)?;
            let functions = Functions {
                new: *object.get(b"hca_new\0").map_err(error)?,
                free: *object.get(b"hca_free\0").map_err(error)?,
                port: *object.get(b"hca_port\0").map_err(error)?,
                eval: *object.get(b"hca_eval\0").map_err(error)?,
                blocks_run: *object.get(b"hca_blocks_run\0").map_err(error)?,
                trace_open: *object.get(b"hca_trace_open\0").map_err(error)?,
                trace_dump: *object.get(b"hca_trace_dump\0").map_err(error)?,
                trace_close: *object.get(b"hca_trace_close\0").map_err(error)?,
            };
            (functions, object)
        };
        let by_name = ports
            .iter()
            .zip(0..)
            .map(|(p, index)| (p.name.clone(), index))
            .collect();
        let inner = Arc::new(Inner {
            functions,
            path: path.to_owned(),
            top: top.to_owned(),
            ports,
            by_name,
            trace,
            evaluated,
            _object: object,
        });
        Ok(Library { inner, preset: None })
    }

    /// Returns the same design, whose new models have this value at this input.
    pub fn preset(self, input: Port, value: u64) -> Library {
        let preset = Some((input, value));
        Library { preset, ..self }
    }

    /// Returns the path of the shared object, in the cache.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Returns the name of the top module.
    pub fn top(&self) -> &str {
        &self.inner.top
    }

    /// Returns how its models are evaluated.
    pub fn evaluation(&self) -> Evaluation {
        self.inner.evaluated.evaluation
    }

    /// Returns why the models are evaluated more slowly than requested, if they are.
    pub fn note(&self) -> Option<&str> {
        self.inner.evaluated.note.as_deref()
    }

    /// Returns the ports of the top module.
    pub fn ports(&self) -> &[PortInfo] {
        &self.inner.ports
    }

    /// Returns the port with this name.
    pub fn port(&self, name: &str) -> Result<Port, Error> {
        let index = self
            .inner
            .by_name
            .get(name)
            .copied()
            .ok_or_else(|| Error::NoPort {
                top: self.inner.top.clone(),
                port: name.to_owned(),
            })?;
        let bits = self.inner.ports[index as usize].bits;
        Ok(Port { index, bits })
    }

    /// Returns the port with this name, which must have this direction and width.
    pub fn expect(&self, name: &str, direction: Direction, bits: u32) -> Result<Port, Error> {
        let port = self.port(name)?;
        let info = &self.inner.ports[port.index as usize];
        if (info.direction, info.bits) == (direction, bits) {
            return Ok(port);
        }
        Err(Error::PortShape {
            top: self.inner.top.clone(),
            port: name.to_owned(),
            found: format!("an {} of {} bits", info.direction, info.bits),
            expected: format!("an {direction} of {bits} bits"),
        })
    }
}

/// The model's storage of a port.
#[derive(Clone, Copy)]
struct Slot {
    at: NonNull<u8>,
    bits: u32,
}

impl Slot {
    /// Returns the size in bytes of Verilator's type for this width: 1, 2, 4, 8, else whole 32-bit words.
    fn storage(self) -> usize {
        match self.bits {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            wide => wide.div_ceil(32) as usize * 4,
        }
    }
}

/// One instance of a design.
pub struct Model {
    slots: Vec<Slot>,
    raw: NonNull<c_void>,
    waves: Option<Waves>,
    /// The clock; `None` if a change of the clock counts as a change of the other inputs.
    clock: Option<u32>,
    /// True if another input may have changed since the last `eval`.
    changed: bool,
    library: Library,
}

impl Model {
    /// Makes an instance. The seed fills every register and memory that the design does not initialise.
    pub fn new(library: &Library, seed: u64) -> Result<Model, Error> {
        let functions = &library.inner.functions;
        // Verilator takes 31 bits, and 0 would mean "from the clock".
        let folded = (seed ^ (seed >> 32)) as u32 % 0x7FFF_FFFE + 1;
        // SAFETY: the object stays loaded as long as `library`.
        let raw = unsafe { (functions.new)(folded) };
        let load = |reason: &str| Error::Load {
            path: library.path().to_owned(),
            reason: reason.to_owned(),
        };
        let raw = NonNull::new(raw).ok_or_else(|| load("no instance"))?;
        let mut model = Model {
            slots: Vec::new(),
            raw,
            waves: None,
            clock: library
                .inner
                .evaluated
                .clock
                .as_deref()
                .and_then(|name| library.inner.by_name.get(name).copied()),
            changed: true,
            library: library.clone(),
        };
        for (port, index) in library.ports().iter().zip(0..) {
            // SAFETY: `raw` is a live instance.
            let at = NonNull::new(unsafe { (functions.port)(raw.as_ptr(), index) });
            let at = at.ok_or_else(|| load("ports differ from their list"))?;
            model.slots.push(Slot { at, bits: port.bits });
        }
        if let Some((input, value)) = library.preset {
            model.set(input, value);
        }
        Ok(model)
    }

    /// Returns the library of this instance.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Settles the design after its inputs changed; a change of a clock input is a clock edge.
    pub fn eval(&mut self) -> Result<(), Error> {
        let changed = c_int::from(mem::take(&mut self.changed));
        // SAFETY: `raw` is a live instance and nothing borrows its ports.
        let error = unsafe { (self.library.inner.functions.eval)(self.raw.as_ptr(), changed) };
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: the shim gives a C string that lives until the next call.
        let text = unsafe { CStr::from_ptr(error) };
        Err(Error::Stopped(text.to_string_lossy().into_owned()))
    }

    /// Returns the number of blocks that have run so far in all evaluations of a [`Gated`](Evaluation::Gated) design; 0
    /// of one that is not divided into blocks.
    pub fn blocks_run(&self) -> u64 {
        // SAFETY: `raw` is a live instance.
        unsafe { (self.library.inner.functions.blocks_run)(self.raw.as_ptr()) }
    }

    /// Returns the value of a port; of a wider one, its low 64 bits.
    pub fn get(&self, port: Port) -> u64 {
        let slot = self.slots[port.index as usize];
        let at = slot.at.as_ptr();
        // SAFETY: the slot's storage has this size and Verilator's alignment, except that wide ports are arrays of
        // 32-bit words, at least three.
        unsafe {
            match slot.bits {
                0..=8 => u64::from(*at),
                9..=16 => u64::from(*at.cast::<u16>()),
                17..=32 => u64::from(*at.cast::<u32>()),
                _ => at.cast::<u64>().read_unaligned(),
            }
        }
    }

    /// Returns true if a port is not 0; for ports of one bit.
    pub fn is_set(&self, port: Port) -> bool {
        self.get(port) != 0
    }

    /// Sets a port. The value is truncated to its width; bits from 64 on become 0.
    pub fn set(&mut self, port: Port, value: impl Into<u64>) {
        let value = value.into();
        let slot = self.slots[port.index as usize];
        let at = slot.at.as_ptr();
        let cut = match slot.bits {
            bits @ 0..=63 => value & ((1 << bits) - 1),
            _ => value,
        };
        if Some(port.index) != self.clock {
            self.changed |= slot.bits > 64 || self.get(port) != cut;
        }
        // SAFETY: as in `get`.
        unsafe {
            match slot.bits {
                0..=8 => *at = cut as u8,
                9..=16 => *at.cast::<u16>() = cut as u16,
                17..=32 => *at.cast::<u32>() = cut as u32,
                33..=64 => *at.cast::<u64>() = cut,
                _ => self.set_bytes(port, &cut.to_le_bytes()),
            }
        }
    }

    /// Returns a port's bytes, lowest first. Bits above its width are 0.
    pub fn bytes(&self, port: Port) -> &[u8] {
        let slot = self.slots[port.index as usize];
        // SAFETY: the storage has at least this length, and only `&mut self` changes it.
        unsafe { std::slice::from_raw_parts(slot.at.as_ptr(), slot.bits.div_ceil(8) as usize) }
    }

    /// Sets a port from bytes, lowest first. Missing bytes are 0; bits above the width are cut off.
    pub fn set_bytes(&mut self, port: Port, bytes: &[u8]) {
        let slot = self.slots[port.index as usize];
        // SAFETY: the slice is the port's whole storage; `&mut self` excludes other borrows.
        let storage = unsafe { std::slice::from_raw_parts_mut(slot.at.as_ptr(), slot.storage()) };
        let used = port.byte_len().min(bytes.len());
        // A clock is set by `set`; set by bytes, any input counts as changed if its value changes.
        let same = storage[..used] == bytes[..used] && storage[used..].iter().all(|byte| *byte == 0);
        if same {
            return;
        }
        self.changed = true;
        storage[..used].copy_from_slice(&bytes[..used]);
        storage[used..].fill(0);
        if !slot.bits.is_multiple_of(8) {
            storage[slot.bits as usize / 8] &= (1 << (slot.bits % 8)) - 1;
        }
    }

    /// Returns `width` bits of a port, at most 64, from bit `low` on.
    pub fn bits(&self, port: Port, low: usize, width: usize) -> u64 {
        let bytes = self.bytes(port);
        let last = (low + width).div_ceil(8).min(bytes.len());
        let taken = bytes[low / 8..last]
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u128::from(*byte));
        (taken >> (low % 8) & ((1 << width) - 1)) as u64
    }

    /// Sets `width` bits of a port, at most 64, from bit `low` on. The other bits stay.
    pub fn set_bits(&mut self, port: Port, low: usize, width: usize, value: u64) {
        let slot = self.slots[port.index as usize];
        // SAFETY: the slice is the port's whole storage; `&mut self` excludes other borrows.
        let storage = unsafe { std::slice::from_raw_parts_mut(slot.at.as_ptr(), slot.storage()) };
        let (first, last) = (low / 8, (low + width).div_ceil(8));
        self.changed = true;
        let mask = ((1_u128 << width) - 1) << (low % 8);
        let placed = (u128::from(value) << (low % 8)) & mask;
        for (byte, at) in storage[first..last].iter_mut().zip((0..).step_by(8)) {
            *byte = *byte & !((mask >> at) as u8) | (placed >> at) as u8;
        }
    }

    /// Starts to write waves (FST), which get their final name in [`finish_trace`](Model::finish_trace). It must be
    /// called before the first `eval`.
    pub fn trace_to(&mut self, path: &Path) -> Result<(), Error> {
        if !self.library.inner.trace {
            return Err(Error::NoTrace);
        }
        let waves = Waves::create(path)?;
        let name = CString::new(waves.path().as_os_str().as_bytes()).unwrap_or_default();
        // SAFETY: `raw` is a live instance; the string outlives the call.
        let open = unsafe { (self.library.inner.functions.trace_open)(self.raw.as_ptr(), name.as_ptr()) };
        if open == 0 {
            return Err(Error::TraceIncomplete(path.to_owned()));
        }
        self.waves = Some(waves);
        Ok(())
    }

    /// Records the present values at a time. The unit is the caller's; times must grow.
    pub fn trace_dump(&mut self, time: u64) {
        if self.waves.is_some() {
            // SAFETY: `raw` is a live instance.
            unsafe { (self.library.inner.functions.trace_dump)(self.raw.as_ptr(), time) }
        }
    }

    /// Closes the waves and gives them their name. Does nothing if no waves are being written.
    pub fn finish_trace(&mut self) -> Result<(), Error> {
        let Some(waves) = self.waves.take() else {
            return Ok(());
        };
        // SAFETY: `raw` is a live instance.
        unsafe { (self.library.inner.functions.trace_close)(self.raw.as_ptr()) }
        waves.finish()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: `raw` is a live instance and not used afterwards; the object is still loaded.
        unsafe { (self.library.inner.functions.free)(self.raw.as_ptr()) }
    }
}
