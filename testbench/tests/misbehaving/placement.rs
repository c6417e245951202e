//! Data that a request has placed is in memory by the time that software may rely on it, and no message after it shows.
use crate::device::Misdeed;
use crate::{report, with_both};
use hca_golden::port::Link;
use hca_golden::verbs::{
    MemoryRegion, Pmtu, QpState, ReceiveRequest, RemoteAccess, SendOperation, SendRequest, Sge,
};
use hca_testbench::device::Verb;
use hca_testbench::fabric::{Fabric, Stop};
use hca_testbench::scenario::connection::{qpn_of, Connection, RECEIVE_CQ, SEND_CQ};
use hca_testbench::scenario::region::{all_memory, all_memory_of, L_KEY};
use hca_testbench::Side;

const SOURCE: u64 = 0x1000_0000;
const TARGET: u64 = 0x2000_0000;
const LENGTH: u32 = 5_000;
/// A byte of the second packet of the Write.
const BYTE: u64 = TARGET + 4_000;

/// Returns the region of the target.
fn region() -> MemoryRegion {
    MemoryRegion {
        base: TARGET,
        length: LENGTH.into(),
        ..all_memory_of(2, 0)
    }
}

/// Makes a connection that may write at Y, where a receive request without memory waits.
fn establish(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let connection = Connection {
        link: Link::InfiniBand,
        pmtu: Pmtu::B2048,
        x_psn: 100,
        y_psn: 2000,
        entries: 8,
    };
    for side in Side::BOTH {
        let qpn = qpn_of(side);
        let mut attributes = connection.attributes(side);
        attributes.access = RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        };
        (attributes.max_rd_atomic, attributes.max_dest_rd_atomic) = (4, 4);
        let created = Verb::CreateQp {
            attributes,
            send_entries: 8,
            receive_entries: 8,
        };
        let cq = |cqn| Verb::CreateCq { cqn, entries: 16 };
        let moved = [QpState::Init, QpState::Rtr, QpState::Rts].map(|state| Verb::ModifyQp { qpn, state });
        let request = ReceiveRequest {
            wr_id: 1,
            sges: Vec::new(),
        };
        let verbs = [cq(SEND_CQ), cq(RECEIVE_CQ), Verb::RegMr { region: all_memory() }];
        fabric.verbs(side, verbs)?;
        fabric.verbs(side, [Verb::RegMr { region: region() }, created])?;
        fabric.verbs(side, moved)?;
        fabric.verbs(side, [Verb::PostReceive { qpn, request }])?;
    }
    let data: Vec<u8> = (0..LENGTH).map(|n| (n % 251) as u8 + 1).collect();
    fabric.station(Side::X).write_memory(SOURCE, &data);
    Ok(())
}

/// Has a side carry out a request of the whole length, and waits for its completion.
fn send(
    fabric: &mut Fabric<'_>,
    side: Side,
    operation: SendOperation,
    addr: Option<u64>,
) -> Result<(), Stop> {
    let sge = |addr| Sge {
        addr,
        length: LENGTH,
        l_key: L_KEY,
    };
    let request = SendRequest {
        wr_id: 2,
        operation,
        sges: addr.into_iter().map(sge).collect(),
        signaled: true,
        solicited: false,
        fence: false,
        inline: false,
        datagram: None,
    };
    let qpn = qpn_of(side);
    fabric.verbs(side, [Verb::PostSend { qpn, request }])?;
    fabric.run_until("a completion", |fabric| fabric.has_completion())?;
    while fabric.reap(side).is_some() {}
    Ok(())
}

fn write(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let (va, r_key) = (TARGET, region().r_key);
    send(fabric, Side::X, SendOperation::Write { va, r_key }, Some(SOURCE))
}

/// A device whose data comes late is blamed when software could notice, and one whose data is there is not.
fn is_late(what: &str, run: fn(&mut Fabric<'_>) -> Result<(), Stop>) {
    let established = |fabric: &mut Fabric<'_>| establish(fabric).and_then(|()| run(fabric));
    assert_eq!(with_both(Misdeed::Nothing, Misdeed::Nothing, established), None);
    let failure = with_both(Misdeed::Nothing, Misdeed::Conceals(BYTE), established);
    let failure = failure.unwrap_or_else(|| panic!("{what}: not seen"));
    assert_eq!(
        (failure.field().as_str(), failure.side),
        ("memory", Some(Side::Y))
    );
    let text = report(&failure);
    assert!(text.contains(what), "{what:?} is not in\n{text}");
}

#[test]
fn a_write_before_a_send() {
    is_late("what was placed before the CQE of a receive request", |fabric| {
        write(fabric)?;
        send(fabric, Side::X, SendOperation::Send, None)
    });
}

#[test]
fn a_write_with_immediate() {
    is_late("what was placed before the CQE of a receive request", |fabric| {
        let operation = SendOperation::WriteWithImmediate {
            va: TARGET,
            r_key: region().r_key,
            immediate: [1, 2, 3, 4],
        };
        send(fabric, Side::X, operation, Some(SOURCE))
    });
}

#[test]
fn a_write_before_its_region_goes() {
    let l_key = region().l_key;
    is_late(
        &format!("what was placed before the end of {}", Verb::DeregMr { l_key }),
        |fabric| {
            write(fabric)?;
            fabric.verbs(
                Side::Y,
                [Verb::DeregMr {
                    l_key: region().l_key,
                }],
            )
        },
    );
}

#[test]
fn a_write_before_its_queue_pair_is_reset() {
    let (qpn, state) = (qpn_of(Side::Y), QpState::Reset);
    is_late(
        &format!(
            "what was placed before the end of {}",
            Verb::ModifyQp { qpn, state }
        ),
        |fabric| {
            write(fabric)?;
            let (qpn, state) = (qpn_of(Side::Y), QpState::Reset);
            fabric.verbs(Side::Y, [Verb::ModifyQp { qpn, state }])
        },
    );
}

#[test]
fn a_write_before_its_queue_pair_is_destroyed() {
    let qpn = qpn_of(Side::Y);
    is_late(
        &format!("what was placed before the end of {}", Verb::DestroyQp { qpn }),
        |fabric| {
            write(fabric)?;
            fabric.verbs(Side::Y, [Verb::DestroyQp { qpn: qpn_of(Side::Y) }])
        },
    );
}
