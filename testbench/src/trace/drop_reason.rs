//! Drop reasons by name.
use hca_golden::event::DropReason;

/// Returns the name of the reason in registers and reports.
pub fn name(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Vcrc => "VCRC",
        DropReason::Icrc => "ICRC",
        DropReason::LinkVersion => "LINK_VERSION",
        DropReason::Length => "LENGTH",
        DropReason::NetworkHeader => "NETWORK_HEADER",
        DropReason::TransportVersion => "TRANSPORT_VERSION",
        DropReason::Opcode => "OPCODE",
        DropReason::HeaderIncomplete => "HEADER_INCOMPLETE",
        DropReason::Dlid => "DLID",
        DropReason::DestQp => "DEST_QP",
        DropReason::QpState => "QP_STATE",
        DropReason::Source => "SOURCE",
        DropReason::PKey => "P_KEY",
        DropReason::NakOutstanding => "NAK_OUTSTANDING",
        DropReason::GhostResponse => "GHOST_RESPONSE",
        DropReason::DuplicateResponse => "DUPLICATE_RESPONSE",
        DropReason::ReservedSyndrome => "RESERVED_SYNDROME",
        DropReason::UnexpectedResponse => "UNEXPECTED_RESPONSE",
        DropReason::UnmatchedDuplicate => "UNMATCHED_DUPLICATE",
        DropReason::AnswersWait => "ANSWERS_WAIT",
        DropReason::Grh => "GRH",
        DropReason::Dgid => "DGID",
        DropReason::PadCount => "PAD_COUNT",
        DropReason::PayloadLength => "PAYLOAD_LENGTH",
        DropReason::UnreliableSequence => "UNRELIABLE_SEQUENCE",
        DropReason::UnreliableAccess => "UNRELIABLE_ACCESS",
        DropReason::UnreliableLength => "UNRELIABLE_LENGTH",
        DropReason::NoReceiveWqe => "NO_RECEIVE_WQE",
        DropReason::MulticastAddress => "MULTICAST_ADDRESS",
        DropReason::SelfMulticast => "SELF_MULTICAST",
        DropReason::QKey => "Q_KEY",
        DropReason::BufferTooSmall => "BUFFER_TOO_SMALL",
        DropReason::Vl => "VL",
        DropReason::Vl15 => "VL15",
        DropReason::Overrun => "OVERRUN",
        DropReason::PortState => "PORT_STATE",
    }
}
