//! Routes of packets that the link keeps waiting.
use crate::bench::{bits, library, Bench};
use crate::packet::Route;
use hca_rtl::transmit::Routing;
use std::collections::VecDeque;

/// Lowest bits of fields of `TxHeader`.
const FLOW_LABEL: usize = 50;
const PSN: usize = 497;

/// TxHeader with nothing but a PSN, least significant byte first.
fn header(psn: u32) -> Vec<u8> {
    let mut port = vec![0; 125];
    for bit in (0..24).filter(|bit| psn >> bit & 1 == 1) {
        port[(PSN + bit) / 8] |= 1 << ((PSN + bit) % 8);
    }
    port
}

/// A header keeps the route that its QP had when it was taken, however slow the link, whatever comes after it and
/// whatever happens to the QP meanwhile.
#[test]
fn a_header_keeps_its_route() {
    let library = library::<Routing<4, 6, 7>>("routing");
    let mut rng = fastrand::Rng::with_seed(1);
    for slow in [0, 128, 240] {
        let mut bench = Bench::new(&library, 1);
        bench.set_bytes("sgid", &[0; 16]);
        bench.set("port_mac", 0);
        bench.set("header_valid", 0);
        bench.set("handle_valid", 0);
        bench.set("routed_ready", 0);
        let mut routes: Vec<_> = (0..16).map(|_| Route::any(&mut rng)).collect();
        bench.set("modify_valid", 1);
        for (qp, route) in routes.iter().enumerate() {
            bench.set("modify_index", qp as u64);
            bench.set_bytes("modify_route", &route.row());
            bench.settle();
            bench.tick();
        }
        let mut taken = VecDeque::new();
        let mut came = 0;
        let mut psn = 0;
        let mut offers = false;
        let mut qp = 0;
        while came < 500 {
            assert!(bench.cycle < 100_000, "{came} headers came");
            if !offers && rng.u8(..) < 200 {
                offers = true;
                qp = rng.usize(..16);
                psn += 1;
            }
            bench.set("header_valid", offers.into());
            bench.set("header_route", qp as u64);
            bench.set_bytes("header", &header(psn));
            let changed = rng.usize(..16);
            let route = Route::any(&mut rng);
            let change = rng.bool();
            bench.set("modify_valid", change.into());
            bench.set("modify_index", changed as u64);
            bench.set_bytes("modify_route", &route.row());
            bench.set("routed_ready", u64::from(rng.u8(..) >= slow));
            bench.settle();
            if bench.is_set("routed_valid") && bench.is_set("routed_ready") {
                let routed = bench.bytes("routed");
                let is = (
                    bits(&routed, PSN, 24) as u32,
                    bits(&routed, FLOW_LABEL, 20) as u32,
                    bench.get("sgid_index") as u8,
                );
                assert_eq!(
                    Some(is),
                    taken.pop_front(),
                    "PSN, flow label and SGID index of header {came}"
                );
                came += 1;
            }
            if offers && bench.is_set("header_ready") {
                taken.push_back((psn, routes[qp].flow_label, routes[qp].sgid_index));
                offers = false;
            }
            if change {
                routes[changed] = route;
            }
            bench.tick();
        }
    }
}
