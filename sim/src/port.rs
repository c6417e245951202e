//! The link of one port of a Verilated HCA.
use crate::handshake::Violation;
use crate::stream::{Packet, Sink, Source};
use crate::verilated::{Direction, Error, Library, Model, Port};

/// The pins of a port, with the neighbour at the other end of its cable.
pub struct SimPort {
    pub(crate) source: Source,
    pub(crate) sink: Sink,
    link_up: Port,
    link_enable: Port,
    /// True if a cable with a live neighbour is in the port.
    cable: bool,
}

impl SimPort {
    /// Returns the prefix of the pins of a port, by its number from 1 on.
    pub(crate) fn prefix(number: usize) -> String {
        match number {
            1 => String::new(),
            number => format!("port_{number}_"),
        }
    }

    pub(crate) fn new(
        library: &Library,
        number: usize,
        source: Source,
        sink: Sink,
    ) -> Result<SimPort, Error> {
        let pin = |name, direction| library.expect(&(SimPort::prefix(number) + name), direction, 1);
        Ok(SimPort {
            source,
            sink,
            link_up: pin("link_up", Direction::In)?,
            link_enable: pin("link_enable", Direction::Out)?,
            cable: true,
        })
    }

    pub(crate) fn drive(&mut self, model: &mut Model, cycle: u64) {
        self.source.drive(model, cycle);
        self.sink.drive(model);
        model.set(self.link_up, self.cable && model.is_set(self.link_enable));
    }

    pub(crate) fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        self.source.sample(model, cycle)?;
        self.sink.sample(model, cycle)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.source.is_idle() && self.sink.is_idle()
    }

    pub(crate) fn lets_link_up(&self, model: &Model) -> bool {
        model.is_set(self.link_enable)
    }

    /// Queues a packet (LRH to VCRC) at the link's input. Packets arrive in this order.
    pub fn send_packet(&mut self, packet: Vec<u8>) {
        self.source.push(packet);
    }

    /// Queues a packet that ends as bad (EBP) at the link's input, in the order of
    /// [`send_packet`](SimPort::send_packet).
    pub fn send_bad(&mut self, packet: Vec<u8>) {
        self.source.push_bad(packet);
    }

    /// Queues a link packet at the link's input, in the order of [`send_packet`](SimPort::send_packet). A correct link
    /// packet has six bytes (`protocol/link.md` section 4).
    pub fn send_link_packet(&mut self, packet: Vec<u8>) {
        self.source.push_link(packet);
    }

    /// Makes the link take nothing from the port while `is_held`, beyond the pauses of the configuration.
    pub fn hold_link(&mut self, is_held: bool) {
        self.sink.hold(is_held);
    }

    /// Sets whether a cable with a live neighbour is in the port, so that the link comes up when the adapter enables
    /// it. It is in the port after a reset.
    pub fn set_cable(&mut self, is_in: bool) {
        self.cable = is_in;
    }

    /// Returns true if a cable is in the port.
    pub fn has_cable(&self) -> bool {
        self.cable
    }

    /// Takes the next packet that left by the port, in the order of the stream. Link packets are included.
    pub fn packet_out(&mut self) -> Option<Packet> {
        self.sink.pop()
    }
}
