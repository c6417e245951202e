//! `scenario_seed001.md` section 3: MSN and LSN wrap at 2^24. Because no run completes 2^24 messages, a forged first
//! ack counts them.
use super::ends::{completed, Ends, SEND};
use super::table::{settle, Decision, Row, Table};
use crate::device::port_on;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::port::{Link, FIRST};
use hca_golden::verbs::QpState;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::RC_ACKNOWLEDGE;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Roce};
use Decision::{Limited, Unlimited, Waits};

/// UDP source port on a RoCE link, from the dynamic range.
const SOURCE_PORT: u16 = 0xC001;

const fn row(ssn: u32, sent: &'static [u64], decision: Decision) -> Row {
    Row {
        ssn,
        operation: "Send, 2 packets",
        sent,
        decision,
    }
}

/// FFFFFEh + 4 = 000002h.
const ROWS: [Row; 4] = [
    row(1, &[0x00, 0x02], Unlimited),
    row(2, &[0x00, 0x02], Unlimited),
    row(3, &[0x00], Limited),
    row(4, &[], Waits),
];

pub(super) fn run(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let ends = Ends::default();
    fabric.keep_packets();
    ends.make(fabric, Side::X)?;
    ends.enter(fabric, Side::X, &[QpState::Rtr, QpState::Rts])?;
    let (syndrome, msn) = (4, 0xFF_FFFE);
    let ack = initial_ack(fabric.link(), &ends, Aeth { syndrome, msn });
    // An older limit does not replace a newer one.
    for aeth in [
        Aeth { syndrome: 1, msn },
        Aeth {
            syndrome: 30,
            msn: 0x80_0003,
        },
    ] {
        let older = initial_ack(fabric.link(), &ends, aeth);
        fabric.station(Side::X).receive(FIRST, ack.clone());
        fabric.station(Side::X).receive(FIRST, older);
    }
    settle(fabric)?;
    let mark = fabric.kept_packets().len();
    ends.post(fabric, &[(SEND, 300); 4])?;
    settle(fabric)?;
    let lsn = 2;
    let rows = &ROWS;
    Table { msn, lsn, mark, rows }.check(fabric, &ends)?;
    // Y posts late, and announces four receive WQEs.
    ends.make(fabric, Side::Y)?;
    ends.bring(fabric, 0..4)?;
    ends.enter(fabric, Side::Y, &[QpState::Rtr, QpState::Rts])?;
    completed(fabric, 4)
}

/// Returns the ack before the first request, as if Y had sent it.
fn initial_ack(link: Link, ends: &Ends, aeth: Aeth) -> Vec<u8> {
    let [x, y] = [Side::X, Side::Y].map(|side| port_on(link, side));
    let end = |port: &hca_golden::port::PortConfig| Endpoint {
        mac: port.mac,
        gid: port.gid,
    };
    let route = match link {
        Link::InfiniBand => Route::Local(Lrh {
            dlid: x.lid,
            slid: y.lid,
            ..Lrh::default()
        }),
        Link::Roce => Route::Roce(Roce::between(end(&y), end(&x), SOURCE_PORT)),
    };
    let packet = Packet {
        route,
        bth: Bth {
            opcode: RC_ACKNOWLEDGE,
            p_key: 0xFFFF,
            dest_qp: ends.qpn(Side::X),
            psn: ends.x_psn - 1,
            ..Bth::default()
        },
        extensions: vec![Extension::Aeth(aeth)],
        payload: Vec::new(),
    };
    packet.encode().expect("every value fits its field")
}
