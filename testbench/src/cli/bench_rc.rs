//! `hca bench rc`, `hca bench uc` and `hca bench ud`: measure rate and latency of a service.
use super::bench_pipes::PipeTable;
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::{config, seed_of, Hardware};
use super::link::Link;
use super::Verdict;
use crate::device::golden::GoldenDevice;
use crate::device::{port_on, Device, Fault, CAPABILITIES};
use crate::fabric::Stop;
use crate::performance::latency;
use crate::performance::rate::{measure, Load, Operation, Rate};
use crate::station::{Alone, Station};
use crate::Side;
use clap::Args;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{Pmtu, Service};
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
use hca_sim::hca::SimConfig;
use hca_sim::pipes::Pipes;
use std::path::PathBuf;

/// Options of these commands.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Link framing
    #[arg(long, value_enum, default_value_t = Link::Ib)]
    link: Link,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    /// Messages of each QP
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    messages: u32,
    /// Clock cycles of host memory's answer; it does not pause
    #[arg(long, value_name = "CYCLES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    memory_latency: u32,
    /// Clock cycles that acks and responses take to the requester
    #[arg(long, value_name = "CYCLES", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    ack_delay: u64,
    /// Bytes from a page's beginning to each message, where it is read and where it is written; not of atomics
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..4096))]
    offset: u64,
    /// Seed of the memory's power-up contents
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Lengths of a message in bytes. A message is one packet at PMTU 4096.
const SIZES: [u32; 4] = [64, 256, 1024, 4096];
/// The same lengths, and the shortest ones.
const SEND_SIZES: [u32; 6] = [0, 8, 64, 256, 1024, 4096];
/// Bytes of an atomic.
const ATOMIC: [u32; 1] = [8];
/// Length of a message from and to a list, in bytes: eight packets at PMTU 1024.
const LISTED: u32 = 8192;
/// Number of SGEs of the list. If there are more than two, they are read from host memory.
const LISTS: [u32; 3] = [1, 4, 16];
/// Number of queue pairs that send requests at the same time.
const QPS: [u32; 2] = [1, 4];

/// Which side is hardware. The model, which is always faster, is the other side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// The hardware sends requests.
    Transmit,
    /// The hardware answers requests.
    Receive,
    /// Both sides are hardware and send requests.
    Both,
}

impl Direction {
    const ALL: [Direction; 3] = [Direction::Transmit, Direction::Receive, Direction::Both];

    fn name(self) -> &'static str {
        match self {
            Direction::Transmit => "asks",
            Direction::Receive => "answers",
            Direction::Both => "both",
        }
    }

    fn is_hardware(self, side: Side) -> bool {
        match self {
            Direction::Transmit => side == Side::X,
            Direction::Receive => side == Side::Y,
            Direction::Both => true,
        }
    }
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments, service: Service) -> Result<Verdict, CallError> {
    let profile = &profile_named(&arguments.profile)?.over(arguments.link.hardware());
    let hardware = Hardware::build(designs, profile, arguments.dut.as_deref(), false)?;
    let mut console = Console::new();
    let acks = match service {
        Service::Rc => format!(", acks take {}", arguments.ack_delay),
        _ => String::new(),
    };
    let over = match arguments.link {
        Link::Ib => String::new(),
        Link::Roce => format!(" over {}", arguments.link.name()),
    };
    console.line(&format!(
        "profile {}{over}, PMTU 4096, host memory answers after {} cycles{acks}; {} messages a QP, {} bytes off a page",
        profile.name, arguments.memory_latency, arguments.messages, arguments.offset
    ))?;
    let who = match service {
        Service::Rc => "X completes",
        _ => " Y receives",
    };
    console.line(&format!(
        "                                          data packets                   |    {who}"
    ))?;
    console
        .line(" operation  bytes  QPs  hardware  cycles/packet  busy cycles  with acks | cycles/message")?;
    let mut pipes = PipeTable::default();
    for &operation in Operation::of(service) {
        if operation != Operation::Send && !CAPABILITIES.remote_access {
            continue;
        }
        let sizes: &[u32] = match operation {
            Operation::FetchAdd => &ATOMIC,
            Operation::Send => &SEND_SIZES,
            _ => &SIZES,
        };
        for &bytes in sizes {
            for qps in QPS {
                for direction in Direction::ALL {
                    let sender = if operation.brings() { Side::Y } else { Side::X };
                    let load = Load {
                        link: arguments.link.golden(),
                        service,
                        operation,
                        bytes,
                        sges: 1,
                        pmtu: Pmtu::B4096,
                        qps,
                        messages: arguments.messages,
                        offset: arguments.offset,
                        both: direction == Direction::Both,
                        by_completions: !direction.is_hardware(sender),
                        ack_delay: arguments.ack_delay,
                        vls: None,
                    };
                    let what = format!("{operation:?}");
                    let rate = arguments.rate(profile, &hardware, &load, direction, &what, &mut pipes)?;
                    console.line(&row(&what, &load, direction, &rate))?;
                }
            }
        }
    }
    console.line("")?;
    // A datagram is one packet.
    let (bytes, pmtu) = match service {
        Service::Ud => (4096, Pmtu::B4096),
        _ => (LISTED, Pmtu::B1024),
    };
    let of = pmtu.bytes();
    console.line(&format!("Sends at PMTU {of}, from lists and to lists"))?;
    for sges in LISTS {
        for direction in Direction::ALL {
            let load = Load {
                link: arguments.link.golden(),
                service,
                operation: Operation::Send,
                bytes,
                sges,
                pmtu,
                qps: 1,
                messages: arguments.messages,
                offset: arguments.offset,
                both: direction == Direction::Both,
                by_completions: !direction.is_hardware(Side::X),
                ack_delay: arguments.ack_delay,
                vls: None,
            };
            let what = format!("{sges} SGEs");
            let rate = arguments.rate(profile, &hardware, &load, direction, &what, &mut pipes)?;
            console.line(&row(&what, &load, direction, &rate))?;
        }
    }
    console.line("")?;
    for line in pipes.lines() {
        console.line(&line)?;
    }
    match service {
        Service::Rc => arguments.latencies(profile, &hardware, &mut console)?,
        _ => arguments.unanswered(profile, &hardware, &mut console, service)?,
    }
    Ok(Verdict::Held)
}

impl Arguments {
    fn config(&self, profile: &Profile, side: Side) -> SimConfig {
        SimConfig {
            memory_latency: self.memory_latency..=self.memory_latency,
            memory_pauses: 0,
            combined_doorbells: true,
            ..config(profile, self.seed, side)
        }
    }

    fn port(&self, side: Side) -> PortConfig {
        port_on(self.link.golden(), side)
    }

    fn rate(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        load: &Load,
        direction: Direction,
        what: &str,
        table: &mut PipeTable,
    ) -> Result<Rate, CallError> {
        let pipes = Pipes::default();
        let station = |side| -> Result<Box<dyn Station>, CallError> {
            let device: Box<dyn Device> = match direction.is_hardware(side) {
                true => {
                    let config = SimConfig {
                        pipes: Some(pipes.clone()),
                        ..self.config(profile, side)
                    };
                    Box::new(hardware.device_behind(self.port(side), &config)?)
                }
                false => {
                    let model = GoldenDevice::new(self.port(side));
                    Box::new(model.picking(seed_of(self.seed, side)))
                }
            };
            Ok(Box::new(Alone::new(side, device)))
        };
        let stations = [station(Side::X)?, station(Side::Y)?];
        let rate = measure(load, stations, profile.stream_bits).map_err(|stop| match stop {
            Stop::Output(error) => error.into(),
            Stop::Failed(failure) => CallError::Measured(format!("{:?}", failure.kind)),
        })?;
        let row = format!(
            "{what}, {} bytes, {} QPs, {}",
            load.bytes,
            load.qps,
            direction.name()
        );
        table.add(&row, &pipes);
        Ok(rate)
    }

    /// Measures the latencies of a service without acks.
    fn unanswered(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        console: &mut Console,
        service: Service,
    ) -> Result<(), CallError> {
        let device = |side| hardware.device_behind(self.port(side), &self.config(profile, side));
        console.line("")?;
        console.line("             doorbell to  packet to receiver's")?;
        console.line(" Send bytes   first beat                   CQE")?;
        for bytes in SIZES {
            let (mut x, mut y) = (device(Side::X)?, device(Side::Y)?);
            let measured = latency::of_an_unreliable_send(&mut x, &mut y, service, bytes);
            let l = measured.map_err(|fault| CallError::Measured(fault.rule))?;
            console.line(&format!(
                "{bytes:>11} {:>12} {:>21}",
                l.doorbell_to_packet, l.packet_to_cqe
            ))?;
        }
        Ok(())
    }

    fn latencies(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        console: &mut Console,
    ) -> Result<(), CallError> {
        let device = |side| hardware.device_behind(self.port(side), &self.config(profile, side));
        let stopped = |fault: Fault| CallError::Measured(fault.rule);
        console.line("")?;
        console.line("             doorbell to  request to  ack to")?;
        console.line(" Send bytes   first beat         ack     CQE")?;
        for bytes in SIZES {
            let (mut x, mut y) = (device(Side::X)?, device(Side::Y)?);
            let l = latency::of_a_send(&mut x, &mut y, bytes).map_err(stopped)?;
            console.line(&format!(
                "{bytes:>11} {:>12} {:>11} {:>7}",
                l.doorbell_to_request, l.request_to_ack, l.ack_to_cqe
            ))?;
        }
        if CAPABILITIES.retransmits {
            for pmtu in [Pmtu::B256, Pmtu::B4096] {
                let cycles = latency::of_a_rewind(&mut device(Side::X)?, pmtu).map_err(stopped)?;
                console.line(&format!(
                    " sequence NAK to first resent beat, {} bytes: {cycles}",
                    pmtu.bytes()
                ))?;
            }
        }
        Ok(())
    }
}

fn row(what: &str, load: &Load, direction: Direction, rate: &Rate) -> String {
    format!(
        "{:>10} {:>6} {:>4}  {:>8} {:>14.1} {:>11.1}% {:>9.1}% | {:>14.1}",
        what,
        load.bytes,
        load.qps,
        direction.name(),
        rate.cycles_a_packet,
        100.0 * rate.share,
        100.0 * rate.share_with_acks,
        rate.cycles_a_message
    )
}
