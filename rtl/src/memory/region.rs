//! A memory region as the protection table holds it (`protocol/qp_cq.md` section 3).
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// First field at the least significant end of the 222 bits.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct RegionRow {
    pub valid: Bit,
    pub l_key: Bits<32>,
    pub r_key: Bits<32>,
    /// Protection domain.
    pub pd: Bits<24>,
    pub base: Bits<64>,
    /// Bytes.
    pub length: Bits<64>,
    pub local_write: Bit,
    pub remote_write: Bit,
    pub remote_read: Bit,
    pub remote_atomic: Bit,
    /// Addresses count from 0, not from `base`.
    pub zero_based: Bit,
}

/// Names the fields of a [`RegionRow`] as a memory holds it.
#[derive(LogicBlock, Default)]
pub struct RegionFields {
    pub row: Signal<In, Bits<222>>,
    pub valid: Signal<Out, Bit>,
    pub l_key: Signal<Out, Bits<32>>,
    pub r_key: Signal<Out, Bits<32>>,
    pub pd: Signal<Out, Bits<24>>,
    pub base: Signal<Out, Bits<64>>,
    pub length: Signal<Out, Bits<64>>,
    pub local_write: Signal<Out, Bit>,
    pub remote_write: Signal<Out, Bit>,
    pub remote_read: Signal<Out, Bit>,
    pub remote_atomic: Signal<Out, Bit>,
    pub zero_based: Signal<Out, Bit>,
}

impl Logic for RegionFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module region_fields");
        self.valid.next = self.row.val().get_bit(0);
        self.l_key.next = self.row.val().get_bits::<32>(1);
        self.r_key.next = self.row.val().get_bits::<32>(33);
        self.pd.next = self.row.val().get_bits::<24>(65);
        self.base.next = self.row.val().get_bits::<64>(89);
        self.length.next = self.row.val().get_bits::<64>(153);
        self.local_write.next = self.row.val().get_bit(217);
        self.remote_write.next = self.row.val().get_bit(218);
        self.remote_read.next = self.row.val().get_bit(219);
        self.remote_atomic.next = self.row.val().get_bit(220);
        self.zero_based.next = self.row.val().get_bit(221);
    }
}
