//! The expressions that a printer of Rust text gets wrong, each with the value that Rust gives it.
use crate::compare::{Bench, Twin};
use crate::stimulus::Stimulus;
use hca_hdl::comment;
use hca_sim::verilated::Lints;
use rust_hdl_core::prelude::*;

#[derive(LogicBlock, Default)]
struct HandPicked {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<8>>,
    w: Signal<In, Bits<40>>,
    v: Signal<In, Bits<40>>,
    x: Signal<In, Bit>,
    y: Signal<In, Bit>,
    z: Signal<In, Bit>,
    k: Signal<In, Bits<4>>,
    /// At most 8.
    j: Signal<In, Bits<4>>,
    q: Signal<In, Bits<256>>,
    r: Signal<In, Bits<256>>,
    m: Signal<In, Bits<16>>,
    n: Signal<In, Bits<16>>,
    s: Signal<In, Signed<8>>,
    u: Signal<In, Signed<8>>,
    prec_and_eq: Signal<Out, Bit>,
    prec_and_eq_paren: Signal<Out, Bit>,
    prec_bool_and_eq: Signal<Out, Bit>,
    prec_xor_ne: Signal<Out, Bit>,
    prec_shift_lt: Signal<Out, Bit>,
    sub_one_eq_lit: Signal<Out, Bit>,
    add_lit_lt_lit: Signal<Out, Bit>,
    sub_lt_lit: Signal<Out, Bit>,
    sub_lt_same: Signal<Out, Bit>,
    sub_lt_bits_lit: Signal<Out, Bit>,
    add_eq_same: Signal<Out, Bit>,
    add_lit_eq_same: Signal<Out, Bit>,
    add_lit40: Signal<Out, Bits<40>>,
    lit40_cmp: Signal<Out, Bit>,
    widen_add: Signal<Out, Bits<16>>,
    widen_first_add: Signal<Out, Bits<9>>,
    widen_not: Signal<Out, Bits<16>>,
    widen_shl: Signal<Out, Bits<16>>,
    widen_add_shr: Signal<Out, Bits<16>>,
    add_shr: Signal<Out, Bits<8>>,
    add_lit_shr: Signal<Out, Bits<8>>,
    sub_lit_shr: Signal<Out, Bits<8>>,
    not_eq_lit: Signal<Out, Bit>,
    not_eq_same: Signal<Out, Bit>,
    not_bool_cmp: Signal<Out, Bit>,
    not_bool_and_and: Signal<Out, Bit>,
    narrow_add_eq: Signal<Out, Bit>,
    narrow_not_eq: Signal<Out, Bit>,
    narrow_shl_shr: Signal<Out, Bits<4>>,
    narrow_not_any: Signal<Out, Bit>,
    narrow_all: Signal<Out, Bit>,
    slice_all: Signal<Out, Bit>,
    slice_expr: Signal<Out, Bits<4>>,
    slice_cast: Signal<Out, Bits<4>>,
    slice_of_slice: Signal<Out, Bits<4>>,
    slice_wide: Signal<Out, Bits<64>>,
    slice_var: Signal<Out, Bits<16>>,
    slice_var_mul: Signal<Out, Bits<8>>,
    slice_var_oob: Signal<Out, Bits<8>>,
    bit_var: Signal<Out, Bit>,
    replace_bit: Signal<Out, Bits<40>>,
    replace_bit_hi: Signal<Out, Bits<40>>,
    shl_var: Signal<Out, Bits<40>>,
    shr_var_wide: Signal<Out, Bits<256>>,
    shl_var_big: Signal<Out, Bits<8>>,
    shr_var_big: Signal<Out, Bits<8>>,
    shl_amt_expr: Signal<Out, Bits<16>>,
    concat_or: Signal<Out, Bits<16>>,
    concat256: Signal<Out, Bits<256>>,
    wide256_add: Signal<Out, Bits<256>>,
    wide256_cmp: Signal<Out, Bit>,
    mul16: Signal<Out, Bits<32>>,
    mul16_cmp: Signal<Out, Bit>,
    mul16_widen: Signal<Out, Bits<64>>,
    signed_lt: Signal<Out, Bit>,
    signed_sub_lt: Signal<Out, Bit>,
    signed_add: Signal<Out, Signed<8>>,
    signed_neg: Signal<Out, Signed<8>>,
    signed_cast_cmp: Signal<Out, Bit>,
    sign_bit_idiom: Signal<Out, Bit>,
    bits_of_bool: Signal<Out, Bits<1>>,
    add_bool: Signal<Out, Bits<8>>,
    xor_red: Signal<Out, Bit>,
    bool_eq_bool: Signal<Out, Bit>,
    not_of_bits1: Signal<Out, Bit>,
}

#[allow(unused_parens, clippy::nonminimal_bool)]
impl Logic for HandPicked {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module hand_picked");
        self.prec_and_eq.next = self.a.val() & self.b.val() == self.c.val();
        self.prec_and_eq_paren.next = (self.a.val() & self.b.val()) == self.c.val();
        self.prec_bool_and_eq.next = (self.x.val() & self.y.val() == self.z.val());
        self.prec_xor_ne.next = self.a.val() ^ self.b.val() != self.c.val();
        self.prec_shift_lt.next = self.a.val() >> 2 < self.b.val() + self.c.val();
        self.sub_one_eq_lit.next = (self.a.val() - 1) == 255;
        self.add_lit_lt_lit.next = (self.a.val() + 10) < 20;
        self.sub_lt_lit.next = (self.a.val() - self.b.val()) < 16;
        self.sub_lt_same.next = (self.a.val() - self.b.val()) < self.c.val();
        self.sub_lt_bits_lit.next = (self.a.val() - self.b.val()) < bits::<8>(16);
        self.add_eq_same.next = (self.a.val() + self.b.val()) == self.c.val();
        self.add_lit_eq_same.next = (self.a.val() + 1) == self.c.val();
        self.add_lit40.next = self.w.val() + 1;
        self.lit40_cmp.next = self.w.val() < 0xFF_0000_0000_u64;
        self.widen_add.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
        self.widen_first_add.next = bit_cast::<9, 8>(self.a.val()) + bit_cast::<9, 8>(self.b.val());
        self.widen_not.next = bit_cast::<16, 8>(!self.a.val());
        self.widen_shl.next = bit_cast::<16, 8>(self.a.val() << 4);
        self.widen_add_shr.next = bit_cast::<16, 8>((self.a.val() + self.b.val()) >> 1);
        self.add_shr.next = (self.a.val() + self.b.val()) >> 1;
        self.add_lit_shr.next = (self.a.val() + 1) >> 1;
        self.sub_lit_shr.next = (self.a.val() - 3) >> 1;
        self.not_eq_lit.next = (!self.a.val()) == 255;
        self.not_eq_same.next = (!self.a.val()) == self.b.val();
        self.not_bool_cmp.next = !(self.a.val() == self.b.val()) & self.x.val();
        self.not_bool_and_and.next = !self.x.val() && !self.y.val() || self.z.val();
        self.narrow_add_eq.next =
            (bit_cast::<4, 8>(self.a.val()) + bit_cast::<4, 8>(self.b.val())) == self.k.val();
        self.narrow_not_eq.next = (!bit_cast::<4, 8>(self.a.val())) == self.k.val();
        self.narrow_shl_shr.next = (bit_cast::<4, 8>(self.a.val()) << 2) >> 2;
        self.narrow_not_any.next = (!bit_cast::<4, 8>(self.a.val())).any();
        self.narrow_all.next = bit_cast::<4, 8>(self.a.val()).all();
        self.slice_all.next = self.a.val().get_bits::<4>(2).all();
        self.slice_expr.next = (self.a.val() + self.b.val()).get_bits::<4>(2);
        self.slice_cast.next = bit_cast::<16, 8>(self.a.val()).get_bits::<4>(2);
        self.slice_of_slice.next = self.q.val().get_bits::<32>(32).get_bits::<4>(8);
        self.slice_wide.next = self.q.val().get_bits::<64>(100);
        self.slice_var.next = self.q.val().get_bits::<16>(self.k.val().index());
        self.slice_var_mul.next = self.q.val().get_bits::<8>(self.k.val().index() * 8);
        self.slice_var_oob.next = self.a.val().get_bits::<8>(self.j.val().index());
        self.bit_var.next = self.m.val().get_bit(self.k.val().index());
        self.replace_bit.next = self.w.val().replace_bit(self.k.val().index(), self.x.val());
        self.replace_bit_hi.next = self.w.val().replace_bit(39, self.x.val());
        self.shl_var.next = self.w.val() << self.k.val();
        self.shr_var_wide.next = self.q.val() >> self.a.val();
        self.shl_var_big.next = self.a.val() << self.b.val();
        self.shr_var_big.next = self.a.val() >> self.b.val();
        self.shl_amt_expr.next = self.m.val() << (self.k.val() + 1);
        self.concat_or.next = (bit_cast::<16, 8>(self.a.val()) << 8) | bit_cast::<16, 8>(self.b.val());
        self.concat256.next =
            (bit_cast::<256, 40>(self.w.val()) << 200) | (bit_cast::<256, 8>(self.a.val()) << 3);
        self.wide256_add.next = self.q.val() + self.r.val();
        self.wide256_cmp.next = self.q.val() > self.r.val();
        self.mul16.next = self.m.val() * self.n.val();
        self.mul16_cmp.next = (self.m.val() * self.n.val()) > bit_cast::<32, 40>(self.w.val());
        self.mul16_widen.next = bit_cast::<64, 32>(self.m.val() * self.n.val());
        self.signed_lt.next = self.s.val() < self.u.val();
        self.signed_sub_lt.next = (self.s.val() - self.u.val()) < self.s.val();
        self.signed_add.next = self.s.val() + self.u.val();
        self.signed_neg.next = -self.s.val();
        self.signed_cast_cmp.next = signed_cast(self.a.val() - self.b.val()) < signed_cast(self.c.val());
        self.sign_bit_idiom.next = ((self.a.val() - self.b.val()) & 0x80) == 0;
        self.bits_of_bool.next = (self.a.val() == self.b.val()).into();
        self.add_bool.next = self.a.val() + self.x.val();
        self.xor_red.next = (self.q.val() & self.r.val()).xor() ^ self.a.val().xor();
        self.bool_eq_bool.next = self.x.val() == !self.y.val();
        self.not_of_bits1.next = (!self.a.val().get_bits::<1>(0)) == 1;
    }
}

#[test]
fn hand_picked_expressions_agree() {
    let mut stimulus = Stimulus::new(1);
    let library = Bench::new("hand_picked_bench")
        .add(HandPicked::default(), "hand_picked")
        .build(Lints::Strict);
    let mut twin = Twin::new(HandPicked::default(), &library, "hand_picked");
    for round in 0..2000 {
        let block = &mut twin.block;
        block.a.next = stimulus.bits();
        block.b.next = if stimulus.chance(25) {
            block.a.next
        } else {
            stimulus.bits()
        };
        block.c.next = if stimulus.chance(25) {
            block.a.next + block.b.next
        } else {
            stimulus.bits()
        };
        block.w.next = stimulus.bits();
        block.v.next = stimulus.bits();
        block.x.next = stimulus.bit();
        block.y.next = stimulus.bit();
        block.z.next = stimulus.bit();
        block.k.next = stimulus.bits();
        block.j.next = stimulus.below(9).into();
        block.q.next = stimulus.bits();
        block.r.next = stimulus.bits();
        block.m.next = stimulus.bits();
        block.n.next = stimulus.bits();
        block.s.next = signed_cast(stimulus.bits());
        block.u.next = signed_cast(stimulus.bits());
        twin.settle(&|| format!("round {round}"));
    }
}
