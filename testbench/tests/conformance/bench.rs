//! One device, Y, watched by its model, at the end of a wire that the test holds.
mod anew;
mod clock;
pub mod credits;
pub mod memory;
pub mod neighbour;
pub mod peer;
pub mod requester;
pub mod responder;
mod seen;
pub mod two_ports;
pub mod verbs;

use hca_golden::capabilities::Capabilities;
use hca_golden::event::DropReason;
use hca_golden::port::{Link, PortConfig, FIRST};
use hca_golden::verbs::{
    Completion, Pmtu, QpAttributes, QpState, ReceiveRequest, SendOperation, SendRequest, Sge,
};
use hca_host::profile::{self, Profile, SMALL};
use hca_rtl::export::DESIGNS;
use hca_sim::hca::SimConfig;
use hca_testbench::cli::hardware::{config, Hardware};
use hca_testbench::conformance::dut::Dut;
use hca_testbench::conformance::program::PROFILE;
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{port_of, translation, Device, Transmitted, Verb, CAPABILITIES};
use hca_testbench::report::{render, Context};
use hca_testbench::scenario::connection::{Connection, RECEIVE_CQ, SEND_CQ};
use hca_testbench::scenario::region::{all_memory, L_KEY};
use hca_testbench::scoreboard::failure::{Failure, Kind};
use hca_testbench::scoreboard::Checked;
use hca_testbench::station::Station;
use hca_testbench::Side;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

pub use peer::{packet, request, response};

/// Y's QP, if the case says nothing else, and the peer's.
pub const QPN: u32 = 0x00_0B23;
pub const PEER_QPN: u32 = 0x00_0A12;
/// First PSN that Y sends.
pub const FIRST_PSN: u32 = 2000;
/// Host memory that a receive WQE names; holds [`UNTOUCHED`] before.
pub const BUFFER: u64 = 0x2000_0000;
pub const BUFFER_BYTES: usize = 2048;
pub const UNTOUCHED: u8 = 0xA5;
/// Host memory that messages come from.
pub const SOURCE: u64 = 0x1000_0000;
/// Picoseconds of a clock cycle, of either device.
pub const CYCLE_PS: u64 = 8_000;
/// Clock cycles without anything happening after which nothing more will.
const REST: u64 = 1_000;
/// Clock cycles without progress that are a hang.
const PATIENCE: u64 = 20_000;
/// Clock cycles in which the data of a packet of 1 KB that has departed is ready for the link.
const GATHERING: u64 = 2_000;
/// Clock cycles in which every step of a case must come to rest.
const LIVENESS: u64 = 100_000;

/// The device under test.
pub struct Bench {
    station: Checked,
    /// Y's QP.
    qpn: u32,
    packets: Vec<Vec<u8>>,
    /// Clock cycles of the first and of the last beat of each.
    spans: Vec<(u64, u64)>,
    /// Packets of port 2.
    of_second: Vec<Vec<u8>>,
    link_packets: Vec<Transmitted>,
    sequence: Vec<Option<u8>>,
    completions: Vec<Completion>,
    drops: BTreeMap<DropReason, u64>,
}

/// The hardware behind a native link.
pub fn hardware() -> &'static Hardware {
    hardware_on(Link::InfiniBand)
}

/// The hardware behind this link, built once for all cases: what the environment names, or our own.
fn hardware_on(link: Link) -> &'static Hardware {
    static INFINIBAND: OnceLock<Hardware> = OnceLock::new();
    static ROCE: OnceLock<Hardware> = OnceLock::new();
    let built = match link {
        Link::InfiniBand => &INFINIBAND,
        Link::Roce => &ROCE,
    };
    let profile = profile().over(translation::link(link));
    let Some(dut) = Dut::from_environment() else {
        return built.get_or_init(|| Hardware::build(DESIGNS, &profile, None, false).unwrap());
    };
    dut.must_be_behind(link);
    built.get_or_init(|| {
        let hardware = Hardware::build(DESIGNS, &profile, Some(&dut.folder), false).unwrap();
        hardware.selecting(dut.select)
    })
}

/// The configuration of the hardware: what the environment names, or `small`.
pub fn profile() -> Profile {
    match std::env::var(PROFILE) {
        Err(_) => SMALL,
        Ok(name) => {
            *profile::by_name(&name).unwrap_or_else(|| panic!("{PROFILE}: no profile is called {name}"))
        }
    }
}

/// QPs that either device has, QP0 and QP1 among them.
pub fn queue_pairs() -> usize {
    1 << profile().qp_bits
}

/// The port that Y sits behind where a case says nothing else: LID 2 alone.
pub fn port() -> PortConfig {
    port_of(Side::Y)
}

/// Runs a case on the golden model as the device, with the ports of the profile.
pub fn on_the_model(port: PortConfig, case: impl FnOnce(&mut Bench)) {
    held_by_the_model(port, profile().ports() as u8, case);
}

/// Runs a case on the golden model as a device with this number of ports; `port` is the first.
fn held_by_the_model(port: PortConfig, ports: u8, case: impl FnOnce(&mut Bench)) {
    let capabilities = Capabilities {
        max_qps: queue_pairs(),
        max_cqs: 1 << profile().cq_bits,
        region_bits: Some(profile().region_bits as u8),
        max_handles: 1 << profile().handle_bits,
        ports,
        data_vls: 1 << profile().vl_bits,
        receive_blocks: profile().receive_blocks as u16,
        port_rate: profile().port_rate() as u32,
        ..CAPABILITIES
    };
    run(port, Box::new(GoldenDevice::with(port, capabilities)), case);
}

/// Runs a case on the Verilated hardware, one at a time: with a link that is always ready, and with one that hardly is,
/// so that packets and responses pile up in the device.
pub fn on_the_hardware(port: PortConfig, case: impl Fn(&mut Bench)) {
    let _alone = alone();
    let ready = config(&profile(), 1, Side::Y);
    let busy = SimConfig {
        stream_gaps: 60,
        stream_stalls: 200,
        memory_pauses: 128,
        register_pauses: 60,
        ..config(&profile(), 2, Side::Y)
    };
    for config in [ready, busy] {
        let device = hardware_on(port.link).device_behind(port, &config).unwrap();
        run(port, Box::new(device), &case);
    }
}

/// Held while a simulation runs.
pub fn alone() -> impl Drop {
    static RUNNING: Mutex<()> = Mutex::new(());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(port: PortConfig, device: Box<dyn Device>, case: impl FnOnce(&mut Bench)) {
    let mut bench = Bench {
        station: Checked::new(Side::Y, device, port, PATIENCE),
        qpn: QPN,
        packets: Vec::new(),
        spans: Vec::new(),
        of_second: Vec::new(),
        link_packets: Vec::new(),
        sequence: Vec::new(),
        completions: Vec::new(),
        drops: BTreeMap::new(),
    };
    case(&mut bench);
    bench.settle();
    let packets = [bench.packets, bench.of_second].concat();
    assert_eq!(
        packets,
        Vec::<Vec<u8>>::new(),
        "packets that the case did not expect"
    );
    assert_eq!(bench.completions, [], "completions that the case did not expect");
    held(bench.station.finish());
}

fn held(outcome: Result<(), Box<Failure>>) {
    let context = Context {
        scenario: "conformance",
        seed: 1,
        replay: "cargo test --workspace --test conformance",
    };
    if let Err(failure) = outcome {
        panic!("{}", render(&failure, &context));
    }
}

/// The attributes of Y's QP: PMTU 256, RNR timer code 12.
pub fn attributes(expected_psn: u32) -> QpAttributes {
    attributes_on(Link::InfiniBand, expected_psn)
}

/// [`attributes`] of a connection over this link.
pub fn attributes_on(link: Link, expected_psn: u32) -> QpAttributes {
    let connection = Connection {
        link,
        pmtu: Pmtu::B256,
        x_psn: expected_psn,
        y_psn: FIRST_PSN,
        entries: 16,
    };
    QpAttributes {
        min_rnr_timer: 12,
        ..connection.attributes(Side::Y)
    }
}

impl Bench {
    /// Takes Y's QP to RTS; its responder expects this PSN first.
    pub fn connect(&mut self, expected_psn: u32) {
        self.create(&attributes(expected_psn));
        for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
            self.modify(state);
        }
    }

    /// Makes Y's QP, in Reset.
    pub fn create(&mut self, attributes: &QpAttributes) {
        self.station.register(BUFFER, BUFFER_BYTES as u64);
        self.station.write_memory(BUFFER, &[UNTOUCHED; BUFFER_BYTES]);
        let message: Vec<u8> = (0..BUFFER_BYTES).map(|i| (i * 7 + i / 251) as u8).collect();
        self.station.write_memory(SOURCE, &message);
        for cqn in [SEND_CQ, RECEIVE_CQ] {
            self.submit(Verb::CreateCq { cqn, entries: 128 });
        }
        self.submit(Verb::RegMr { region: all_memory() });
        self.create_another(attributes);
    }

    /// Makes another QP, in Reset; the methods speak of this one from now on.
    pub fn create_another(&mut self, attributes: &QpAttributes) {
        self.qpn = attributes.qpn;
        self.submit(Verb::CreateQp {
            attributes: attributes.clone(),
            send_entries: 16,
            receive_entries: 16,
        });
        self.settle();
    }

    /// The methods speak of this QP from now on.
    pub fn turn_to(&mut self, qpn: u32) {
        self.qpn = qpn;
    }

    /// Moves Y's QP to a state.
    pub fn modify(&mut self, state: QpState) {
        let qpn = self.qpn;
        self.submit(Verb::ModifyQp { qpn, state });
        self.settle();
    }

    /// Starts a verb.
    pub fn submit(&mut self, verb: Verb) {
        self.station.submit(verb);
    }

    /// Posts a receive WQE of so many bytes at `offset` of the buffer; the device knows of it then.
    pub fn post_receive(&mut self, wr_id: u64, offset: u64, length: u32) {
        self.submit_receive(wr_id, offset, length);
        self.settle();
    }

    /// Posts a receive WQE of so many bytes at `offset` of the buffer.
    pub fn submit_receive(&mut self, wr_id: u64, offset: u64, length: u32) {
        let request = ReceiveRequest {
            wr_id,
            sges: segment(BUFFER + offset, length),
        };
        let qpn = self.qpn;
        self.submit(Verb::PostReceive { qpn, request });
    }

    /// Posts a signaled Send of so many bytes and lets its packets go out.
    pub fn post_send(&mut self, wr_id: u64, length: u32) {
        self.submit_send(wr_id, length);
        self.settle();
    }

    /// Posts a Send of so many bytes, which device and model refuse.
    pub fn refused_send(&mut self, length: u32) {
        self.submit_send(0, length);
        self.refusal();
    }

    /// Device and model refuse what was submitted last.
    pub fn refusal(&mut self) {
        for _ in 0..LIVENESS {
            let Err(failure) = self.station.step() else {
                continue;
            };
            match &failure.kind {
                Kind::Verb {
                    expected: Err(_),
                    actual: Err(_),
                    ..
                } => return,
                _ => held(Err(failure)),
            }
        }
        panic!("a verb has no outcome");
    }

    /// Posts a signaled Send of so many bytes.
    pub fn submit_send(&mut self, wr_id: u64, length: u32) {
        let request = SendRequest {
            wr_id,
            operation: SendOperation::Send,
            sges: segment(SOURCE, length),
            signaled: true,
            ..SendRequest::default()
        };
        let qpn = self.qpn;
        self.submit(Verb::PostSend { qpn, request });
    }

    /// Posts a signaled Send of so many bytes, lets some packets go out, and this packet arrives while more do.
    pub fn interrupt_send(&mut self, wr_id: u64, length: u32, packets: usize, arriving: Vec<u8>) {
        self.submit_send(wr_id, length);
        for _ in 0..LIVENESS {
            if self.packets.len() >= packets {
                break;
            }
            self.step();
        }
        self.station.receive(FIRST, arriving);
        self.settle();
    }

    /// Packets arrive back to back; everything that comes of them comes.
    pub fn receive(&mut self, packets: &[Vec<u8>]) {
        for packet in packets {
            self.station.receive(FIRST, packet.clone());
        }
        self.settle();
    }

    /// A packet arrives that the link has marked as bad at its end.
    pub fn receive_bad(&mut self, packet: Vec<u8>) {
        self.station.receive_bad(FIRST, packet);
        self.settle();
    }

    /// Flow-control packets arrive.
    pub fn receive_link(&mut self, packets: &[Vec<u8>]) {
        for packet in packets {
            self.station.receive_link(FIRST, packet.clone());
        }
        self.settle();
    }

    /// The link takes nothing from the port while it is held. A packet that has started waits in the middle.
    pub fn hold_link(&mut self, is_held: bool) {
        self.station.hold_link(FIRST, is_held);
    }

    /// Host memory answers the device nothing while it is held.
    pub fn hold_memory(&mut self, is_held: bool) {
        self.station.hold_memory(is_held);
    }

    /// Packets arrive while host memory answers nothing, until they fill the device, and longer.
    pub fn receive_without_memory(&mut self, packets: &[Vec<u8>], cycles: u64) {
        self.hold_memory(true);
        for packet in packets {
            self.station.receive(FIRST, packet.clone());
        }
        self.run_cycles(cycles);
        self.hold_memory(false);
        self.settle();
    }

    /// Runs until so many packets that have departed wait for the link, and their data with them.
    pub fn gather(&mut self, packets: usize) {
        for _ in 0..LIVENESS {
            if self.station.departed() >= packets {
                self.run_cycles(GATHERING);
                return;
            }
            self.step();
        }
        panic!("{packets} packets do not gather");
    }

    /// Flow-control packets arrive; what comes of them comes while the clock runs.
    pub fn submit_link(&mut self, packets: &[Vec<u8>]) {
        for packet in packets {
            self.station.receive_link(FIRST, packet.clone());
        }
    }

    /// Runs until nothing happens any more. Not coming to rest is a failure.
    pub fn settle(&mut self) {
        let mut still = 0;
        for _ in 0..LIVENESS {
            let came = self.step();
            let waits = self.station.waits_for_turns() && self.station.is_still();
            still = if came || !(self.station.at_rest() || waits) {
                0
            } else {
                still + 1
            };
            if still == REST {
                return;
            }
        }
        panic!(
            "no rest in {LIVENESS} cycles; due: {:?}",
            self.station.open_work()
        );
    }

    /// Runs so many clock cycles, then until nothing happens any more.
    pub fn run_for(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.step();
        }
        self.settle();
    }

    /// Runs so many clock cycles, and no more.
    pub fn run_cycles(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// Runs one clock cycle; true if anything came out.
    fn step(&mut self) -> bool {
        held(self.station.step());
        let seen = |y: &Bench| y.packets.len() + y.of_second.len() + y.completions.len();
        let before = seen(self);
        while let Some(packet) = self.station.transmitted() {
            if packet.port != FIRST && !packet.is_link {
                self.of_second.push(packet.bytes);
                continue;
            }
            let vl = packet.bytes.first().map(|first| first >> 4);
            self.sequence.push(vl.filter(|_| !packet.is_link));
            match packet.is_link {
                true => self.link_packets.push(packet),
                false => {
                    self.spans.push((packet.first_beat, packet.cycle));
                    self.packets.push(packet.bytes);
                }
            }
        }
        while let Some(completion) = self.station.completion() {
            self.completions.push(completion);
        }
        seen(self) > before
    }

    /// The state that the device reported last.
    pub fn state(&self) -> QpState {
        self.station.model().query(self.qpn).unwrap().state
    }

    /// Bytes of the buffer.
    pub fn buffer(&self, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.station.read_memory(BUFFER + offset, &mut bytes);
        bytes
    }
}

fn segment(addr: u64, length: u32) -> Vec<Sge> {
    let l_key = L_KEY;
    vec![Sge { addr, length, l_key }]
}

/// Makes each case two tests.
macro_rules! on_both {
    ($($case:ident),+ $(,)?) => {
        $crate::bench::on_both!(behind $crate::bench::port(); $($case),+);
    };
    (behind $port:expr; $($case:ident),+ $(,)?) => {
        mod model {
            $(#[test] fn $case() { $crate::bench::on_the_model($port, super::$case); })+
        }
        mod hardware {
            $(#[test] fn $case() { $crate::bench::on_the_hardware($port, super::$case); })+
        }
    };
}
pub(crate) use on_both;
