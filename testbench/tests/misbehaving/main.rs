//! The scoreboard sees what a device does wrong, names the field, and never blames a device that does nothing wrong.
mod device;
mod placement;

use device::{Misbehaving, Misdeed};
use hca_testbench::device::port_of;
use hca_testbench::fabric::{Fabric, Stop, Unwatched};
use hca_testbench::report::{render, Context};
use hca_testbench::scenario::services::Services;
use hca_testbench::scenario::Scenario;
use hca_testbench::scoreboard::failure::Failure;
use hca_testbench::scoreboard::Checked;
use hca_testbench::Side;
use proptest::prelude::*;

/// Makes two devices with these misdeeds do something.
fn with_both(
    x: Misdeed,
    y: Misdeed,
    run: impl FnOnce(&mut Fabric<'_>) -> Result<(), Stop>,
) -> Option<Box<Failure>> {
    let patience = 2_000;
    let station = |side, misdeed| {
        let device = Box::new(Misbehaving::new(port_of(side), misdeed));
        Box::new(Checked::new(side, device, port_of(side), patience))
    };
    let mut observer = Unwatched;
    let (x, y) = (station(Side::X, x), station(Side::Y, y));
    let mut fabric = Fabric::new(x, y, patience, &mut observer);
    match run(&mut fabric) {
        Ok(()) => None,
        Err(Stop::Failed(failure)) => Some(failure),
        Err(Stop::Output(e)) => panic!("{e}"),
    }
}

/// Runs a scenario with these misdeeds of its devices.
fn run_both(scenario: Scenario, x: Misdeed, y: Misdeed) -> Option<Box<Failure>> {
    with_both(x, y, |fabric| scenario.run(fabric, 1).map(|_| ()))
}

/// Runs seed001 with one device misbehaving.
fn run(side: Side, misdeed: Misdeed) -> Option<Box<Failure>> {
    match side {
        Side::X => run_both(Scenario::Seed001, misdeed, Misdeed::Nothing),
        Side::Y => run_both(Scenario::Seed001, Misdeed::Nothing, misdeed),
    }
}

fn report(failure: &Failure) -> String {
    let context = Context {
        scenario: "seed001",
        seed: 1,
        replay: "hca cosim seed001 --seed 1",
    };
    render(failure, &context)
}

#[test]
fn a_right_device_is_not_blamed() {
    assert_eq!(run(Side::X, Misdeed::Nothing), None);
}

#[test]
fn every_misdeed_is_seen_and_named() {
    use Misdeed::*;
    // Offsets: LRH 0 to 7, BTH 8 to 19 (DestQP 13, A 16, PSN 19), AETH of an ack 20 to 23, payload from 20.
    for (side, misdeed, field) in [
        (Side::X, PacketByte(1, 19), "BTH.PSN"),
        (Side::X, PacketByte(0, 8), "BTH.Opcode"),
        (Side::X, PacketByte(2, 100), "payload"),
        (Side::X, PacketByte(0, 11), "BTH.P_Key"),
        (Side::X, PacketByte(0, 7), "LRH.SLID"),
        (Side::Y, PacketByte(0, 15), "BTH.DestQP"),
        (Side::Y, PacketByte(2, 23), "AETH.MSN"),
        (Side::Y, PacketByte(1, 20), "AETH.Syndrome"),
        (Side::X, PacketByteOnly(0, 2071), "ICRC"),
        (Side::X, PacketByteOnly(0, 2073), "VCRC"),
        (Side::X, SendsTwice(0), "packet sent twice"),
        (Side::X, SendsTwice(2), "packet sent twice"),
        (Side::Y, SendsTwice(2), "packet sent twice"),
        (Side::X, SendsNothing, "liveness"),
        (Side::Y, SendsNothing, "liveness"),
        (Side::Y, ByteCount, "CQE.byte_count"),
        (Side::Y, PKeyIndex, "CQE.p_key_index"),
        (Side::Y, Invalidated, "CQE.invalidated"),
        (Side::X, WrId, "CQE.wr_id"),
        (Side::X, ReportedPsn, "PSN"),
        (Side::X, SilentReport, "packet without a reported decision"),
        (Side::X, SilentCommand, "port rule"),
        (Side::X, SendSideFirst, "modification"),
        (Side::Y, MemoryByte(0x2000_0000 + 4_000), "memory"),
        (Side::Y, MemoryByte(0x2000_0000 + 6_000), "memory"),
        (Side::X, MemoryByte(0x1000_0000), "memory"),
        (Side::Y, LosesCompletion, "liveness"),
    ] {
        let failure = run(side, misdeed).unwrap_or_else(|| panic!("{misdeed:?} at {side} was not seen"));
        assert_eq!(
            failure.field(),
            field,
            "{misdeed:?} at {side}\n{}",
            report(&failure)
        );
        assert_eq!(failure.side, Some(side), "{misdeed:?} at {side}");
    }
}

#[test]
fn a_report_shows_both_packets_the_history_and_the_replay() {
    let failure = run(Side::X, Misdeed::PacketByte(1, 19)).unwrap();
    let text = report(&failure);
    for part in [
        "MISMATCH in seed001, seed 1: BTH.PSN at device X",
        "event: RequestEmitted QP 000A12h, PSN 101",
        "  * BTH.PSN     101                 100",
        "    BTH.DestQP  000B23h             000B23h",
        "packet out: RC_SEND_FIRST, PSN 100, 2048 bytes",
        "  replay: hca cosim seed001 --seed 1",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn a_stall_lists_what_is_due() {
    let text = report(&run(Side::X, Misdeed::SendsNothing).unwrap());
    assert!(
        text.contains("packet on the wire: RC_SEND_FIRST, PSN 100, 2048 bytes"),
        "{text}"
    );
}

/// Packets wait on both sides, no credits will ever come, and timers run that do not expire.
#[test]
fn a_pair_that_waits_for_credits_for_ever_is_a_stall() {
    let credits = Scenario::Services(Services::CREDITS);
    let failure = run_both(credits, Misdeed::Starves, Misdeed::Starves).unwrap();
    assert_eq!((failure.field(), failure.side), ("liveness".into(), None));
    let text = report(&failure);
    for part in [
        "    X: packet on the wire: ",
        "    X: expiry of the ack timer of QP ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// Y's packets wait for credits, and it decides nothing about those that come.
#[test]
fn a_decision_that_waits_for_credits_is_a_stall() {
    let credits = Scenario::Services(Services::CREDITS);
    let failure = run_both(credits, Misdeed::GivesNoCredits, Misdeed::StopsDeciding).unwrap();
    assert_eq!(
        (failure.field(), failure.side),
        ("liveness".into(), Some(Side::Y))
    );
    let text = report(&failure);
    assert!(text.contains("decision on packet "), "{text}");
}

proptest! {
    /// Any changed byte of any packet is seen, whether the CRCs follow it or not.
    #[test]
    fn no_changed_byte_goes_unseen(n in 0..6usize, place in any::<prop::sample::Index>(), right_crcs: bool) {
        // X sends three requests of 2074, 2074 and 1050 bytes, Y three acks of 30.
        let (side, length) = [(Side::X, 2074), (Side::X, 2074), (Side::X, 1050)]
            .get(n)
            .copied()
            .unwrap_or((Side::Y, 30));
        // A change of the CRCs alone would be undone by right ones.
        let at = place.index(if right_crcs { length - 6 } else { length });
        let misdeed = match right_crcs {
            true => Misdeed::PacketByte(n % 3, at),
            false => Misdeed::PacketByteOnly(n % 3, at),
        };
        let failure = run(side, misdeed);
        prop_assert!(failure.is_some_and(|f| f.side == Some(side)), "{misdeed:?} at {side}");
    }
}
