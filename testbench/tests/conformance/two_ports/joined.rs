//! CF462: two adapters joined by two links, each from a port to the port of the same number.
use super::{FIRST_QPN, SECOND_QPN};
use crate::bench::{hardware, profile};
use hca_golden::capabilities::Capabilities;
use hca_golden::port::Link;
use hca_golden::verbs::{
    Pmtu, QpAttributes, QpState, ReceiveRequest, SendOperation, SendRequest, Sge, Status,
};
use hca_testbench::cli::hardware::{config, seed_of};
use hca_testbench::conformance::device::ONE_PORT;
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{port_of, Device, Verb, CAPABILITIES};
use hca_testbench::fabric::{Fabric, Stop, Unwatched};
use hca_testbench::scenario::connection::{Connection, RECEIVE_CQ, SEND_CQ};
use hca_testbench::scenario::region::{all_memory, L_KEY};
use hca_testbench::scoreboard::Checked;
use hca_testbench::station::Station;
use hca_testbench::Side;

/// Clock cycles without progress that are a hang.
const PATIENCE: u64 = 50_000;
/// Clock cycles in which everything has arrived.
const LIMIT: u64 = 400_000;
/// Messages of each connection, each way.
const MESSAGES: u64 = 24;
/// Bytes of each message: three packets of 256 bytes and one of 32.
const LENGTH: u32 = 800;
const SOURCE: u64 = 0x1000_0000;
const TARGET: u64 = 0x2000_0000;
/// Bytes from one message's place to the next.
const STRIDE: u64 = 0x400;

/// LID of port 2; that of port 1 is 1 or 2.
fn second_lid(side: Side) -> u16 {
    match side {
        Side::X => 0x11,
        Side::Y => 0x22,
    }
}

fn sges(area: u64, port: u8, message: u64) -> Vec<Sge> {
    let place = u64::from(port) * MESSAGES + message;
    vec![Sge {
        addr: area + place * STRIDE,
        length: LENGTH,
        l_key: L_KEY,
    }]
}

/// The connection of each port, with the same QPN on both sides.
fn qps(side: Side) -> [QpAttributes; 2] {
    let connection = Connection {
        link: Link::InfiniBand,
        pmtu: Pmtu::B256,
        x_psn: 100,
        y_psn: 2000,
        entries: MESSAGES as u32,
    };
    let of = |port, qpn, dlid| QpAttributes {
        port,
        qpn,
        dest_qpn: qpn,
        dlid,
        ..connection.attributes(side)
    };
    let other = side.other();
    [
        of(1, FIRST_QPN, port_of(other).lid),
        of(2, SECOND_QPN, second_lid(other)),
    ]
}

fn establish(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    for side in Side::BOTH {
        let (lid, lmc) = (second_lid(side), 0);
        let mut verbs = vec![
            Verb::SetLid { lid, lmc }.on_port(2),
            Verb::RegMr { region: all_memory() },
        ];
        let entries = 4 * MESSAGES as u32;
        verbs.extend([SEND_CQ, RECEIVE_CQ].map(|cqn| Verb::CreateCq { cqn, entries }));
        for attributes in qps(side) {
            let qpn = attributes.qpn;
            verbs.push(Verb::CreateQp {
                attributes,
                send_entries: 32,
                receive_entries: 32,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
        }
        fabric.verbs(side, verbs)?;
    }
    fabric.rest()
}

/// Both connections carry messages both ways at once.
fn exchange(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let messages = || (0..MESSAGES).flat_map(|wr_id| [(1, FIRST_QPN, wr_id), (2, SECOND_QPN, wr_id)]);
    for side in Side::BOTH {
        let receives = messages().map(|(port, qpn, wr_id)| Verb::PostReceive {
            qpn,
            request: ReceiveRequest {
                wr_id,
                sges: sges(TARGET, port, wr_id),
            },
        });
        fabric.verbs(side, receives)?;
    }
    for side in Side::BOTH {
        for (port, qpn, wr_id) in messages() {
            let request = SendRequest {
                wr_id,
                operation: SendOperation::Send,
                sges: sges(SOURCE, port, wr_id),
                signaled: true,
                ..SendRequest::default()
            };
            fabric.station(side).submit(Verb::PostSend { qpn, request });
        }
    }
    // Each message completes where it is sent and where it is received.
    for _ in 0..2 * 2 * 2 * MESSAGES {
        fabric.run_until("a completion", |fabric| fabric.has_completion())?;
        let reaped = Side::BOTH.into_iter().find_map(|side| fabric.reap(side));
        let status = reaped.map(|reaped| reaped.completion.status);
        fabric.expect("status of a completion", Some(Status::Success), status)?;
    }
    Ok(())
}

/// All messages arrive, by the links of both ports.
fn passes(device: impl Fn(Side) -> Box<dyn Device>) {
    let station =
        |side| -> Box<dyn Station> { Box::new(Checked::new(side, device(side), port_of(side), PATIENCE)) };
    let [x, y] = Side::BOTH.map(station);
    let mut unwatched = Unwatched;
    let mut fabric = Fabric::new(x, y, PATIENCE, &mut unwatched).within(LIMIT);
    let mut run = || -> Result<(), Stop> {
        establish(&mut fabric)?;
        exchange(&mut fabric)?;
        fabric.finish()
    };
    let stop = run().err();
    assert!(stop.is_none(), "{stop:?}");
    // Beside the acks, which may be joined.
    assert!(fabric.packets() > 2 * 2 * 4 * MESSAGES);
}

mod model {
    use super::*;

    #[test]
    fn cf462_two_adapters_at_two_links() {
        passes(|side| {
            let capabilities = Capabilities {
                ports: 2,
                ..CAPABILITIES
            };
            Box::new(GoldenDevice::with(port_of(side), capabilities).picking(seed_of(1, side)))
        });
    }
}

mod hardware {
    use super::*;

    #[test]
    fn cf462_two_adapters_at_two_links() {
        if profile().ports() < 2 {
            println!("passed over: {ONE_PORT}");
            return;
        }
        let _alone = crate::bench::alone();
        passes(|side| {
            let device = hardware().device_behind(port_of(side), &config(&profile(), 1, side));
            Box::new(device.unwrap())
        });
    }
}
