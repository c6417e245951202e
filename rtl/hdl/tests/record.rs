//! A record and its bits are the same value.
use hca_hdl::record;
use hca_hdl::record::RecordField;
use rust_hdl_core::prelude::*;

record! {
    /// 29 bits.
    pub struct Ack {
        pub urgent: Bit,
        /// PSN.
        pub psn: Bits<24>,
        pub slot: Bits<4>,
    }
}

#[test]
fn the_first_field_lies_at_the_least_significant_end() {
    let ack = Ack {
        urgent: true,
        psn: 0xAB_CDEF.into(),
        slot: 9.into(),
    };
    let packed: Bits<29> = ack.into();
    assert_eq!(packed, Bits::<29>::from(9 << 25 | 0xAB_CDEF << 1 | 1));
    assert_eq!(Ack::from(packed), ack);
    assert_eq!(Ack::BITS, 29);
}

#[test]
fn every_bit_belongs_to_one_field() {
    for bit in 0..Ack::BITS {
        let packed = Bits::<29>::default().replace_bit(bit, true);
        let ack = Ack::from(packed);
        assert_ne!(ack, Ack::default(), "bit {bit}");
        assert_eq!(Bits::<29>::from(ack), packed, "bit {bit}");
    }
}

#[test]
fn each_bit_of_the_inverse_is_the_opposite() {
    let ack = Ack {
        urgent: true,
        psn: 0xAB_CDEF.into(),
        slot: 9.into(),
    };
    assert_eq!(Bits::<29>::from(ack.inverted()), !Bits::<29>::from(ack));
}

/// Hands a record on as bits and back.
#[derive(LogicBlock, Default)]
struct Passage {
    packed: Signal<In, Bits<29>>,
    ack: Signal<Out, Ack>,
    repacked: Signal<Out, Bits<29>>,
    psn: Signal<Out, Bits<24>>,
    inner: Signal<Local, Ack>,
}

impl Logic for Passage {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.next = self.packed.val().into();
        self.ack.next = self.inner.val();
        self.repacked.next = self.inner.val().into();
        self.psn.next = self.inner.val().psn;
    }
}

#[test]
fn a_kernel_converts_both_ways_without_naming_a_bit() {
    let mut passage = Passage::default();
    passage.packed.connect();
    passage.connect_all();
    let design = hca_hdl::verilog::export(&passage, "passage").unwrap();
    let verilog = &design.modules[0].text;
    for line in [
        "inner = packed", "ack = inner", "repacked = inner", "psn = inner[24:1]",
    ] {
        assert!(verilog.contains(line), "{line}\n{verilog}");
    }
}
