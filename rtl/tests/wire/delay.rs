//! A delay gives every bit of its input four clocks later, whatever the bits beside it are.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::wire::Delay;
use std::collections::VecDeque;

const CLOCKS: usize = 4;

fn delays<const D: usize>() {
    let library = library::<Delay<D>>("delay");
    let mut rng = Rng::with_seed(D as u64);
    let mut bench = Bench::without_clock(&library, 1);
    let mut under_way = VecDeque::new();
    for _ in 0..2_000 {
        let data = rng.u64(..) >> (64 - D);
        bench.set("data", data);
        bench.settle();
        under_way.push_back(data);
        if under_way.len() > CLOCKS {
            assert_eq!(Some(bench.get("delayed")), under_way.pop_front());
        }
        bench.tick();
    }
}

#[test]
fn every_bit_comes_four_clocks_later() {
    delays::<1>();
    delays::<6>();
    delays::<7>();
    delays::<64>();
}
