//! CF454: two adapters at one link, each of which keeps to the credits that the other grants (`link.md` section 5).
use crate::bench::{hardware, profile};
use hca_golden::capabilities::Capabilities;
use hca_golden::verbs::{
    Pmtu, QpAttributes, QpState, ReceiveRequest, SendOperation, SendRequest, Service, Sge, Status,
};
use hca_testbench::cli::hardware::{config, seed_of};
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
/// Queue pairs of a side, one on each of two VLs.
const QPS: u32 = 2;
/// Messages of one packet that a queue pair sends before it waits for their arrival.
const WAVE: u32 = 32;
/// Waves of both queue pairs, both ways: more than 10,000 packets.
const WAVES: u32 = 79;
const SOURCE: u64 = 0x1000_0000;
const TARGET: u64 = 0x2000_0000;
/// Bytes from one message's place to the next.
const STRIDE: u64 = 0x1000;

fn qpn(side: Side, n: u32) -> u32 {
    (side as u32 + 1) << 16 | (n + 2)
}

/// Bytes of message `m`: each length up to 4096 comes, and short ones more often.
fn length(m: u32) -> u32 {
    match m % 2 {
        0 => m * 37 % 4097,
        _ => m % 200,
    }
}

fn sges(area: u64, n: u32, m: u32, length: u32) -> Vec<Sge> {
    vec![Sge {
        addr: area + u64::from(n * WAVE + m % WAVE) * STRIDE,
        length,
        l_key: L_KEY,
    }]
}

/// Connects two queue pairs of UC on VLs 0 and 1, and turns flow control on.
fn establish(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let connection = Connection {
        link: hca_golden::port::Link::InfiniBand,
        pmtu: Pmtu::B4096,
        x_psn: 100,
        y_psn: 2000,
        entries: 2 * WAVE,
    };
    for side in Side::BOTH {
        let entries = 2 * QPS * WAVE;
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq { cqn, entries })
            .into();
        verbs.push(Verb::RegMr { region: all_memory() });
        for n in 0..QPS {
            verbs.push(Verb::CreateQp {
                attributes: QpAttributes {
                    qpn: qpn(side, n),
                    dest_qpn: qpn(side.other(), n),
                    service: Service::Uc,
                    sl: n as u8,
                    max_rd_atomic: 0,
                    max_dest_rd_atomic: 0,
                    ..connection.attributes(side)
                },
                send_entries: 2 * WAVE,
                receive_entries: 2 * WAVE,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp {
                qpn: qpn(side, n),
                state,
            }));
        }
        fabric.verbs(side, verbs)?;
    }
    // SL n is on VL n.
    fabric.control_flow(0b10)
}

/// Sends the messages from `first` on, and waits until all have arrived.
fn wave(fabric: &mut Fabric<'_>, first: u32) -> Result<(), Stop> {
    let messages = || (0..QPS).flat_map(|n| (first..first + WAVE).map(move |m| (n, m)));
    for side in Side::BOTH {
        let receives = messages().map(|(n, m)| Verb::PostReceive {
            qpn: qpn(side, n),
            request: ReceiveRequest {
                wr_id: m.into(),
                sges: sges(TARGET, n, m, STRIDE as u32),
            },
        });
        fabric.verbs(side, receives)?;
    }
    for side in Side::BOTH {
        for (n, m) in messages() {
            let request = SendRequest {
                wr_id: m.into(),
                operation: SendOperation::Send,
                sges: sges(SOURCE, n, m, length(m)),
                signaled: true,
                ..SendRequest::default()
            };
            fabric.station(side).submit(Verb::PostSend {
                qpn: qpn(side, n),
                request,
            });
        }
    }
    // Each message completes where it is sent and where it is received.
    let mut open = 2 * 2 * QPS * WAVE;
    while open > 0 {
        fabric.run_until("a completion", |fabric| fabric.has_completion())?;
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                fabric.expect(
                    "status of a completion",
                    Status::Success,
                    reaped.completion.status,
                )?;
                open -= 1;
            }
        }
    }
    Ok(())
}

/// All packets arrive: UC sends none again, so that one which found no room would leave a message open.
fn passes(device: impl Fn(Side) -> Box<dyn Device>) {
    let station =
        |side| -> Box<dyn Station> { Box::new(Checked::new(side, device(side), port_of(side), PATIENCE)) };
    let [x, y] = Side::BOTH.map(station);
    let mut unwatched = Unwatched;
    let mut fabric = Fabric::new(x, y, PATIENCE, &mut unwatched);
    let mut run = || -> Result<(), Stop> {
        establish(&mut fabric)?;
        for n in 0..WAVES {
            wave(&mut fabric, n * WAVE)?;
        }
        fabric.rest()
    };
    let stop = run().err();
    assert!(stop.is_none(), "{stop:?}");
    assert_eq!(fabric.packets(), u64::from(2 * QPS * WAVE * WAVES));
    fabric.finish().unwrap();
}

mod model {
    use super::*;

    #[test]
    fn cf454_two_adapters_overrun_each_other_never() {
        passes(|side| {
            let capabilities = Capabilities {
                data_vls: 1 << profile().vl_bits,
                // A smaller buffer holds no largest packet. The hardware has what its profile says.
                receive_blocks: 66,
                ..CAPABILITIES
            };
            Box::new(GoldenDevice::with(port_of(side), capabilities).picking(seed_of(1, side)))
        });
    }
}

mod hardware {
    use super::*;

    #[test]
    fn cf454_two_adapters_overrun_each_other_never() {
        let _alone = crate::bench::alone();
        passes(|side| {
            let device = hardware().device_behind(port_of(side), &config(&profile(), 1, side));
            Box::new(device.unwrap())
        });
    }
}
