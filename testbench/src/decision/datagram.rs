//! Compares what becomes of a datagram, on its way out and on its way in (`ud.md` sections 2 and 3.1, `special_qps.md`
//! sections 2 and 3).
use super::admission::{any_p_key, deth, own_q_key, qp, state_code};
use super::comparison::Comparison;
use super::subject::Subject;
use crate::device::translation::{drop_reason, status};
use crate::trace::drop_reason::name;
use crate::wire::draw::Draw;
use hca_golden::decision::ud::requester::{judge as judge_work, Outcome, Work};
use hca_golden::decision::ud::responder::{judge as judge_packet, Datagram, ReceiveWqe};
use hca_golden::decision::{admission, partition, Verdict};
use hca_golden::event::DropReason;
use hca_golden::port::{Link, PortConfig, FIRST};
use hca_golden::verbs::{AddressHandle, QpAttributes, QpState, SendOperation, Service, Status};
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_host::{retire::drop, wqe};
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

pub(super) struct Sending;

impl Subject for Sending {
    type Case = Work;
    const NAME: &'static str = "datagram";
    const BLOCK: &'static str = "datagram_request";
    const OUTCOMES: &'static [&'static str] = &["sent", "discarded", "LOC_QP_OP_ERR", "LOC_LEN_ERR"];

    fn draw(draw: &mut Draw) -> Work {
        let pd = draw.bits(2);
        let handle = AddressHandle {
            pd: match draw.percent(85) {
                true => pd,
                false => draw.bits(24),
            },
            port: FIRST,
            dlid: match draw.percent(90) {
                true => draw.bits(16) as u16,
                false => 0xFFFF,
            },
            ..AddressHandle::default()
        };
        let active_mtu = draw.one_of(&[256, 512, 1024, 2048, 4096]);
        let length = match draw.below(4) {
            0 => 256,
            1 => 255 + draw.below(3) as u64,
            2 => active_mtu as u64 - 1 + draw.below(3) as u64,
            _ => u64::from(draw.bits(32)),
        };
        Work {
            qpn: match draw.below(3) {
                0 => draw.bits(1),
                _ => 2 + draw.bits(23),
            },
            operation: operation(draw),
            well_formed: draw.percent(90),
            handle: draw.percent(90).then_some(handle),
            pd,
            port: FIRST,
            p_key_index: match draw.percent(80) {
                true => draw.below(4) as u16,
                false => draw.bits(16) as u16,
            },
            length,
            active_mtu,
            fault_of_sges: None,
        }
    }

    fn put(work: &Work, block: &mut DecisionBlock) {
        put_work(work, block);
        block.set("operation", code(work.operation).into());
        block.set("bad_list", (!work.well_formed).into());
        block.set("length", work.length);
    }

    fn compare(work: &Work, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let outcome = judge_work(work);
        c.same("bad", matches!(outcome, Outcome::Failed(..)), block.is_set("bad"));
        match outcome {
            Outcome::Failed(expected, _) => {
                let found = block.get("status") as u8;
                c.permitted(
                    "status",
                    status(found) == Ok(expected),
                    || format!("{expected:?}"),
                    || found.to_string(),
                );
                c.outcome(match expected {
                    Status::LocLenErr => "LOC_LEN_ERR",
                    _ => "LOC_QP_OP_ERR",
                });
            }
            Outcome::Sent | Outcome::Discarded => {
                let discarded = outcome == Outcome::Discarded;
                c.same("discards", discarded, block.is_set("discards"));
                c.outcome(if discarded { "discarded" } else { "sent" });
            }
        }
        Ok(())
    }
}

/// Sets what a WQE of UD says beyond its message, and what is looked up for it.
pub(super) fn put_work(work: &Work, block: &mut DecisionBlock) {
    block.set("qpn", work.qpn.into());
    block.set("pd", work.pd.into());
    // 256 bytes have code 1.
    block.set("mtu", (work.active_mtu / 128).trailing_zeros().into());
    block.set("p_key_index", work.p_key_index.into());
    block.set("handle.exists", work.handle.is_some().into());
    block.set("handle.port", 0);
    if let Some(handle) = work.handle {
        block.set("handle.pd", handle.pd.into());
        block.set("handle.dlid", handle.dlid.into());
    }
}

/// Draws an operation, mostly one that UD has.
fn operation(draw: &mut Draw) -> SendOperation {
    let immediate = [0; 4];
    match draw.below(8) {
        0..=4 => SendOperation::Send,
        5 | 6 => SendOperation::SendWithImmediate { immediate },
        _ => SendOperation::Read { va: 0, r_key: 0 },
    }
}

fn code(operation: SendOperation) -> u8 {
    match operation {
        SendOperation::Send => wqe::OP_SEND,
        SendOperation::SendWithImmediate { .. } => wqe::OP_SEND_IMMEDIATE,
        _ => wqe::OP_READ,
    }
}

pub(super) struct Receiving;

#[derive(Debug)]
pub(super) struct Case {
    port: PortConfig,
    qp: QpAttributes,
    /// State of the QP at admission.
    state: QpState,
    /// State of the QP when the responder decides.
    state_now: QpState,
    packet: Packet,
    /// Number of bytes for which the receive WQE has room, if there is one.
    room: Option<u32>,
    addressee: Addressee,
}

/// For whom a datagram is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addressee {
    QueuePair,
    /// The QP, as a member of the group that the packet is for.
    Member,
    /// A group for which the packet is dropped for this reason (`ud.md` section 4).
    Nobody(DropReason),
}

impl Addressee {
    fn draw(draw: &mut Draw) -> Addressee {
        match draw.below(8) {
            0 | 1 => Addressee::Member,
            2 => Addressee::Nobody(draw.one_of(&[
                DropReason::Dlid,
                DropReason::MulticastAddress,
                DropReason::SelfMulticast,
                DropReason::Opcode,
            ])),
            _ => Addressee::QueuePair,
        }
    }
}

/// Returns the code `host::retire::drop` of a reason for which a packet to a group is dropped.
fn drop_code(reason: DropReason) -> u8 {
    match reason {
        DropReason::Dlid => drop::DLID,
        DropReason::SelfMulticast => drop::SELF_MULTICAST,
        DropReason::Opcode => drop::OPCODE,
        _ => drop::MULTICAST_ADDRESS,
    }
}

impl Subject for Receiving {
    type Case = Case;
    const NAME: &'static str = "datagram-in";
    const BLOCK: &'static str = "datagram_outcome";
    const OUTCOMES: &'static [&'static str] = &[
        "DEST_QP",
        "OPCODE",
        "QP_STATE",
        "DLID",
        "P_KEY",
        "Q_KEY",
        "PAYLOAD_LENGTH",
        "NO_RECEIVE_WQE",
        "BUFFER_TOO_SMALL",
        "MULTICAST_ADDRESS",
        "SELF_MULTICAST",
        "executed",
        "executed by a member of a group",
        "by an entry of the port's P_Key table",
    ];

    fn draw(draw: &mut Draw) -> Case {
        let addressee = Addressee::draw(draw);
        // Neither QP0 nor QP1 is a member.
        let qpn = match draw.below(3) {
            0 if addressee == Addressee::QueuePair => draw.bits(1),
            _ => 2 + draw.bits(23),
        };
        let port = PortConfig {
            link: Link::InfiniBand,
            p_keys: [(); 4].map(|()| any_p_key(draw)),
            ..PortConfig::default()
        };
        let qp = QpAttributes {
            service: Service::Ud,
            q_key: draw.bits(32),
            ..qp(draw, qpn)
        };
        let state = match draw.percent(80) {
            true => draw.one_of(&[QpState::Rtr, QpState::Rts, QpState::Sqd, QpState::Sqe]),
            false => draw.one_of(&[QpState::Reset, QpState::Init, QpState::Error]),
        };
        let receives = !matches!(state, QpState::Reset | QpState::Init);
        let mut packet = packet(draw, &qp, &port);
        if addressee == Addressee::Member {
            // The group's table has the QPN.
            packet.bth.dest_qp = qp.qpn;
        }
        Case {
            port,
            qp,
            addressee,
            state,
            state_now: match receives && draw.percent(10) {
                true => QpState::Error,
                false => state,
            },
            room: draw.percent(85).then(|| match draw.below(4) {
                0 => 40 + packet.payload.len() as u32,
                1 => (39 + packet.payload.len() as u32) + draw.below(3) as u32,
                // Each bit of a length by itself may be what makes it enough.
                2 => 1 << draw.below(32),
                _ => draw.bits(31),
            }),
            packet,
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        let Case { port, qp, packet, .. } = case;
        block.set("arrival.grouped", (case.addressee != Addressee::QueuePair).into());
        block.set("arrival.copy", (case.addressee == Addressee::Member).into());
        let refusal = match case.addressee {
            Addressee::Nobody(reason) => Some(drop_code(reason)),
            _ => None,
        };
        block.set("refused", refusal.is_some().into());
        block.set("refusal", refusal.unwrap_or_default().into());
        block.set("arrival.dest_qp", packet.bth.dest_qp.into());
        block.set("arrival.opcode", packet.bth.opcode.into());
        block.set("arrival.payload", packet.payload.len() as u64);
        // Network header 40 | SLID 24 | source QPN.
        block.set("arrival.va", 0);
        block.set("p_key", packet.bth.p_key.into());
        block.set("q_key", packet.deth().map_or(0, |deth| deth.q_key.into()));
        block.set("slid", packet.lrh().map_or(0, |lrh| lrh.slid.into()));
        block.set("settings.qpn", qp.qpn.into());
        block.set("settings.datagram", 1);
        // The MTU of the port.
        block.set("settings.pmtu", 5);
        block.set("own_p_key_index", qp.p_key_index.into());
        block.set("own_q_key", own_q_key(qp).into());
        block.set("state", state_code(case.state).into());
        let table = (0..4).fold(0, |table, i| table | u64::from(port.p_keys[i]) << (16 * i));
        block.set("port_p_keys", table);
        block.set("qp.state", state_code(case.state_now).into());
        block.set("qp.consumer", 7);
        block.set("qp.open_send", 0);
        block.set("qp.open_write", 0);
        block.set("qp.holds", 0);
        block.set("arrived", 7 + u64::from(case.room.is_some()));
        if let Some(room) = case.room {
            block.set("wqe_length", room.into());
        }
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let Case { port, qp, packet, .. } = case;
        let receive_wqe = case.room.map(|room| ReceiveWqe {
            read: true,
            room: room.into(),
            permitted: true,
        });
        let datagram = Datagram {
            port,
            qp,
            state: case.state_now,
            packet,
            receive_wqe,
        };
        let verdict = match (case.addressee, admission::of_address(packet)) {
            // It is dropped before a QP is looked up.
            (Addressee::Nobody(reason), _) => Verdict::Drop(reason),
            (_, Some(ruling)) => ruling.verdict,
            (..) if packet.bth.dest_qp != qp.qpn || case.state == QpState::Reset => {
                Verdict::Drop(DropReason::DestQp)
            }
            (..) => judge_packet(&datagram).verdict,
        };
        let executed = verdict == Verdict::Execute;
        c.same("execute", executed, block.is_set("verdict.execute"));
        c.same("drop", !executed, block.is_set("verdict.drop"));
        if let Verdict::Drop(expected) = verdict {
            let found = block.get("verdict.drop_reason") as u8;
            c.permitted(
                "drop_reason",
                drop_reason(found) == Ok(expected),
                || name(expected).to_owned(),
                || drop_reason(found).map_or(found.to_string(), |reason| name(reason).to_owned()),
            );
            c.outcome(name(expected));
            return Ok(());
        }
        c.outcome(match case.addressee {
            Addressee::Member => "executed by a member of a group",
            _ => "executed",
        });
        let index = partition::completed_index(port, &packet.bth);
        c.same("has_p_key_index", index.is_some(), block.get("has_p_key_index"));
        if let Some(index) = index {
            c.same("p_key_index", index, block.get("p_key_index"));
            c.outcome("by an entry of the port's P_Key table");
        }
        Ok(())
    }
}

/// Draws a packet, mostly one that the QP accepts.
fn packet(draw: &mut Draw, qp: &QpAttributes, port: &PortConfig) -> Packet {
    let length = match draw.below(3) {
        0 => 256,
        1 => 252 + draw.below(9),
        _ => draw.below(4097),
    };
    Packet {
        route: Route::Local(Lrh {
            slid: match draw.percent(92) {
                true => draw.bits(15) as u16,
                false => 0xFFFF,
            },
            ..Lrh::default()
        }),
        bth: Bth {
            opcode: match draw.below(16) {
                0 => draw.one_of(&[0x04, 0x24, 0x44]),
                1..=4 => 0x65,
                _ => 0x64,
            },
            p_key: match draw.below(8) {
                0..=4 => port.p_key(qp.p_key_index),
                5 | 6 => draw.one_of(&port.p_keys),
                _ => any_p_key(draw),
            },
            dest_qp: match draw.percent(94) {
                true => qp.qpn,
                false => qp.qpn ^ 1 << draw.below(24),
            },
            ..Bth::default()
        },
        extensions: vec![Extension::Deth(deth(draw, qp))],
        payload: vec![0; length],
    }
}
