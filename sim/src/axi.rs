//! Host memory behind the hardware's AXI4 master.
//!
//! Transactions of one ID finish in order, those of different IDs in any order, and writes and reads independently. A
//! write reaches memory just before its response is offered; a read sees memory as it is when its first beat is
//! offered. The hardware may therefore rely on nothing but responses.
//!
//! Accesses to failing addresses, in units of 64-byte lines, get SLVERR or DECERR. A failing read returns the
//! complement of the memory's bytes, so that any use of them shows; a failing write is carried out, which AXI permits.
mod burst;
mod failing;
mod waiting;

pub use failing::LINE;

use crate::chance::{Chance, Pauses};
use crate::handshake::{Channel, Violation};
use crate::memory::Memory;
use crate::pipes::{Meter, Pipe, Pipes};
use crate::verilated::{Direction, Error, Library, Model, Port};
use burst::{AddressPorts, Burst};
use failing::{Failing, OKAY};
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use waiting::{Data, Pending, Waiting};

/// Largest number of bursts that wait in each direction. A slow memory needs fewer for a narrow burst each clock.
const OUTSTANDING: usize = 256;
/// Largest number of write beats that may run ahead of their address.
const AHEAD: usize = 64;

/// A beat of write data.
#[derive(Clone, Copy)]
struct Beat {
    /// Data of the beat; only as many bytes as the bus has lanes are used.
    data: [u8; LINE as usize],
    strobes: u64,
    last: bool,
}

/// The random timing of host memory.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Clock cycles from a complete request to its answer, drawn for each answer. A range of one value is a fixed
    /// latency.
    pub latency: RangeInclusive<u32>,
    /// Average number of clocks, of 256, in which a channel pauses.
    pub pauses_per_256: u32,
}

/// The AXI4 slave, which answers from host memory.
pub struct AxiMemory {
    aw: AddressPorts,
    ar: AddressPorts,
    w: Channel,
    w_ready: Port,
    w_data: Port,
    w_strobe: Port,
    w_last: Port,
    b_valid: Port,
    b_ready: Port,
    b_id: Port,
    b_resp: Port,
    r_valid: Port,
    r_ready: Port,
    r_id: Port,
    r_data: Port,
    r_resp: Port,
    r_last: Port,
    /// Number of bytes of a beat.
    lanes: usize,

    latency: RangeInclusive<u32>,
    chance: Chance,
    /// Pauses of the channels AW, W, B, AR, R.
    pauses: [Pauses; 5],
    is_held: bool,
    meter: Option<Meter>,
    aw_open: bool,
    w_open: bool,
    ar_open: bool,

    /// Write addresses whose data is not complete.
    addresses: VecDeque<Burst>,
    /// Beats that do not belong to an address yet.
    beats: VecDeque<Beat>,
    filling: Data,
    /// Buffers of answered bursts, kept for later ones.
    spare: Vec<Data>,
    writes: Waiting,
    reads: Waiting,
    /// True while the channel B offers a response.
    answering: bool,
    /// The read being answered, and the number of its bytes that were taken.
    reading: Option<(Burst, usize)>,
    read_data: Vec<u8>,
    offering: bool,
    failing: Failing,
    /// Number of bursts answered with an error.
    errors: u64,
    moved: u64,
    /// Address of the last burst whose data was complete, and the clock cycle in which it was.
    last_write: Option<(u64, u64)>,
}

impl AxiMemory {
    /// Makes a memory at the ports `PREFIX_awid` and so on, with a data bus of `bits` bits, 64 or more. `seed` and
    /// `timing` decide when it answers.
    pub fn new(
        library: &Library,
        prefix: &str,
        bits: u32,
        seed: u64,
        timing: &Timing,
    ) -> Result<AxiMemory, Error> {
        let port = |name, direction, bits| library.expect(&format!("{prefix}_{name}"), direction, bits);
        let (input, output) = (Direction::In, Direction::Out);
        let (w_data, w_strobe) = (port("wdata", output, bits)?, port("wstrb", output, bits / 8)?);
        let w_last = port("wlast", output, 1)?;
        let pauses = [1, 2, 3, 4, 5].map(|c| Pauses::new(Chance::new(seed, c), timing.pauses_per_256));
        Ok(AxiMemory {
            aw: AddressPorts::find(library, &format!("{prefix}_aw"))?,
            ar: AddressPorts::find(library, &format!("{prefix}_ar"))?,
            w: Channel::new(
                &format!("{prefix}_w"),
                port("wvalid", output, 1)?,
                vec![w_data, w_strobe, w_last],
            ),
            w_ready: port("wready", input, 1)?,
            w_data,
            w_strobe,
            w_last,
            b_valid: port("bvalid", input, 1)?,
            b_ready: port("bready", output, 1)?,
            b_id: port("bid", input, 4)?,
            b_resp: port("bresp", input, 2)?,
            r_valid: port("rvalid", input, 1)?,
            r_ready: port("rready", output, 1)?,
            r_id: port("rid", input, 4)?,
            r_data: port("rdata", input, bits)?,
            r_resp: port("rresp", input, 2)?,
            r_last: port("rlast", input, 1)?,
            lanes: bits as usize / 8,
            latency: timing.latency.clone(),
            chance: Chance::new(seed, 0),
            pauses,
            is_held: false,
            meter: None,
            aw_open: false,
            w_open: false,
            ar_open: false,
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            filling: Data::default(),
            spare: Vec::new(),
            writes: Waiting::default(),
            reads: Waiting::default(),
            answering: false,
            reading: None,
            read_data: Vec::new(),
            offering: false,
            failing: Failing::default(),
            errors: 0,
            moved: 0,
            last_write: None,
        })
    }

    /// Counts the clocks within bursts that are read.
    pub(crate) fn counting(self, pipes: Option<&Pipes>) -> AxiMemory {
        let meter = pipes.map(|pipes| Meter::new(Pipe::FromMemory, pipes));
        AxiMemory { meter, ..self }
    }

    /// Makes all later accesses to these bytes fail, in whole lines of 64 bytes.
    pub fn fail(&mut self, addr: u64, length: u64) {
        assert!(
            addr.is_multiple_of(LINE) && length.is_multiple_of(LINE),
            "{length} bytes at {addr:#x} are no whole lines of {LINE} bytes"
        );
        self.failing.add(addr, length);
    }

    /// Takes and answers nothing while `is_held`.
    pub fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Number of bursts answered with an error so far.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Sets the ports for this clock.
    pub fn drive(&mut self, model: &mut Model, memory: &mut Memory, cycle: u64) {
        let is_open = !self.is_held;
        let [aw, w, b, ar, r] = &mut self.pauses;
        self.aw_open = self.addresses.len() + self.writes.count < OUTSTANDING && !aw.pause() && is_open;
        self.w_open = self.beats.len() < AHEAD && !w.pause() && is_open;
        self.ar_open = self.reads.count < OUTSTANDING && !ar.pause() && is_open;
        model.set(self.aw.ready, self.aw_open);
        model.set(self.w_ready, self.w_open);
        model.set(self.ar.ready, self.ar_open);

        if !self.answering {
            let next = match b.pause() || !is_open {
                true => None,
                false => self.writes.take(cycle),
            };
            if let Some(Pending { burst, data, .. }) = next {
                memory.write_strobed(burst.addr, &data.bytes, &data.strobes);
                let response = self.failing.write_response(burst.addr, &data.strobes);
                self.errors += u64::from(response != OKAY);
                model.set(self.b_resp, response);
                model.set(self.b_id, burst.id);
                self.answering = true;
                self.spare.push(data);
            }
            model.set(self.b_valid, self.answering);
        }
        if !self.offering {
            let pause = r.pause();
            self.read_on(memory, cycle);
            if let Some((burst, taken)) = self.reading.filter(|_| !pause && is_open) {
                let data = &self.read_data;
                let end = taken + self.lanes;
                let addr = burst.addr.wrapping_add(taken as u64);
                model.set(self.r_id, burst.id);
                model.set(self.r_resp, self.failing.response(addr, self.lanes as u64));
                model.set_bytes(self.r_data, &data[taken..end]);
                model.set(self.r_last, end == data.len());
                self.offering = true;
            }
            model.set(self.r_valid, self.offering);
        }
    }

    /// Starts to answer the next read that is due.
    fn read_on(&mut self, memory: &Memory, cycle: u64) {
        if self.reading.is_some() {
            return;
        }
        if let Some(Pending { burst, .. }) = self.reads.take(cycle) {
            let data = &mut self.read_data;
            data.resize(burst.beats * self.lanes, 0);
            memory.read(burst.addr, data);
            let mut failed = false;
            for (beat, bytes) in data.chunks_mut(self.lanes).enumerate() {
                let addr = burst.addr.wrapping_add((beat * self.lanes) as u64);
                if self.failing.response(addr, self.lanes as u64) != OKAY {
                    bytes.iter_mut().for_each(|byte| *byte = !*byte);
                    failed = true;
                }
            }
            self.errors += u64::from(failed);
            self.reading = Some((burst, 0));
        }
    }

    /// Notes the transfers of this clock.
    pub fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        if let Some(burst) = self.aw.accept(model, self.aw_open, self.lanes, cycle)? {
            self.addresses.push_back(burst);
            self.moved += 1;
        }
        if self.w.transfers(model, self.w_open, cycle)? {
            let mut beat = Beat {
                data: [0; LINE as usize],
                strobes: model.get(self.w_strobe),
                last: model.is_set(self.w_last),
            };
            beat.data[..self.lanes].copy_from_slice(model.bytes(self.w_data));
            self.beats.push_back(beat);
            self.moved += 1;
        }
        self.assemble(cycle)?;
        if let Some(burst) = self.ar.accept(model, self.ar_open, self.lanes, cycle)? {
            let pending = self.pending(burst, cycle);
            self.reads.push(pending);
            self.moved += 1;
        }
        if self.answering && model.is_set(self.b_ready) {
            self.answering = false;
            self.moved += 1;
        }
        if let Some(meter) = self.meter.as_mut().filter(|_| self.offering) {
            match model.is_set(self.r_ready) {
                true => meter.moves(model.is_set(self.r_last)),
                false => meter.stands("m_axi_r", cycle)?,
            }
        }
        if self.offering && model.is_set(self.r_ready) {
            self.offering = false;
            self.moved += 1;
            if let Some((_, taken)) = &mut self.reading {
                *taken += self.lanes;
                if *taken == self.read_data.len() {
                    self.reading = None;
                }
            }
        }
        Ok(())
    }

    /// Joins write data with its addresses, both in order.
    fn assemble(&mut self, cycle: u64) -> Result<(), Violation> {
        while let Some(burst) = self.addresses.front().copied() {
            let Some(Beat { data, strobes, last }) = self.beats.pop_front() else {
                break;
            };
            let Data {
                bytes,
                strobes: marks,
            } = &mut self.filling;
            bytes.extend_from_slice(&data[..self.lanes]);
            marks.extend_from_slice(&strobes.to_le_bytes()[..self.lanes / 8]);
            let beat = bytes.len() / self.lanes;
            if last != (beat == burst.beats) {
                let rule = "WLAST marks the last beat of the burst, and no other (AXI A3.2.2)";
                let detail = format!("beat {beat} of {} at {:#x}", burst.beats, burst.addr);
                return Err(self.w.violation(cycle, rule, detail));
            }
            if last {
                self.last_write = Some((burst.addr, cycle));
                self.addresses.pop_front();
                let mut pending = self.pending(burst, cycle);
                let mut next = self.spare.pop().unwrap_or_default();
                next.bytes.clear();
                next.strobes.clear();
                pending.data = std::mem::replace(&mut self.filling, next);
                self.writes.push(pending);
            }
        }
        Ok(())
    }

    fn pending(&mut self, burst: Burst, cycle: u64) -> Pending {
        Pending {
            burst,
            due: cycle + u64::from(self.chance.pick(&self.latency)),
            data: Data::default(),
        }
    }

    /// Returns true if nothing is under way.
    pub fn is_idle(&self) -> bool {
        let queues = self.addresses.is_empty() && self.beats.is_empty();
        let answers = self.writes.count + self.reads.count == 0 && !self.answering && self.reading.is_none();
        let offers = [&self.aw.channel, &self.w, &self.ar.channel]
            .iter()
            .all(|c| c.is_idle());
        queues && answers && offers
    }

    /// Returns the address of the last complete write burst, and the clock cycle in which its last beat or its address
    /// came.
    pub fn last_write(&self) -> Option<(u64, u64)> {
        self.last_write
    }

    /// Number of transfers so far, of all channels.
    pub fn transfers(&self) -> u64 {
        self.moved
    }
}
