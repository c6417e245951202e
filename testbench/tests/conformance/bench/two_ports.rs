//! Y with two native ports, each at the end of a wire of its own.
use super::requester::decoded;
use super::{held_by_the_model, profile, Bench};
use hca_golden::port::PortConfig;
use hca_golden::verbs::PortCounter;
use hca_golden::wire::packet::Packet;
use hca_testbench::conformance::device::ONE_PORT;
use hca_testbench::device::{Outcome, Verb};
use hca_testbench::station::Station;

/// LID of port 2; that of port 1 is 2.
pub const SECOND_LID: u16 = 0x22;
/// LID of the peer at port 2; that at port 1 has LID 1.
pub const SECOND_PEER: u16 = 0x11;

/// Runs a case on the golden model as a device with two ports.
pub fn on_the_model(port: PortConfig, case: impl FnOnce(&mut Bench)) {
    held_by_the_model(port, 2, |y| {
        y.begin_second_port();
        case(y);
    });
}

/// Runs a case on the Verilated hardware if it has two ports.
pub fn on_the_hardware(port: PortConfig, case: impl Fn(&mut Bench)) {
    if profile().ports() < 2 {
        println!("passed over: {ONE_PORT}");
        return;
    }
    super::on_the_hardware(port, |y| {
        y.begin_second_port();
        case(y);
    });
}

impl Bench {
    /// Gives port 2 its LID before a packet comes.
    fn begin_second_port(&mut self) {
        let (lid, lmc) = (SECOND_LID, 0);
        self.submit(Verb::SetLid { lid, lmc }.on_port(2));
        self.settle();
    }

    /// Packets arrive at this port, back to back; everything that comes of them comes.
    pub fn arrive_at(&mut self, port: u8, packets: &[Packet]) {
        self.submit_at(port, packets);
        self.settle();
    }

    /// Packets arrive at this port; what comes of them comes while the clock runs.
    pub fn submit_at(&mut self, port: u8, packets: &[Packet]) {
        for packet in packets {
            self.station.receive(port, packet.encode().unwrap());
        }
    }

    /// Flow-control packets arrive at this port.
    pub fn receive_link_at(&mut self, port: u8, packets: &[Vec<u8>]) {
        for packet in packets {
            self.station.receive_link(port, packet.clone());
        }
        self.settle();
    }

    /// Everything that goes out comes; the packets of each port since the last look.
    pub fn left(&mut self) -> [Vec<Packet>; 2] {
        self.settle();
        let of = |packets: Vec<Vec<u8>>| packets.iter().map(|bytes| decoded(bytes)).collect();
        [of(self.packets()), of(std::mem::take(&mut self.of_second))]
    }

    /// What a counter of each port has reached.
    pub fn counts(&mut self, counter: PortCounter) -> [u32; 2] {
        [1, 2].map(|port| {
            let verb = Verb::QueryPortCounter { counter }.on_port(port);
            match self.attempt(verb) {
                Ok(Outcome::PortCounter(count)) => count,
                other => panic!("{other:?}"),
            }
        })
    }
}

/// The packet, as it comes to port 2 from its peer there.
pub fn at_second(mut packet: Packet) -> Packet {
    let lrh = packet.lrh_mut().unwrap();
    (lrh.dlid, lrh.slid) = (SECOND_LID, SECOND_PEER);
    packet
}

/// Makes each case two tests, of a device with two ports.
macro_rules! on_both_with_two_ports {
    ($($case:ident),+ $(,)?) => {
        mod model {
            $(#[test] fn $case() {
                $crate::bench::two_ports::on_the_model($crate::bench::port(), super::$case);
            })+
        }
        mod hardware {
            $(#[test] fn $case() {
                $crate::bench::two_ports::on_the_hardware($crate::bench::port(), super::$case);
            })+
        }
    };
}
pub(crate) use on_both_with_two_ports;
