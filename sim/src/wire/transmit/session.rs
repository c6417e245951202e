//! One run of packets through the builder.
use super::{Departure, Header, TransmitError, TransmitPauses, Transmitter};
use crate::chance::{Chance, Pauses};
use crate::stream::Sink;
use crate::verilated::Error;

/// Number of the first channel of the bench's draws; a run has four.
const CHANNEL: u64 = 1024;
/// Number of clocks without progress after which the run ends as failed.
const PATIENCE: u64 = 5000;
/// Number of clocks in which nothing may follow the last packet.
const QUIET: u64 = 40;

struct Session<'a> {
    bench: &'a mut Transmitter,
    packets: &'a [(Header, Vec<u8>)],
    headers: Headers,
    payload: Payload,
    sink: Sink,
    built: Vec<Departure>,
}

/// The header channel.
struct Headers {
    pauses: Pauses,
    offered: bool,
    /// Clock cycle in which each header was taken.
    taken: Vec<u64>,
}

/// The payload channel.
struct Payload {
    pauses: Pauses,
    /// Random values of the lanes behind a packet's last byte.
    filler: Chance,
    offered: bool,
    packet: usize,
    /// Number of bytes of that packet that were taken.
    taken: usize,
}

impl Transmitter {
    /// Builds the packets and waits for them. Returns one departure for each packet, in order. A payload has 0 to 4096
    /// bytes.
    ///
    /// # Errors
    /// If the packet builder breaks a rule, see [`TransmitError`].
    pub fn run(
        &mut self,
        packets: &[(Header, Vec<u8>)],
        pauses: TransmitPauses,
    ) -> Result<Vec<Departure>, TransmitError> {
        self.runs += 1;
        Session::new(self, packets, pauses)?.run()
    }
}

impl<'a> Session<'a> {
    fn new(
        bench: &'a mut Transmitter,
        packets: &'a [(Header, Vec<u8>)],
        pauses: TransmitPauses,
    ) -> Result<Session<'a>, Error> {
        let first = CHANNEL + 4 * bench.runs;
        let draw = |channel| Chance::new(bench.seed, first + channel);
        let drawn = |channel, of_256: u8| Pauses::new(draw(channel), of_256.into());
        let (library, bits) = (bench.model.library(), bench.stream_bits);
        Ok(Session {
            headers: Headers {
                pauses: drawn(0, pauses.gap),
                offered: false,
                taken: vec![],
            },
            payload: Payload {
                pauses: drawn(1, pauses.gap),
                filler: draw(2),
                offered: false,
                packet: 0,
                taken: 0,
            },
            sink: Sink::new(library, "m_axis", bits, drawn(3, pauses.stall))?,
            built: vec![],
            packets,
            bench,
        })
    }

    fn run(mut self) -> Result<Vec<Departure>, TransmitError> {
        let mut progress = self.bench.cycle;
        while self.built.len() < self.packets.len() || self.headers.offered || self.payload.offered {
            if self.clock()? {
                progress = self.bench.cycle;
            }
            if self.bench.cycle > progress + PATIENCE {
                return Err(TransmitError::Stuck {
                    cycle: self.bench.cycle,
                    built: self.built.len(),
                    wanted: self.packets.len(),
                });
            }
        }
        let beats = self.sink.beats();
        for _ in 0..QUIET {
            self.clock()?;
            if self.sink.beats() != beats || !self.sink.is_idle() {
                let cycle = self.bench.cycle;
                return Err(TransmitError::Surplus { cycle });
            }
        }
        Ok(self.built)
    }

    /// Runs one clock. Returns true if anything moved.
    fn clock(&mut self) -> Result<bool, TransmitError> {
        self.offer_header();
        self.offer_payload();
        self.sink.drive(&mut self.bench.model);
        self.bench.settle()?;

        let cycle = self.bench.cycle;
        let (model, ports) = (&self.bench.model, &self.bench.ports);
        let beats = self.sink.beats();
        self.sink.sample(model, cycle)?;
        let mut moved = self.sink.beats() != beats;
        if self.headers.offered && model.is_set(ports.header_ready) {
            self.headers.offered = false;
            self.headers.taken.push(cycle);
            moved = true;
        }
        if self.payload.offered && model.is_set(ports.payload_ready) {
            self.payload.offered = false;
            self.payload.taken += self.bench.stream_bits as usize / 8;
            moved = true;
        }
        let packet = self.sink.pop();
        let (sent, leaves) = (model.is_set(ports.sent), packet.is_some());
        if sent != leaves {
            return Err(TransmitError::Sent { cycle, sent, leaves });
        }
        if let Some(packet) = packet {
            let taken = self.headers.taken.get(self.built.len()).copied();
            self.built.push(Departure {
                bytes: packet.bytes,
                taken: taken.ok_or(TransmitError::Surplus { cycle })?,
                first_beat: packet.first_beat,
                last_beat: packet.last_beat,
            });
        }
        self.bench.tick()?;
        Ok(moved)
    }

    fn offer_header(&mut self) {
        if self.headers.offered {
            return;
        }
        let next = self.packets.get(self.headers.taken.len());
        let next = next.filter(|_| !self.headers.pauses.pause());
        if let Some((header, payload)) = next {
            let port = header.port(payload.len());
            self.bench.model.set_bytes(self.bench.ports.header, &port);
        }
        self.headers.offered = next.is_some();
        let valid = self.bench.ports.header_valid;
        self.bench.model.set(valid, self.headers.offered);
    }

    fn offer_payload(&mut self) {
        if self.payload.offered {
            return;
        }
        let Payload { packet, taken, .. } = &mut self.payload;
        while self.packets.get(*packet).is_some_and(|(_, p)| *taken >= p.len()) {
            (*packet, *taken) = (*packet + 1, 0);
        }
        let next = self.packets.get(*packet).map(|(_, p)| &p[*taken..]);
        let next = next.filter(|_| !self.payload.pauses.pause());
        if let Some(rest) = next {
            let lanes = self.bench.stream_bits as usize / 8;
            let mut beat = rest[..rest.len().min(lanes)].to_vec();
            let filler = &mut self.payload.filler;
            beat.resize_with(lanes, || filler.pick(&(0..=255)) as u8);
            // Byte 0 is at the most significant end.
            beat.reverse();
            self.bench.model.set_bytes(self.bench.ports.payload, &beat);
        }
        self.payload.offered = next.is_some();
        let valid = self.bench.ports.payload_valid;
        self.bench.model.set(valid, self.payload.offered);
    }
}
