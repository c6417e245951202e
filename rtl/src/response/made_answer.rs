//! An answer between the decision to make it and its departure from the engine.
use hca_hdl::prelude::*;

record! {
    /// An answer that the engine makes, with the fields of its packet. First field at the least significant end of the
    /// 241 bits.
    pub struct MadeAnswer {
        /// One of `JOB_*`.
        pub kind: Bits<2>,
        /// High if the memory of the answer, a read response, is looked up.
        pub walks: Bit,
        /// High for the first packet of a Read.
        pub first: Bit,
        /// High for the last packet of a Read.
        pub last: Bit,
        /// QPN of this side.
        pub qpn: Bits<24>,
        /// DLID of the packet.
        pub dlid: Bits<16>,
        /// SLID of the packet.
        pub slid: Bits<16>,
        /// SL of the packet.
        pub sl: Bits<4>,
        /// Index into the P_Key table of the port.
        pub p_key_index: Bits<2>,
        /// QPN of the peer.
        pub dest_qpn: Bits<24>,
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// Syndrome of the AETH.
        pub syndrome: Bits<8>,
        /// MSN of the AETH.
        pub msn: Bits<24>,
        /// Bytes of payload of a read response.
        pub payload: Bits<13>,
        /// Place whose room the packet takes ([`crate::link::PacketLane`]); 16 if it takes none.
        pub lane: Bits<5>,
        /// Mark of the packet, 0 if it is not paced.
        pub mark: Bits<3>,
        /// High if the packet leaves by port 2.
        pub port: Bit,
        /// Place of the job in the queue of its QP.
        pub head: Bits<6>,
        /// Value before an atomic.
        pub original: Bits<64>,
        /// High for an atomic whose value a newer one has replaced.
        pub superseded: Bit,
        /// High for an atomic that host memory failed, unless `superseded`.
        pub failed: Bit,
    }
}
