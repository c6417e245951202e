//! The bytes of a flow-control packet.
use crate::wire::VCRC_POLYNOMIAL;
use hca_hdl::prelude::*;

/// Lays a flow-control packet out, with its LPCRC (`protocol/link.md` section 4).
#[derive(LogicBlock, SmartDefault)]
pub struct FlowControlPacket {
    /// Op: 0 normal, 1 initialise.
    pub op: Signal<In, Bits<4>>,
    /// Blocks of 64 bytes sent on the VL since Init, modulo 4096.
    pub fctbs: Signal<In, Bits<12>>,
    /// VL of the packet.
    pub vl: Signal<In, Bits<4>>,
    /// Credit limit of the VL in blocks, modulo 4096.
    pub fccl: Signal<In, Bits<12>>,
    /// The packet, byte 0 at the most significant end.
    pub bytes: Signal<Out, Bits<48>>,
    fields: Signal<Local, Bits<32>>,
    /// The CRC of the VCRC, seed FFFFh, over the four bytes before it.
    #[default(CrcStep::new(VCRC_POLYNOMIAL))]
    crc: CrcStep<32, 16>,
}

#[kernel]
impl Logic for FlowControlPacket {
    fn update(&mut self) {
        self.fields.next = (bit_cast::<32, 4>(self.op.val()) << 28)
            | (bit_cast::<32, 12>(self.fctbs.val()) << 16)
            | (bit_cast::<32, 4>(self.vl.val()) << 12)
            | bit_cast::<32, 12>(self.fccl.val());
        self.crc.data.next = self.fields.val() ^ (bits::<32>(0xFFFF) << 16);
        self.bytes.next =
            (bit_cast::<48, 32>(self.fields.val()) << 16) | bit_cast::<48, 16>(!self.crc.crc.val());
    }
}
