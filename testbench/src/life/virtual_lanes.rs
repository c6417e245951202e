//! Draws changes of the VLs of a port with flow control.
use crate::case::lanes::Lanes;
use crate::case::Act;
use hca_golden::arbitration::ENTRIES;
use hca_golden::port::SLS;
use proptest::prelude::*;

/// Draws a number of operational data VLs: `all` of them, or mostly fewer.
pub(super) fn data_vls(vls: u8, all: bool) -> impl Strategy<Value = Act> {
    let fewer = prop::sample::select(vec![1, 2, 4, 8]).prop_map(move |data_vls: u8| data_vls.min(vls));
    let number = match all {
        true => Just(vls).boxed(),
        false => fewer.boxed(),
    };
    number.prop_map(|data_vls| Act::SetDataVls { data_vls })
}

/// Draws an SL-to-VL table. One of eight has SLs without a VL that carries them, unless `all` need one.
pub(super) fn sl_to_vl(vls: u8, all: bool) -> impl Strategy<Value = Act> {
    let of = |vl: BoxedStrategy<u8>| prop::collection::vec(vl, SLS);
    let carried = of((0..vls).boxed());
    let odd = of(prop_oneof![6 => 0..vls, 1 => vls..=14, 1 => Just(15u8)].boxed());
    let table = match all {
        true => carried.boxed(),
        false => prop_oneof![7 => carried, 1 => odd].boxed(),
    };
    table.prop_map(|table| Act::SetSlToVl {
        table: std::array::from_fn(|sl| table[sl]),
    })
}

/// Draws arbitration tables. One of four may leave VLs without a turn, unless `all` need one.
pub(super) fn lanes(vls: u8, all: bool) -> impl Strategy<Value = Act> {
    let vl = prop_oneof![8 => 0..vls, 1 => vls..=14];
    let weight = prop::sample::select(vec![0u8, 1, 2, 4, 17, 64, 65, 255]);
    let table = prop::collection::vec((vl, weight), 0..=ENTRIES);
    let high_limit = prop::sample::select(vec![0u8, 1, 2, 4, 254, 255]);
    let starves = prop::bool::weighted(if all { 0.0 } else { 0.25 });
    (table.clone(), table, high_limit, starves).prop_map(move |(high, low, high_limit, starves)| {
        let lanes = Lanes {
            high,
            low,
            high_limit,
        };
        let lanes = if starves { lanes } else { lanes.serving(vls) };
        Act::SetLanes { lanes }
    })
}
