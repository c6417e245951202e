//! Doorbells behind the AXI4-Lite port: each write is handed on once, as it was written, before it ends.
use crate::registers::{registers, Host};
use fastrand::Rng;
use hca_host::register::{
    ARGUMENT, CQ_ARM, CQ_CONSUMER, CQ_STRIDE, DOORBELL_COUNT, QP_STRIDE, RQ_DOORBELL, SQ_DOORBELL,
};

/// A doorbell: its register, the index of its queue, and what was written.
type Doorbell = (u32, u32, u32);

/// Returns the doorbell that is taken in this clock.
fn taken(host: &Host) -> Option<Doorbell> {
    let bench = &host.bench;
    let moves = |name: &str| bench.is_set(&format!("{name}_valid")) && bench.is_set(&format!("{name}_ready"));
    let get = |name| bench.get(name) as u32;
    match (moves("doorbell"), moves("cq_doorbell")) {
        (true, true) => panic!("two doorbells of one write"),
        (true, false) => {
            let register = [SQ_DOORBELL, RQ_DOORBELL][usize::from(bench.is_set("doorbell_receive"))];
            Some((register, get("doorbell_index"), get("doorbell_producer")))
        }
        (false, true) => {
            let register = [CQ_CONSUMER, CQ_ARM][usize::from(bench.is_set("cq_doorbell_arm"))];
            Some((register, get("cq_doorbell_index"), get("cq_doorbell_value")))
        }
        (false, false) => None,
    }
}

#[test]
fn each_write_is_handed_on_once() {
    let library = registers();
    for (seed, ready) in [(1, 10), (2, 50), (3, 100)] {
        let mut rng = Rng::with_seed(seed);
        let mut host = Host::new(&library, seed);
        for _ in 0..3_000 {
            let index = match rng.u8(..4) {
                0 => [0, 1, DOORBELL_COUNT - 1][rng.usize(..3)],
                _ => rng.u32(..DOORBELL_COUNT),
            };
            let value = rng.u32(..);
            let (address, expected) = match rng.u8(..5) {
                0 => (
                    SQ_DOORBELL + QP_STRIDE * index,
                    Some((SQ_DOORBELL, index, value & 0xFFFF)),
                ),
                1 => (
                    RQ_DOORBELL + QP_STRIDE * index,
                    Some((RQ_DOORBELL, index, value & 0xFFFF)),
                ),
                2 => (CQ_CONSUMER + CQ_STRIDE * index, Some((CQ_CONSUMER, index, value))),
                3 => (CQ_ARM + CQ_STRIDE * index, Some((CQ_ARM, index, value))),
                _ => (ARGUMENT, None),
            };
            host.bench.set("axil_awaddr", address.into());
            host.bench.set("axil_wdata", value.into());
            let (mut waits, mut found, mut ends) = (true, None, false);
            // A write of a doorbell does not wait for the ports.
            host.bench
                .set("port_changing", (expected.is_some() && rng.bool()).into());
            while !ends {
                host.bench.set("axil_awvalid", waits.into());
                host.bench.set("axil_wvalid", waits.into());
                let is_ready = |rng: &mut Rng| u64::from(rng.u8(..100) < ready);
                host.bench.set("doorbell_ready", is_ready(&mut rng));
                host.bench.set("cq_doorbell_ready", is_ready(&mut rng));
                host.bench.settle();
                if let Some(doorbell) = taken(&host) {
                    assert_eq!(found.replace(doorbell), None, "handed on twice");
                }
                waits &= !host.bench.is_set("axil_awready");
                ends = host.bench.is_set("axil_bvalid");
                host.bench.tick();
            }
            assert_eq!(found, expected, "write of {address:05X}h");
        }
    }
}
