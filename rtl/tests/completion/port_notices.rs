//! Events of the port until they are taken.
use crate::bench::{library, Bench};
use hca_host::eqe::{PORT_ACTIVE, PORT_ERROR, VIOLATION};
use hca_rtl::event::PortNotices;

fn turn(bench: &mut Bench, times: u32) {
    bench.set("turned", 1);
    for _ in 0..times {
        bench.settle();
        bench.tick();
    }
    bench.set("turned", 0);
}

/// The kinds of all that wait.
fn taken(bench: &mut Bench) -> Vec<u64> {
    let mut kinds = Vec::new();
    bench.set("event_ready", 1);
    loop {
        bench.settle();
        if !bench.is_set("event_valid") {
            bench.set("event_ready", 0);
            return kinds;
        }
        kinds.push(bench.get("event_kind"));
        bench.tick();
    }
}

/// CF438.
#[test]
fn each_change_is_one_event() {
    let (active, error) = (u64::from(PORT_ACTIVE), u64::from(PORT_ERROR));
    let mut bench = Bench::new(&library::<PortNotices>("port_notices"), 1);
    bench.set("turned", 0);
    bench.set("violated", 0);
    bench.set("event_ready", 0);
    assert!(taken(&mut bench).is_empty());
    turn(&mut bench, 1);
    assert_eq!(taken(&mut bench), [active]);
    turn(&mut bench, 4);
    assert_eq!(taken(&mut bench), [error, active, error, active]);
    // One comes while one is taken.
    turn(&mut bench, 1);
    bench.set("event_ready", 1);
    turn(&mut bench, 1);
    assert_eq!(taken(&mut bench), [active]);
    // Of the 256th and the one before, nothing stays.
    turn(&mut bench, 256);
    let kinds = taken(&mut bench);
    assert_eq!(kinds.len(), 254);
    assert_eq!(kinds[..2], [error, active]);
    turn(&mut bench, 1);
    assert_eq!(taken(&mut bench), [error]);
}

/// CF482: all violations until the event is taken cause one event, which comes after those of the port's state.
#[test]
fn violations_make_one_event() {
    let mut bench = Bench::new(&library::<PortNotices>("port_notices"), 1);
    bench.set("turned", 0);
    bench.set("violated", 0);
    bench.set("event_ready", 0);
    let violate = |bench: &mut Bench, ready: u64| {
        bench.set("violated", 1);
        bench.set("event_ready", ready);
        bench.settle();
        bench.tick();
        bench.set("violated", 0);
        bench.set("event_ready", 0);
    };
    violate(&mut bench, 0);
    assert_eq!(taken(&mut bench), [u64::from(VIOLATION)]);
    violate(&mut bench, 0);
    violate(&mut bench, 0);
    turn(&mut bench, 2);
    assert_eq!(
        taken(&mut bench),
        [PORT_ACTIVE, PORT_ERROR, VIOLATION].map(u64::from)
    );
    // One comes while one is taken.
    violate(&mut bench, 0);
    violate(&mut bench, 1);
    assert_eq!(taken(&mut bench), [u64::from(VIOLATION)]);
    assert!(taken(&mut bench).is_empty());
}
