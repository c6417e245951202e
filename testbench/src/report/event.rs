//! Formats events as in the packet log: QPNs hexadecimal, PSNs decimal.
use hca_golden::event::Event;

/// Returns one line, without the time.
pub fn text(event: &Event) -> String {
    match event {
        Event::Doorbell { qpn, side, producer } => {
            format!("Doorbell QP {qpn:06X}h, {side:?} queue, producer {producer}")
        }
        Event::WqeFetched { qpn, side, index } => {
            format!("WqeFetched QP {qpn:06X}h, {side:?} queue, WQE {index}")
        }
        Event::RequestExecuted { packet, qpn, psn } => {
            format!("RequestExecuted QP {qpn:06X}h, packet {packet}, PSN {psn}")
        }
        Event::DuplicateRequest { packet, qpn, psn } => {
            format!("DuplicateRequest QP {qpn:06X}h, packet {packet}, PSN {psn}")
        }
        Event::RequestRefused {
            packet,
            qpn,
            psn,
            syndrome,
        } => format!("RequestRefused QP {qpn:06X}h, packet {packet}, PSN {psn}, syndrome {syndrome:02X}h"),
        Event::ResponseAccepted {
            packet,
            qpn,
            psn,
            syndrome,
        } => format!("ResponseAccepted QP {qpn:06X}h, packet {packet}, PSN {psn}, syndrome {syndrome:02X}h"),
        Event::PacketDropped { packet, reason } => {
            format!("PacketDropped packet {packet}, reason {reason:?}")
        }
        Event::CopyDropped { packet, qpn, reason } => {
            format!("CopyDropped QP {qpn:06X}h, packet {packet}, reason {reason:?}")
        }
        Event::RequestEmitted { qpn, psn } => format!("RequestEmitted QP {qpn:06X}h, PSN {psn}"),
        Event::RequestDiscarded { qpn, psn } => format!("RequestDiscarded QP {qpn:06X}h, PSN {psn}"),
        Event::UnsolicitedAck { qpn, psn } => format!("UnsolicitedAck QP {qpn:06X}h, PSN {psn}"),
        Event::AckEmitted { qpn, psn, syndrome } => {
            format!("AckEmitted QP {qpn:06X}h, PSN {psn}, syndrome {syndrome:02X}h")
        }
        Event::ReadFetched { qpn, psn } => format!("ReadFetched QP {qpn:06X}h, PSN {psn}"),
        Event::ReadResponseEmitted { qpn, psn, syndrome } => {
            format!("ReadResponseEmitted QP {qpn:06X}h, PSN {psn}, syndrome {syndrome:02X}h")
        }
        Event::AtomicAckEmitted { qpn, psn, syndrome } => {
            format!("AtomicAckEmitted QP {qpn:06X}h, PSN {psn}, syndrome {syndrome:02X}h")
        }
        Event::ReadRefused { qpn, psn, syndrome } => {
            format!("ReadRefused QP {qpn:06X}h, PSN {psn}, syndrome {syndrome:02X}h")
        }
        Event::ReplayDropped { qpn, psn } => format!("ReplayDropped QP {qpn:06X}h, PSN {psn}"),
        Event::SendRefused { qpn, index, status } => {
            format!("SendRefused QP {qpn:06X}h, WQE {index}, status {status:?}")
        }
        Event::AckTimerExpired { qpn, psn } => format!("AckTimerExpired QP {qpn:06X}h, PSN {psn}"),
        Event::Rewound { qpn, psn, cause } => {
            format!("Rewound QP {qpn:06X}h, PSN {psn}, cause {cause:?}")
        }
        Event::CompletionWritten {
            cqn,
            qpn,
            side,
            index,
            status,
        } => format!("CompletionWritten QP {qpn:06X}h, CQ {cqn}, {side:?} WQE {index}, {status:?}"),
        Event::CompletionLost {
            cqn,
            qpn,
            side,
            index,
            status,
        } => format!("CompletionLost QP {qpn:06X}h, CQ {cqn}, {side:?} WQE {index}, {status:?}"),
        Event::Command {
            verb,
            number,
            refused,
        } => match refused {
            Some(reason) => format!("Command {verb:?} of {number:06X}h, refused: {reason}"),
            None => format!("Command {verb:?} of {number:06X}h"),
        },
        Event::QpModified { qpn, side, state } => {
            format!("QpModified QP {qpn:06X}h, {side:?} side, {state:?}")
        }
        Event::CqArmed { cqn, solicited } => format!("CqArmed CQ {cqn}, solicited {solicited}"),
        Event::CqConsumed { cqn, consumer } => format!("CqConsumed CQ {cqn}, consumer {consumer}"),
        Event::EventWritten(event) => format!("EventWritten {event:?}"),
        Event::DoorbellRefused { qpn, side, producer } => {
            format!("DoorbellRefused QP {qpn:06X}h, {side:?} queue, producer {producer}")
        }
        Event::PortModified { port, side, state } => {
            format!("PortModified port {port}, {side:?} side, state {state:?}")
        }
        Event::SlToVlSet { port, from_sl, vls } => {
            format!("SlToVlSet port {port}, from SL {from_sl} on, {vls:08X}h")
        }
        Event::PKeySet { port, index, p_key } => {
            format!("PKeySet port {port}, index {index}, {p_key:04X}h")
        }
        Event::MemoryFault { qpn, fault } => format!("MemoryFault QP {qpn:06X}h, {fault:?}"),
        Event::StateChanged { qpn, state } => format!("StateChanged QP {qpn:06X}h, {state:?}"),
    }
}
