//! AXI4-Stream: whole packets go in, whole packets come out. Byte 0 of a packet is in `tdata[7:0]` of its first beat.
use crate::cable::{Beat, CableEnd};
use crate::chance::Pauses;
use crate::handshake::{Channel, Violation};
use crate::pipes::{Meter, Pipe, Pipes};
use crate::verilated::{Direction, Error, Library, Model, Port, PortInfo};
use std::collections::VecDeque;

/// The ports of one stream.
struct Ports {
    data: Port,
    keep: Port,
    last: Port,
    valid: Port,
    ready: Port,
    /// `TUSER` of packets that leave, which marks link packets. Some blocks do not have this port.
    link: Option<Port>,
    /// Number of bytes of a beat.
    lanes: usize,
}

impl Ports {
    /// Finds the ports `PREFIX_tdata` and so on; the data port has direction `data`.
    fn find(library: &Library, prefix: &str, bits: u32, data: Direction) -> Result<Ports, Error> {
        let ready = match data {
            Direction::In => Direction::Out,
            Direction::Out => Direction::In,
        };
        let port = |name, direction, bits| library.expect(&format!("{prefix}_{name}"), direction, bits);
        let user = format!("{prefix}_tuser");
        let is_named = |info: &PortInfo| info.name == user && info.direction == Direction::Out;
        let link = match data {
            Direction::Out if library.ports().iter().any(is_named) => {
                Some(library.expect(&user, Direction::Out, 1)?)
            }
            _ => None,
        };
        Ok(Ports {
            link,
            data: port("tdata", data, bits)?,
            keep: port("tkeep", data, bits / 8)?,
            last: port("tlast", data, 1)?,
            valid: port("tvalid", data, 1)?,
            ready: port("tready", ready, 1)?,
            lanes: bits as usize / 8,
        })
    }
}

/// What the link reports about a packet besides its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    /// A packet that ended as good.
    #[default]
    Good,
    /// A packet that ended as bad (EBP).
    EndsBad,
    /// A link packet.
    Link,
}

/// A packet on its way into the hardware.
struct Arriving {
    bytes: Vec<u8>,
    mark: Mark,
}

/// Feeds packets into a stream of the hardware.
pub struct Source {
    ports: Ports,
    /// The port `tuser`, if the stream has it.
    user: Option<Port>,
    pauses: Pauses,
    /// The cable from which all beats come, if there is one.
    cable: Option<CableEnd>,
    packets: VecDeque<Arriving>,
    /// Number of bytes of the front packet that the hardware has taken.
    taken: usize,
    offering: bool,
    /// True if the beat that is offered, or was offered last, is the last of its packet; true before the first.
    ends: bool,
    beats: u64,
    /// Clock cycle in which the hardware last took the last beat of a packet.
    last_packet: Option<u64>,
    name: String,
    meter: Option<Meter>,
    /// True if the hardware has taken the first beat of a packet, and not the last.
    is_within: bool,
}

impl Source {
    /// Makes a source at the ports `PREFIX_tdata` and so on, which are `bits` wide.
    pub fn new(library: &Library, prefix: &str, bits: u32, pauses: Pauses) -> Result<Source, Error> {
        Ok(Source {
            ports: Ports::find(library, prefix, bits, Direction::In)?,
            user: None,
            pauses,
            cable: None,
            packets: VecDeque::new(),
            taken: 0,
            offering: false,
            ends: true,
            beats: 0,
            last_packet: None,
            name: prefix.to_owned(),
            meter: None,
            is_within: false,
        })
    }

    /// Makes a source of a link. Its port `PREFIX_tuser` marks link packets in bit 0 and bad ends in bit 1.
    pub fn of_link(library: &Library, prefix: &str, bits: u32, pauses: Pauses) -> Result<Source, Error> {
        let user = library.expect(&format!("{prefix}_tuser"), Direction::In, 2)?;
        let source = Source::new(library, prefix, bits, pauses)?;
        Ok(Source {
            user: Some(user),
            ..source
        })
    }

    /// Takes all beats from this cable. Packets that are queued then never come in.
    pub fn from_cable(self, cable: Option<CableEnd>) -> Source {
        Source { cable, ..self }
    }

    /// Counts the clocks within packets.
    pub(crate) fn counting(self, pipes: Option<&Pipes>) -> Source {
        let meter = pipes.map(|pipes| Meter::new(Pipe::FromLink, pipes));
        Source { meter, ..self }
    }

    fn push_marked(&mut self, bytes: Vec<u8>, mark: Mark) {
        if !bytes.is_empty() {
            self.packets.push_back(Arriving { bytes, mark });
        }
    }

    /// Queues a packet. An empty one cannot be sent and is ignored.
    pub fn push(&mut self, packet: Vec<u8>) {
        self.push_marked(packet, Mark::Good);
    }

    /// Queues a packet that ends as bad, whatever its bytes say.
    pub fn push_bad(&mut self, packet: Vec<u8>) {
        self.push_marked(packet, Mark::EndsBad);
    }

    /// Queues a link packet.
    pub fn push_link(&mut self, packet: Vec<u8>) {
        self.push_marked(packet, Mark::Link);
    }

    /// Sets the ports for this clock.
    pub fn drive(&mut self, model: &mut Model, cycle: u64) {
        // An offer stands until it is taken.
        if self.offering {
            return;
        }
        if let Some(cable) = &self.cable {
            let beat = match self.pauses.pause() {
                true => None,
                false => cable.arrived(cycle),
            };
            match beat {
                Some(beat) => {
                    let mark = if beat.is_link { Mark::Link } else { Mark::Good };
                    self.offer(model, &beat.bytes, beat.last, mark);
                }
                None => model.set(self.ports.valid, false),
            }
            return;
        }
        let packet = self.packets.front().filter(|_| !self.pauses.pause());
        let Some(packet) = packet else {
            model.set(self.ports.valid, false);
            return;
        };
        let rest = &packet.bytes[self.taken..];
        let used = rest.len().min(self.ports.lanes);
        let (beat, ends, mark) = (rest[..used].to_vec(), rest.len() == used, packet.mark);
        self.offer(model, &beat, ends, mark);
    }

    fn offer(&mut self, model: &mut Model, beat: &[u8], ends: bool, mark: Mark) {
        model.set_bytes(self.ports.data, beat);
        model.set(self.ports.keep, u64::MAX >> (64 - beat.len()));
        model.set(self.ports.last, ends);
        if let Some(user) = self.user {
            let marks = match mark {
                Mark::Good => 0,
                Mark::EndsBad => u64::from(ends) << 1,
                Mark::Link => 1,
            };
            model.set(user, marks);
        }
        model.set(self.ports.valid, true);
        (self.offering, self.ends) = (true, ends);
    }

    /// Notes what the hardware took in this clock.
    pub fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        if !self.offering {
            return Ok(());
        }
        let taken = model.is_set(self.ports.ready);
        match &mut self.meter {
            Some(meter) if taken => meter.moves(self.ends),
            Some(meter) if self.is_within => meter.stands(&self.name, cycle)?,
            _ => (),
        }
        if !taken {
            return Ok(());
        }
        self.is_within = !self.ends;
        self.offering = false;
        self.beats += 1;
        self.taken += self.ports.lanes;
        if self.ends {
            self.packets.pop_front();
            self.taken = 0;
            self.last_packet = Some(cycle);
        }
        Ok(())
    }

    /// Returns true if no packet waits.
    pub fn is_idle(&self) -> bool {
        let is_clear = |cable: &CableEnd| cable.is_empty() && self.ends && !self.offering;
        self.packets.is_empty() && self.cable.as_ref().is_none_or(is_clear)
    }

    /// Returns the number of beats taken so far.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    /// Returns the clock cycle in which the hardware last took the last beat of a packet.
    pub fn last_packet(&self) -> Option<u64> {
        self.last_packet
    }
}

/// A packet that left the hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub bytes: Vec<u8>,
    /// Clock cycle of the first beat.
    pub first_beat: u64,
    /// Clock cycle of the last beat.
    pub last_beat: u64,
    /// True for a link packet, which is one of flow control (`protocol/link.md` section 4).
    pub is_link: bool,
}

/// Takes packets from a stream of the hardware.
pub struct Sink {
    ports: Ports,
    channel: Channel,
    pauses: Pauses,
    /// The cable to which all beats go, if there is one.
    cable: Option<CableEnd>,
    meter: Option<Meter>,
    is_held: bool,
    ready: bool,
    current: Option<Packet>,
    packets: VecDeque<Packet>,
    beats: u64,
}

impl Sink {
    /// Makes a sink at the ports `PREFIX_tdata` and so on, which are `bits` wide.
    pub fn new(library: &Library, prefix: &str, bits: u32, pauses: Pauses) -> Result<Sink, Error> {
        let ports = Ports::find(library, prefix, bits, Direction::Out)?;
        let mut payload = vec![ports.data, ports.keep, ports.last];
        payload.extend(ports.link);
        Ok(Sink {
            channel: Channel::new(prefix, ports.valid, payload),
            ports,
            pauses,
            cable: None,
            meter: None,
            is_held: false,
            ready: false,
            current: None,
            packets: VecDeque::new(),
            beats: 0,
        })
    }

    /// Passes each beat to this cable, too.
    pub fn to_cable(self, cable: Option<CableEnd>) -> Sink {
        Sink { cable, ..self }
    }

    /// Counts the clocks within packets.
    pub(crate) fn counting(self, pipes: Option<&Pipes>) -> Sink {
        let meter = pipes.map(|pipes| Meter::new(Pipe::ToLink, pipes));
        Sink { meter, ..self }
    }

    /// Takes nothing while `is_held`.
    pub fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Sets the ports for this clock.
    pub fn drive(&mut self, model: &mut Model) {
        self.ready = !self.pauses.pause() && !self.is_held;
        model.set(self.ports.ready, self.ready);
    }

    /// Takes the hardware's beat of this clock.
    pub fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        let last = model.is_set(self.ports.last);
        let moved = self.channel.transfers(model, self.ready, cycle)?;
        match &mut self.meter {
            Some(meter) if moved => meter.moves(last),
            Some(meter) if self.ready && self.current.is_some() => {
                meter.stands(self.channel.name(), cycle)?;
            }
            _ => (),
        }
        if !moved {
            return Ok(());
        }
        self.beats += 1;
        let keep = model.get(self.ports.keep);
        let used = keep.trailing_ones() as usize;
        let lanes = self.ports.lanes;
        if used == 0 || keep.count_ones() as usize != used {
            let rule = "TKEEP must be contiguous from lane 0";
            return Err(self.channel.violation(cycle, rule, format!("it is {keep:#x}")));
        }
        if used != lanes && !last {
            let rule = "only a packet's last beat may be partial";
            return Err(self.channel.violation(cycle, rule, format!("TKEEP is {keep:#x}")));
        }
        let is_link = self.ports.link.is_some_and(|port| model.is_set(port));
        if is_link && (self.current.is_some() || !last) {
            let rule = "a link packet is one beat, between other packets";
            return Err(self.channel.violation(cycle, rule, String::new()));
        }
        let packet = self.current.get_or_insert_with(|| Packet {
            bytes: Vec::new(),
            first_beat: cycle,
            last_beat: cycle,
            is_link,
        });
        let beat = &model.bytes(self.ports.data)[..used];
        packet.bytes.extend_from_slice(beat);
        if let Some(cable) = &self.cable {
            let bytes = beat.to_vec();
            cable.send(cycle, Beat { bytes, last, is_link });
        }
        packet.last_beat = cycle;
        if last {
            self.packets.extend(self.current.take());
        }
        Ok(())
    }

    /// Takes the next whole packet.
    pub fn pop(&mut self) -> Option<Packet> {
        self.packets.pop_front()
    }

    /// Returns true if no packet is partly received.
    pub fn is_idle(&self) -> bool {
        self.current.is_none() && self.channel.is_idle()
    }

    /// Returns the number of beats received so far.
    pub fn beats(&self) -> u64 {
        self.beats
    }
}
