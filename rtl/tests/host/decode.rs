//! A command has its code, and no other one has.
use crate::bench::{library, Bench};
use hca_hdl::prelude::*;
use hca_host::command;
use hca_rtl::control::{CommandDecode, CommandName};

/// Verilator builds no top with a port that is called `name`.
#[derive(LogicBlock, Default)]
struct Decode {
    pub code: Signal<In, Bits<32>>,
    pub named: Signal<Out, CommandName>,
    decode: CommandDecode,
}

#[kernel]
impl Logic for Decode {
    fn update(&mut self) {
        self.decode.code.next = self.code.val();
        self.named.next = self.decode.name.val();
    }
}

#[test]
fn every_bit_of_a_code_counts() {
    let mut bench = Bench::without_clock(&library::<Decode>("decode"), 1);
    // As `CommandName` has them, the first at bit 0.
    let codes = [
        command::CREATE_CQ,
        command::MODIFY_QP,
        command::REG_MR,
        command::DEREG_MR,
        command::INVALIDATE,
        command::DESTROY_CQ,
        command::RESIZE_CQ,
        command::QUERY_CQ,
        command::CREATE_QP,
        command::QUERY_QP,
        command::DESTROY_QP,
        command::CREATE_AH,
        command::MODIFY_AH,
        command::QUERY_AH,
        command::DESTROY_AH,
        command::ATTACH,
        command::DETACH,
    ];
    for code in codes {
        for flipped in (0..32).map(|bit| code ^ 1 << bit).chain([0, code]) {
            bench.set("code", u64::from(flipped));
            bench.follow();
            let known = codes.iter().position(|known| *known == flipped);
            let name = known.map_or(0, |at| 1 << at);
            assert_eq!(bench.get("named"), name, "code {flipped:08X}h");
        }
    }
}
