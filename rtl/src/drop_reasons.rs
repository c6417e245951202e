//! Why a packet is dropped.
use hca_hdl::prelude::*;
use hca_host::retire::drop;

constants!(
    /// The codes of `host::retire::drop`, whose pages say what each stands for.
    pub struct DropReasons: 8 {
        vcrc = drop::VCRC,
        icrc = drop::ICRC,
        link_version = drop::LINK_VERSION,
        length = drop::LENGTH,
        network_header = drop::NETWORK_HEADER,
        transport_version = drop::TRANSPORT_VERSION,
        opcode = drop::OPCODE,
        header_incomplete = drop::HEADER_INCOMPLETE,
        dlid = drop::DLID,
        dest_qp = drop::DEST_QP,
        qp_state = drop::QP_STATE,
        source = drop::SOURCE,
        p_key = drop::P_KEY,
        nak_outstanding = drop::NAK_OUTSTANDING,
        ghost_response = drop::GHOST_RESPONSE,
        duplicate_response = drop::DUPLICATE_RESPONSE,
        reserved_syndrome = drop::RESERVED_SYNDROME,
        unexpected_response = drop::UNEXPECTED_RESPONSE,
        grh = drop::GRH,
        dgid = drop::DGID,
        pad_count = drop::PAD_COUNT,
        payload_length = drop::PAYLOAD_LENGTH,
        unmatched_duplicate = drop::UNMATCHED_DUPLICATE,
        unreliable_sequence = drop::UNRELIABLE_SEQUENCE,
        unreliable_access = drop::UNRELIABLE_ACCESS,
        unreliable_length = drop::UNRELIABLE_LENGTH,
        no_receive_wqe = drop::NO_RECEIVE_WQE,
        q_key = drop::Q_KEY,
        buffer_too_small = drop::BUFFER_TOO_SMALL,
        multicast_address = drop::MULTICAST_ADDRESS,
        self_multicast = drop::SELF_MULTICAST,
        vl = drop::VL,
        vl15 = drop::VL15,
        port_state = drop::PORT_STATE,
        overrun = drop::OVERRUN,
        answers_wait = drop::ANSWERS_WAIT,
    }
);
