//! The pipes at the adapter's buses move in each clock: what host memory returns is taken at once, a packet that has
//! begun to leave or to come stops for its CRCs at most.
use hca_golden::port::Link;
use hca_golden::verbs::{Pmtu, Service};
use hca_host::profile::{Profile, MID, SMALL};
use hca_rtl::export::DESIGNS;
use hca_sim::hca::SimConfig;
use hca_sim::pipes::{Clocks, Pipe, Pipes};
use hca_testbench::cli::hardware::{config, Hardware};
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{port_on, Device};
use hca_testbench::fabric::Stop;
use hca_testbench::performance::rate::{measure, Load, Operation};
use hca_testbench::station::{Alone, Station};
use hca_testbench::Side;

/// Clocks from a packet's beat before the last to its last beat, if it leaves alone: those of its CRCs.
const CRC: u64 = 11;

/// 40 messages of one queue pair, in packets of at most 1024 bytes of payload.
fn load(service: Service, operation: Operation, bytes: u32, sges: u32, hardware: Side) -> Load {
    let sender = if operation.brings() { Side::Y } else { Side::X };
    Load {
        link: Link::InfiniBand,
        service,
        operation,
        bytes,
        sges,
        pmtu: Pmtu::B1024,
        qps: 1,
        messages: 40,
        offset: 0,
        both: false,
        by_completions: sender != hardware,
        ack_delay: 1,
        vls: None,
    }
}

/// Runs a load between the hardware on this side and the model, and returns why it stopped. Host memory answers after
/// one clock; each of its channels pauses in `memory_pauses` of 256 clocks on average.
fn run(profile: &Profile, side: Side, load: &Load, memory_pauses: u32, pipes: &Pipes) -> Result<(), String> {
    let hardware = Hardware::build(DESIGNS, profile, None, false).unwrap();
    let config = SimConfig {
        memory_latency: 1..=1,
        memory_pauses,
        combined_doorbells: true,
        pipes: Some(pipes.clone()),
        ..config(profile, 1, side)
    };
    let stations = Side::BOTH.map(|s| -> Box<dyn Station> {
        let port = port_on(load.link, s);
        let device: Box<dyn Device> = match s == side {
            true => Box::new(hardware.device_behind(port, &config).unwrap()),
            false => Box::new(GoldenDevice::new(port).picking(1)),
        };
        Box::new(Alone::new(s, device))
    });
    match measure(load, stations, profile.stream_bits) {
        Ok(_) => Ok(()),
        Err(Stop::Failed(failure)) => Err(format!("{:?}", failure.kind)),
        Err(Stop::Output(error)) => panic!("{error}"),
    }
}

/// Ends a run when a packet to the link stands still for more than [`CRC`] clocks between its first beat and its last,
/// or when a beat from the link or from host memory is not taken in the clock in which it is offered.
fn asserted() -> Pipes {
    Pipes::default()
        .asserting(Pipe::ToLink, CRC)
        .asserting(Pipe::FromLink, 0)
        .asserting(Pipe::FromMemory, 0)
}

#[test]
fn packets_to_the_link_go_on() {
    for profile in [SMALL, MID] {
        for (service, operation) in [
            (Service::Rc, Operation::Send),
            (Service::Rc, Operation::Write),
            (Service::Uc, Operation::WriteImm),
            (Service::Ud, Operation::Send),
        ] {
            for (bytes, sges) in [(64, 1), (1024, 1), (1024, 4), (1024, 16)] {
                let pipes = asserted();
                let load = load(service, operation, bytes, sges, Side::X);
                run(&profile, Side::X, &load, 0, &pipes).unwrap();
                let beats = u64::from(bytes) * 40 * 8 / profile.stream_bits as u64;
                assert!(pipes.clocks(Pipe::ToLink).moved > beats, "{load:?}");
            }
        }
    }
}

#[test]
fn responses_to_the_link_go_on() {
    for profile in [SMALL, MID] {
        for bytes in [64, 1024, 4096] {
            let load = load(Service::Rc, Operation::Read, bytes, 1, Side::Y);
            run(&profile, Side::Y, &load, 0, &asserted()).unwrap();
        }
    }
}

#[test]
fn packets_from_the_link_are_taken() {
    for profile in [SMALL, MID] {
        for bytes in [1024, 4096] {
            let pipes = asserted();
            let load = load(Service::Rc, Operation::Send, bytes, 1, Side::Y);
            run(&profile, Side::Y, &load, 0, &pipes).unwrap();
            let Clocks { moved, stood, most } = pipes.clocks(Pipe::FromLink);
            assert!(moved > u64::from(bytes) * 40 * 8 / profile.stream_bits as u64);
            assert_eq!((stood, most), (0, 0));
        }
    }
}

#[test]
fn a_packet_that_is_not_taken_ends_the_run() {
    // At first, requests of four queue pairs come faster than the responder takes them.
    let load = Load {
        qps: 4,
        ..load(Service::Rc, Operation::Send, 0, 1, Side::Y)
    };
    let pipes = Pipes::default().asserting(Pipe::FromLink, 0);
    let stop = run(&SMALL, Side::Y, &load, 0, &pipes).unwrap_err();
    assert!(stop.contains("s_axis"), "{stop}");
    assert!(
        stop.contains("a packet that has begun to come is taken"),
        "{stop}"
    );
    assert_eq!(pipes.clocks(Pipe::FromLink).stood, 1);
}

#[test]
fn a_packet_that_stops_for_long_ends_the_run() {
    let load = load(Service::Rc, Operation::Send, 1024, 1, Side::X);
    let pipes = Pipes::default().asserting(Pipe::ToLink, CRC);
    let stop = run(&SMALL, Side::X, &load, 240, &pipes).unwrap_err();
    assert!(stop.contains("m_axis"), "{stop}");
    assert!(
        stop.contains("a packet that has begun goes on while the link is ready"),
        "{stop}"
    );
    assert!(
        stop.contains("it has stood still for 12 clocks, of at most 11"),
        "{stop}"
    );
    assert_eq!(pipes.clocks(Pipe::ToLink).most, CRC + 1);
    // Without the assertion the same run ends well.
    let counted = Pipes::default();
    run(&SMALL, Side::X, &load, 240, &counted).unwrap();
    assert!(counted.clocks(Pipe::ToLink).most > CRC);
}
