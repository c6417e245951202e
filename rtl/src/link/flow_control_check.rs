//! The checks of an arriving link packet.
use crate::wire::VCRC_POLYNOMIAL;
use hca_hdl::prelude::*;

/// Judges a link packet (`protocol/link.md` section 4.1). Pure function.
///
/// A packet that is neither taken nor faulty is ignored.
#[derive(LogicBlock, SmartDefault)]
pub struct FlowControlCheck {
    /// First 6 bytes of the packet, byte 0 at the most significant end.
    pub packet: Signal<In, Bits<48>>,
    /// High if the packet has 6 bytes.
    pub whole: Signal<In, Bit>,
    /// High if link packets are looked at: in Init, Armed and Active, with flow control.
    pub looks: Signal<In, Bit>,
    /// High while the port is in Armed or Active.
    pub armed: Signal<In, Bit>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// High if the packet is taken.
    pub takes: Signal<Out, Bit>,
    /// High if the packet is discarded and counted.
    pub faulty: Signal<Out, Bit>,
    #[default(CrcStep::new(VCRC_POLYNOMIAL))]
    crc: CrcStep<48, 16>,
    vl: Signal<Local, Bits<4>>,
    operational: Signal<Local, Bit>,
    wrong_crc: Signal<Local, Bit>,
    wrong_op: Signal<Local, Bit>,
    wrong_vl: Signal<Local, Bit>,
    /// The seed where it meets the first two bytes.
    #[default(constant(0xFFFF_0000_0000_u64))]
    seed: Constant<Bits<48>>,
    /// The register over six good bytes, before the complement, as wire bytes: 556Fh (`protocol/link.md` section 4).
    #[default(constant(0x6F55))]
    residue: Constant<Bits<16>>,
    /// Number of data VLs that there are.
    #[default(constant(1))]
    supported: Constant<Bits<4>>,
}

impl FlowControlCheck {
    /// For a port with `vls` data VLs.
    pub fn new(vls: usize) -> Self {
        Self {
            supported: constant(vls),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for FlowControlCheck {
    fn update(&mut self) {
        self.crc.data.next = self.packet.val() ^ self.seed.val();
        self.vl.next = self.packet.val().get_bits::<4>(28);
        // Row 1.
        self.wrong_crc.next = self.crc.crc.val() != self.residue.val();
        // Row 2.
        self.wrong_op.next = self.packet.val().get_bits::<3>(45).any();
        // Row 4.
        self.operational.next = self.vl.val() < self.data_vls.val();
        self.wrong_vl.next =
            (self.vl.val() >= self.supported.val()) || (self.armed.val() && !self.operational.val());
        self.faulty.next = self.looks.val()
            && (self.wrong_crc.val() || self.wrong_op.val() || !self.whole.val() || self.wrong_vl.val());
        self.takes.next = self.looks.val() && !self.faulty.val() && self.operational.val();
    }
}
