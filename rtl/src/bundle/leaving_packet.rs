//! A packet on its way to the link.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// From the transmit path to the port that a packet leaves by: first as the packet departs, later as it begins to
    /// be built. None departs before the last one has begun to be built.
    LeavingPacketSource to LeavingPacketSink {
        /// High for one cycle when a packet departs.
        departs: Out Bit,
        /// High for one cycle when a datagram that is longer than the active MTU of its port is discarded in place of
        /// departing.
        unsent: Out Bit,
        /// With `departs` and with `unsent`: high if it leaves by port 2.
        port: Out Bit,
        /// With `departs`: SL of the packet.
        sl: Out Bits<4>,
        /// With `departs`: high for an SMP.
        management: Out Bit,
        /// With `departs`: queue in which the packet takes room; coded as `lane` of
        /// [`LaneShareSource`](super::LaneShareSource).
        lane: Out Bits<5>,
        /// With `departs`: bytes of payload.
        payload: Out Bits<13>,
        /// With `departs`: mark of the packet, 0 if it is not paced ([`crate::link::RateSources`]).
        mark: Out Bits<3>,
        /// VL of SL `sl`, in the same cycle; 0 over Ethernet.
        vl: In Bits<4>,
        /// High while the packet that departed last may begin to be built; it does in a cycle in which `room` is high,
        /// too.
        builds: Out Bit,
        /// With `builds`: high if the packet leaves by port 2.
        built_port: Out Bit,
        /// With `builds`: VL of the packet.
        built_vl: Out Bits<4>,
        /// With `builds`: opcode of the packet.
        opcode: Out Bits<8>,
        /// With `builds`: high if the packet has a GRH.
        has_grh: Out Bit,
        /// With `builds`: bytes of payload of the packet, without pad.
        built_payload: Out Bits<13>,
        /// With `builds`: IPD of the packet's source.
        delay: Out Bits<6>,
        /// High while one more packet may begin to be built.
        room: In Bit,
        /// Bit `n`: high for one cycle when the packet of mark `n` is discarded, or the pause behind it is over.
        freed: In Bits<8>,
    }
);
