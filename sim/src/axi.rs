//! Host memory behind the hardware's AXI4 master.
//!
//! Transactions of one ID finish in order, those of different IDs in any order, writes and reads independently. A write
//! is in memory just before its response is offered, a read sees memory as its first beat is offered; so the hardware may
//! rely on nothing but responses.
//!
//! Addresses that fail answer SLVERR or DECERR, by their 64-byte line. A failing read gives the complement of what is
//! there, so that whatever is made of it shows; a failing write is carried out, which AXI leaves open.
use crate::chance::{Chance, Pauses};
use crate::handshake::{Channel, Violation};
use crate::memory::Memory;
use crate::verilated::{Direction, Error, Library, Model, Port};
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Bursts that may wait in each direction: more than a slow memory needs for a narrow burst each clock.
const OUTSTANDING: usize = 256;
/// IDs of the four bits of AxID.
const IDS: usize = 16;
/// Write beats that may run ahead of their address.
const AHEAD: usize = 64;
/// Bytes of the smallest range that fails: no beat is wider.
pub const LINE: u64 = 64;
/// Codes of xRESP (AXI A3.4.4).
const OKAY: u64 = 0;
const SLVERR: u64 = 2;
const DECERR: u64 = 3;

/// Ports of an address channel.
struct AddressPorts {
    channel: Channel,
    ready: Port,
    id: Port,
    addr: Port,
    len: Port,
    size: Port,
    burst: Port,
}

/// An accepted address.
#[derive(Clone, Copy)]
struct Burst {
    id: u64,
    addr: u64,
    beats: usize,
}

impl AddressPorts {
    fn find(library: &Library, prefix: &str) -> Result<AddressPorts, Error> {
        let port = |name, bits| library.expect(&format!("{prefix}{name}"), Direction::Out, bits);
        let valid = port("valid", 1)?;
        let (id, addr, len) = (port("id", 4)?, port("addr", 64)?, port("len", 8)?);
        let (size, burst) = (port("size", 3)?, port("burst", 2)?);
        Ok(AddressPorts {
            channel: Channel::new(prefix, valid, vec![id, addr, len, size, burst]),
            ready: library.expect(&format!("{prefix}ready"), Direction::In, 1)?,
            id,
            addr,
            len,
            size,
            burst,
        })
    }

    /// The burst accepted in this clock, its rules checked.
    fn accept(
        &mut self,
        model: &Model,
        ready: bool,
        lanes: usize,
        cycle: u64,
    ) -> Result<Option<Burst>, Violation> {
        if !self.channel.transfers(model, ready, cycle)? {
            return Ok(None);
        }
        let burst = Burst {
            id: model.get(self.id),
            addr: model.get(self.addr),
            beats: model.get(self.len) as usize + 1,
        };
        let bytes = (burst.beats * lanes) as u64;
        let size = model.get(self.size);
        let kind = model.get(self.burst);
        let shown = format!("address {:#x}, {} beats", burst.addr, burst.beats);
        let broken = if kind != 1 {
            Some("bursts are INCR (AXI A3.4.1)")
        } else if 1 << size != lanes as u64 {
            Some("beats are as wide as the bus (AXI A3.4.1)")
        } else if !burst.addr.is_multiple_of(lanes as u64) {
            Some("addresses are aligned to the beat")
        } else if burst.addr % 4096 + bytes > 4096 {
            Some("a burst must not cross a 4 KiB border (AXI A3.4.1)")
        } else {
            None
        };
        match broken {
            Some(rule) => Err(self.channel.violation(cycle, rule, shown)),
            None => Ok(Some(burst)),
        }
    }
}

/// A burst on its way to an answer.
struct Pending {
    burst: Burst,
    /// Cycle from which it may be answered.
    due: u64,
    /// Write data and strobes; empty for a read.
    data: Vec<u8>,
    strobes: Vec<u8>,
}

/// Bursts that wait for their answer, each ID's in order.
#[derive(Default)]
struct Waiting {
    of_id: [VecDeque<Pending>; IDS],
    count: usize,
}

impl Waiting {
    fn push(&mut self, pending: Pending) {
        self.of_id[pending.burst.id as usize % IDS].push_back(pending);
        self.count += 1;
    }

    /// The burst to answer next: the one that was due first, but never before an earlier one of its ID.
    fn take(&mut self, cycle: u64) -> Option<Pending> {
        let fronts = self.of_id.iter_mut().filter_map(|queue| {
            let due = queue.front()?.due;
            (due <= cycle).then_some((due, queue))
        });
        let pending = fronts.min_by_key(|(due, _)| *due)?.1.pop_front()?;
        self.count -= 1;
        Some(pending)
    }
}

/// Addresses that fail: the first, and bytes.
#[derive(Default)]
struct Failing(Vec<(u64, u64)>);

impl Failing {
    /// xRESP of an access to these bytes.
    fn response(&self, addr: u64, bytes: u64) -> u64 {
        let meets = |&&(from, length): &&(u64, u64)| {
            addr.wrapping_sub(from) < length || from.wrapping_sub(addr) < bytes
        };
        match self.0.iter().find(meets) {
            None => OKAY,
            Some((from, _)) if (from / LINE).is_multiple_of(2) => SLVERR,
            Some(_) => DECERR,
        }
    }

    /// BRESP of a burst at `addr` with these strobes.
    fn write_response(&self, addr: u64, strobes: &[u8]) -> u64 {
        let written = |i: &usize| strobes[i / 8] >> (i % 8) & 1 != 0;
        let bytes = (0..8 * strobes.len()).filter(written);
        let answers = bytes.map(|i| self.response(addr.wrapping_add(i as u64), 1));
        answers.max().unwrap_or(OKAY)
    }
}

/// Randomness of the memory.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Clock cycles from a complete request to its answer, each drawn by itself; a range of one is a fixed latency.
    pub latency: RangeInclusive<u32>,
    /// Clocks of 256 in which a channel pauses.
    pub pauses_per_256: u32,
}

/// The AXI4 slave.
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
    /// Bytes of a beat.
    lanes: usize,

    latency: RangeInclusive<u32>,
    chance: Chance,
    /// Of AW, W, B, AR, R.
    pauses: [Pauses; 5],
    aw_open: bool,
    w_open: bool,
    ar_open: bool,

    /// Write addresses whose data is not complete; beats of the first one.
    addresses: VecDeque<Burst>,
    /// Beats that no address claimed yet: data, strobes, last.
    beats: VecDeque<(Vec<u8>, Vec<u8>, bool)>,
    filling: (Vec<u8>, Vec<u8>),
    writes: Waiting,
    reads: Waiting,
    /// B is offered.
    answering: bool,
    /// The read being answered, its data, bytes that were taken; and whether a beat is offered.
    reading: Option<(Burst, Vec<u8>, usize)>,
    offering: bool,
    failing: Failing,
    /// Bursts answered with an error.
    errors: u64,
    moved: u64,
    /// Address of the burst whose data was complete last, and the clock cycle of that.
    last_write: Option<(u64, u64)>,
}

impl AxiMemory {
    /// Ports `PREFIX_awid` and so on, data `bits` wide, 64 or more. `seed` and `timing` decide when it answers.
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
            aw_open: false,
            w_open: false,
            ar_open: false,
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            filling: (Vec::new(), Vec::new()),
            writes: Waiting::default(),
            reads: Waiting::default(),
            answering: false,
            reading: None,
            offering: false,
            failing: Failing::default(),
            errors: 0,
            moved: 0,
            last_write: None,
        })
    }

    /// From now on accesses to these bytes, whole lines of 64, are answered with errors.
    pub fn fail(&mut self, addr: u64, length: u64) {
        assert!(
            addr.is_multiple_of(LINE) && length.is_multiple_of(LINE),
            "{length} bytes at {addr:#x} are no whole lines of {LINE} bytes"
        );
        self.failing.0.push((addr, length));
    }

    /// Bursts answered with an error so far.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Sets the ports for this clock.
    pub fn drive(&mut self, model: &mut Model, memory: &mut Memory, cycle: u64) {
        let [aw, w, b, ar, r] = &mut self.pauses;
        self.aw_open = self.addresses.len() + self.writes.count < OUTSTANDING && !aw.pause();
        self.w_open = self.beats.len() < AHEAD && !w.pause();
        self.ar_open = self.reads.count < OUTSTANDING && !ar.pause();
        model.set(self.aw.ready, self.aw_open);
        model.set(self.w_ready, self.w_open);
        model.set(self.ar.ready, self.ar_open);

        if !self.answering {
            let next = if b.pause() { None } else { self.writes.take(cycle) };
            if let Some(write) = next {
                memory.write_strobed(write.burst.addr, &write.data, &write.strobes);
                let response = self.failing.write_response(write.burst.addr, &write.strobes);
                self.errors += u64::from(response != OKAY);
                model.set(self.b_resp, response);
                model.set(self.b_id, write.burst.id);
                self.answering = true;
            }
            model.set(self.b_valid, self.answering);
        }
        if !self.offering {
            let pause = r.pause();
            self.read_on(memory, cycle);
            if let Some((burst, data, taken)) = self.reading.as_ref().filter(|_| !pause) {
                let end = taken + self.lanes;
                let addr = burst.addr.wrapping_add(*taken as u64);
                model.set(self.r_id, burst.id);
                model.set(self.r_resp, self.failing.response(addr, self.lanes as u64));
                model.set_bytes(self.r_data, &data[*taken..end]);
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
            let mut data = vec![0; burst.beats * self.lanes];
            memory.read(burst.addr, &mut data);
            let mut failed = false;
            for (beat, bytes) in data.chunks_mut(self.lanes).enumerate() {
                let addr = burst.addr.wrapping_add((beat * self.lanes) as u64);
                if self.failing.response(addr, self.lanes as u64) != OKAY {
                    bytes.iter_mut().for_each(|byte| *byte = !*byte);
                    failed = true;
                }
            }
            self.errors += u64::from(failed);
            self.reading = Some((burst, data, 0));
        }
    }

    /// Sees what moved in this clock.
    pub fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        if let Some(burst) = self.aw.accept(model, self.aw_open, self.lanes, cycle)? {
            self.addresses.push_back(burst);
            self.moved += 1;
        }
        if self.w.transfers(model, self.w_open, cycle)? {
            let data = model.bytes(self.w_data).to_vec();
            let strobes = model.bytes(self.w_strobe).to_vec();
            self.beats.push_back((data, strobes, model.is_set(self.w_last)));
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
        if self.offering && model.is_set(self.r_ready) {
            self.offering = false;
            self.moved += 1;
            if let Some((_, data, taken)) = &mut self.reading {
                *taken += self.lanes;
                if *taken == data.len() {
                    self.reading = None;
                }
            }
        }
        Ok(())
    }

    /// Joins write data with its addresses, both in order.
    fn assemble(&mut self, cycle: u64) -> Result<(), Violation> {
        while let Some(burst) = self.addresses.front().copied() {
            let Some((data, strobes, last)) = self.beats.pop_front() else {
                break;
            };
            self.filling.0.extend(data);
            self.filling.1.extend(strobes);
            let beat = self.filling.0.len() / self.lanes;
            if last != (beat == burst.beats) {
                let rule = "WLAST marks the last beat of the burst, and no other (AXI A3.2.2)";
                let detail = format!("beat {beat} of {} at {:#x}", burst.beats, burst.addr);
                return Err(self.w.violation(cycle, rule, detail));
            }
            if last {
                self.last_write = Some((burst.addr, cycle));
                self.addresses.pop_front();
                let mut pending = self.pending(burst, cycle);
                (pending.data, pending.strobes) = std::mem::take(&mut self.filling);
                self.writes.push(pending);
            }
        }
        Ok(())
    }

    fn pending(&mut self, burst: Burst, cycle: u64) -> Pending {
        Pending {
            burst,
            due: cycle + u64::from(self.chance.pick(&self.latency)),
            data: Vec::new(),
            strobes: Vec::new(),
        }
    }

    /// Nothing is under way.
    pub fn is_idle(&self) -> bool {
        let queues = self.addresses.is_empty() && self.beats.is_empty();
        let answers = self.writes.count + self.reads.count == 0 && !self.answering && self.reading.is_none();
        let offers = [&self.aw.channel, &self.w, &self.ar.channel]
            .iter()
            .all(|c| c.is_idle());
        queues && answers && offers
    }

    /// Address of the write burst that was complete last, and the clock cycle in which its last beat or its address came.
    pub fn last_write(&self) -> Option<(u64, u64)> {
        self.last_write
    }

    /// Transfers so far, of all channels.
    pub fn transfers(&self) -> u64 {
        self.moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(id: u64, addr: u64, due: u64) -> Pending {
        let beats = 1;
        Pending {
            burst: Burst { id, addr, beats },
            due,
            data: Vec::new(),
            strobes: Vec::new(),
        }
    }

    #[test]
    fn only_what_meets_a_failing_line_fails() {
        let failing = Failing(vec![(0x1000, 64), (0x2040, 64)]);
        assert_eq!(failing.response(0xFF0, 16), OKAY);
        assert_eq!(failing.response(0x1030, 16), SLVERR);
        assert_eq!(failing.response(0x2000, 128), DECERR);
        assert_eq!(failing.write_response(0x1038, &[0xFF, 0xFF]), SLVERR);
        assert_eq!(failing.write_response(0x1038, &[0x00, 0xFF]), OKAY);
    }

    #[test]
    fn ids_pass_each_other_and_bursts_of_one_do_not() {
        let mut waiting = Waiting::default();
        for (id, addr, due) in [(0, 1, 50), (0, 2, 10), (6, 3, 20), (5, 4, 60), (6, 5, 20)] {
            waiting.push(pending(id, addr, due));
        }
        let mut order = Vec::new();
        for cycle in 0..100 {
            while let Some(next) = waiting.take(cycle) {
                assert!(cycle >= next.due);
                order.push((cycle, next.burst.addr));
            }
        }
        assert_eq!(order, [(20, 3), (20, 5), (50, 1), (50, 2), (60, 4)]);
        assert_eq!(waiting.count, 0);
    }
}
