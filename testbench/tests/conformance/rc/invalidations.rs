//! CF091 in time: software and the peer each take a key out of use, a few clocks apart or in the same one.
use crate::bench::peer::{send_with_invalidate, with_reth};
use crate::bench::responder::{nak, TARGET, TARGET_KEY};
use crate::bench::{on_both, request, Bench};
use hca_golden::verbs::MemoryRegion;
use hca_testbench::device::Verb;
use hca_testbench::scenario::region::{all_memory_of, l_key, r_key};

on_both!(cf091_two_keys_at_about_the_same_time,);

/// Of the key that the peer's Send names.
const ENTRY: u32 = 3;

fn cf091_two_keys_at_about_the_same_time(y: &mut Bench) {
    for clocks in 0..40 {
        for key in [TARGET_KEY, r_key(ENTRY)] {
            is_dead(y, key, clocks);
        }
    }
}

/// Under either key nothing is written, so many clocks between the Send and software's verb.
fn is_dead(y: &mut Bench, key: u32, clocks: u64) {
    y.responder(1);
    y.register_target(|_| {});
    let region = MemoryRegion {
        base: TARGET,
        length: 1024,
        ..all_memory_of(ENTRY, 0)
    };
    y.submit(Verb::RegMr { region });
    y.settle();
    y.arrive(send_with_invalidate(100, r_key(ENTRY), &[1; 8]).encode().unwrap());
    y.run_cycles(clocks);
    y.submit(Verb::Invalidate { r_key: TARGET_KEY });
    y.settle();
    y.came();
    let write = with_reth(request(0x0A, 101, &[0xEE; 8]), TARGET, key, 8);
    assert_eq!(
        y.replies_to(&[write]),
        [nak(101, 0x62, 1)],
        "key {key:x}h, {clocks} clocks between"
    );
    y.completions();
    y.deregister_target();
    y.submit(Verb::DeregMr { l_key: l_key(ENTRY) });
    y.settle();
}
