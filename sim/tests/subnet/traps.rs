//! Traps: when they leave, what they say, when they are repeated (`protocol/mad.md` section 6).
use crate::bench::*;
use hca_sim::subnet::attribute::{BadKey, LocalChange, Trap};
use hca_sim::subnet::{CountedKey, Handled, PortState, Record};
use std::time::Duration;

/// 4.096 us * 2^18, as SubnetTimeOut 18 of the managed port says.
const GAP: Duration = Duration::from_nanos(1_073_741_824);

fn bad_key() -> BadKey {
    let mut bad = BadKey {
        slid: 0x0005,
        dlid: 0x0014,
        key: 0x0000_1234,
        sl: 3,
        source_qpn: 0x00_0777,
        destination_qpn: 0x00_0001,
        ..BadKey::default()
    };
    bad.sgid[15] = 0xA1;
    bad.dgid[15] = 0xB2;
    bad
}

/// The notice of a trap that the agent is asked for.
fn notice(trap: Trap) -> [u8; 64] {
    let mut bench = Bench::managed();
    bench.agent.ask(1, trap);
    bench.trap().expect("a trap").smp.data
}

#[test]
fn the_fields_of_a_key_violation() {
    let mut bench = Bench::managed();
    bench.agent.p_key_violation(1, bad_key());
    let trap = bench.trap().expect("a trap");
    assert_eq!((trap.port, trap.slid, trap.dlid, trap.sl), (1, 0x14, 1, 0));
    let mad: [u8; 256] = trap.smp.encode();
    assert_eq!(mad[..8], [1, 1, 1, TRAP, 0, 0, 0, 0]);
    assert_eq!(mad[8..12], [0; 4], "the upper half of the transaction");
    assert_eq!(
        mad[16..32],
        [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        "Notice, no key"
    );
    let notice = &mad[DATA..DATA + 64];
    assert_eq!(
        notice[..10],
        [0x82, 0, 0, 1, 0x01, 0x01, 0x00, 0x14, 0, 0],
        "257 of LID 14h"
    );
    let details = &notice[10..];
    assert_eq!(details[..6], [0, 0, 0x00, 0x05, 0x00, 0x14], "LIDs");
    assert_eq!(details[6..10], [0, 0, 0x12, 0x34], "the key");
    assert_eq!(
        details[10..18],
        [0x30, 0x00, 0x07, 0x77, 0x00, 0x00, 0x00, 0x01],
        "SL and QPNs"
    );
    assert_eq!((details[33], details[49]), (0xA1, 0xB2), "GIDs");
    assert_eq!(details[50..], [0; 4]);
}

#[test]
fn a_q_key_violation_is_258() {
    assert_eq!(notice(Trap::BadQKey(bad_key()))[..6], [0x82, 0, 0, 1, 0x01, 0x02]);
}

#[test]
fn traps_keep_their_distance() {
    let mut bench = Bench::managed();
    bench.agent.p_key_violation(1, bad_key());
    let first = bench.trap().expect("the first");
    assert_eq!(bench.trap(), None);
    // While one waits, the latest is kept.
    bench.agent.p_key_violation(1, bad_key());
    bench.agent.q_key_violation(1, bad_key());
    bench.now += GAP - Duration::from_nanos(1);
    assert_eq!(bench.trap(), None);
    assert_eq!(bench.agent.wakes(), Some(bench.now + Duration::from_nanos(1)));
    bench.now += Duration::from_nanos(1);
    let second = bench.trap().expect("the second");
    assert_eq!(second.smp.data[5], 0x02, "the latest");
    assert_ne!(second.smp.header.transaction, first.smp.header.transaction);
    assert_eq!(bench.trap(), None);
}

#[test]
fn a_port_keeps_its_distance_to_its_own_traps_alone() {
    let mut bench = Bench::managed();
    for state in [3, 4] {
        let mut data = port_info();
        data[17] = 0x24;
        data[32] = 0x10 | state;
        assert_eq!(
            bench.ask_at(2, &smp(SET, PORT_INFO, 2, &data)).unwrap()[4..6],
            [0, 0]
        );
    }
    bench.agent.p_key_violation(1, bad_key());
    bench.agent.p_key_violation(2, bad_key());
    let ports = [bench.trap(), bench.trap()].map(|trap| trap.map(|trap| (trap.port, trap.slid)));
    assert_eq!(ports, [Some((1, 0x14)), Some((2, 0x24))]);
}

#[test]
fn no_trap_without_a_manager_or_an_active_port() {
    let mut bench = Bench::new();
    bench.agent.p_key_violation(1, bad_key());
    bench.ports.set_state(1, PortState::Active);
    assert_eq!(bench.trap(), None, "MasterSMLID 0");
    let mut bench = Bench::managed();
    for state in [
        PortState::Down,
        PortState::Init,
        PortState::Armed,
        PortState::ActiveDefer,
    ] {
        bench.ports.set_state(1, state);
        bench.agent.p_key_violation(1, bad_key());
        assert_eq!(bench.trap(), None, "{state:?}");
    }
    // It waits for the port.
    bench.ports.set_state(1, PortState::Active);
    assert!(bench.trap().is_some());
}

/// The LID of the notice is that at the time of leaving.
#[test]
fn a_trap_that_waited_has_the_lid_of_its_leaving() {
    let mut bench = Bench::new();
    bench.agent.ask(1, Trap::FlowControlWatchdog);
    for state in [3, 4] {
        let mut data = port_info();
        data[32] = 0x10 | state;
        bench.data(&smp(SET, PORT_INFO, 1, &data));
    }
    let notice = bench.trap().expect("a trap").smp.data;
    assert_eq!(notice[..8], [0x81, 0, 0, 1, 0x00, 0x83, 0x00, 0x14], "131");
    assert_eq!(notice[10..16], [0, 0, 0x00, 0x14, 1, 0], "LID and port");
}

#[test]
fn other_traps_have_their_numbers_and_details() {
    assert_eq!(notice(Trap::LocalLinkIntegrity)[..6], [0x81, 0, 0, 1, 0, 129]);
    assert_eq!(notice(Trap::ExcessiveBufferOverrun)[..6], [0x81, 0, 0, 1, 0, 130]);
    let guid = notice(Trap::SystemImageGuid(0x0102_0304_0506_0708));
    assert_eq!(guid[..6], [0x84, 0, 0, 1, 0, 145]);
    assert_eq!(guid[10..24], [0, 0, 0x00, 0x14, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let change = |change| {
        notice(Trap::LocalChange {
            capability_mask: 0x0661_085A,
            change,
        })
    };
    let none = change(LocalChange::default());
    assert_eq!(none[..6], [0x84, 0, 0, 1, 0, 144]);
    assert_eq!(
        none[10..22],
        [0, 0, 0x00, 0x14, 0, 0, 0x06, 0x61, 0x08, 0x5A, 0, 0]
    );
    let all = change(LocalChange {
        node_description: true,
        link_width: true,
        link_speed: true,
    });
    assert_eq!(all[14..22], [0, 1, 0x06, 0x61, 0x08, 0x5A, 0, 7]);
}

/// `mad.md` section 5.4: each change of IsSM asks for trap 144 with the new mask.
#[test]
fn a_manager_that_comes_or_goes_is_a_trap() {
    let mut bench = Bench::managed();
    bench.agent.set_is_sm(1, true);
    assert_eq!(bench.data(&smp(GET, PORT_INFO, 0, &[]))[23], 0x5A);
    assert_eq!(
        bench.trap().expect("a trap").smp.data[16..20],
        [0x06, 0x61, 0x08, 0x5A]
    );
    bench.agent.set_is_sm(1, true);
    bench.agent.set_is_sm(1, false);
    bench.now += GAP;
    assert_eq!(
        bench.trap().expect("a trap").smp.data[16..20],
        [0x06, 0x61, 0x08, 0x58]
    );
}

/// A TrapRepress of the trap with this transaction and number.
fn repress(transaction: u64, number: u16) -> [u8; 256] {
    let mut data = [0; 64];
    data[4..6].copy_from_slice(&number.to_be_bytes());
    let mut mad = smp(TRAP_REPRESS, 0x0002, 0, &data);
    mad[8..16].copy_from_slice(&transaction.to_be_bytes());
    mad
}

#[test]
fn a_repress_ends_the_repetition() {
    let mut bench = Bench::managed();
    bench.agent.p_key_violation(1, bad_key());
    let transaction = bench.trap().expect("a trap").smp.header.transaction;
    // Another transaction, or another number, ends nothing.
    assert_eq!(bench.ask(&repress(transaction + 1, 257)), None);
    assert_eq!(bench.ask(&repress(transaction, 258)), None);
    bench.now += GAP;
    assert_eq!(
        bench.trap().expect("a repeat").smp.header.transaction,
        transaction
    );
    // The upper half of the transaction is the manager's.
    assert_eq!(
        bench.ask(&repress(0x7777_0000_0000_0000 | transaction, 257)),
        None
    );
    bench.now += GAP;
    assert_eq!(bench.trap(), None);
    assert_eq!(bench.agent.wakes(), None);
}

#[test]
fn a_repress_needs_the_key() {
    let mut bench = Bench::managed();
    let mut data = port_info();
    data[7] = 9;
    bench.data(&smp(SET, PORT_INFO, 1, &data));
    bench.agent.p_key_violation(1, bad_key());
    let transaction = bench.trap().expect("a trap").smp.header.transaction;
    assert_eq!(bench.ask(&with_key(repress(transaction, 257), 9)), None);
    bench.now += GAP;
    assert_eq!(bench.trap(), None);
    assert_eq!(bench.ask(&repress(transaction, 257)), None);
    assert_eq!(bench.trap().expect("a trap").smp.data[4..6], [0x01, 0x00], "256");
}

#[test]
fn the_repetition_has_a_limit() {
    let mut bench = Bench::managed();
    bench.agent.p_key_violation(1, bad_key());
    let mut sent = 0;
    for _ in 0..20 {
        sent += u32::from(bench.trap().is_some());
        bench.now += GAP;
    }
    assert_eq!(sent, 10);
    assert_eq!(bench.agent.wakes(), None);
}

#[test]
fn a_repress_is_the_managers_whose_trap_it_answers() {
    let mut bench = Bench::managed();
    let mut data = port_info();
    data[7] = 9;
    bench.data(&smp(SET, PORT_INFO, 1, &data));
    bench.agent.p_key_violation(1, bad_key());
    let own = bench.trap().expect("a trap").smp.header.transaction;
    let managers = 0x0001_0002_0000_0000 | own;
    bench.agent.manager_sent_trap(1, managers);
    // It has no key, and needs none; it comes to the manager once.
    assert!(matches!(
        bench.handle(1, &repress(own, 257)),
        Handled::ForManager(_)
    ));
    bench.now += GAP;
    assert_eq!(bench.trap().expect("a repeat").smp.header.transaction, own);
    assert_eq!(
        bench.handle(1, &with_key(repress(own, 257), 9)),
        Handled::Consumed
    );
    bench.now += GAP;
    assert_eq!(bench.trap(), None);
    bench.agent.manager_sent_trap(1, managers);
    bench.agent.manager_gave_up(1, managers);
    assert_eq!(
        bench.handle(1, &with_key(repress(own, 257), 9)),
        Handled::Consumed
    );
}

/// The trap of a refused SMP with a directed route has the path (`mad.md` section 6).
#[test]
fn a_refused_directed_smp_is_reported_with_its_path() {
    let mut bench = Bench::managed();
    let mut data = port_info();
    data[7] = 9;
    bench.data(&smp(SET, PORT_INFO, 1, &data));
    let mut mad = smp(SET, PORT_INFO, 1, &data);
    mad[1] = 0x81;
    (mad[6], mad[7]) = (3, 2);
    mad[32..36].fill(0xFF);
    mad[192..195].copy_from_slice(&[0, 7, 8]);
    assert_eq!(bench.ask(&mad), None);
    let details = bench.trap().expect("a trap").smp.data[10..].to_vec();
    assert_eq!(details[4..6], [0xFF, 0xFF], "DrSLID");
    assert_eq!(details[23..27], [0x82, 0, 7, 8], "directed, 2 hops, the path");
    mad[7] = 31;
    bench.now += GAP;
    assert_eq!(bench.ask(&mad), None);
    assert_eq!(
        bench.trap().expect("a trap").smp.data[33],
        0x80 | 0x40 | 30,
        "the path is cut"
    );
}

/// CF482: the agent sends one trap for the violation in a port's latch, by the kind of its key, and releases the latch.
#[test]
fn the_agent_empties_the_latch_of_its_port() {
    let mut bench = Bench::managed();
    let Ok(()) = bench.agent.take_violation(&mut bench.ports, 1);
    assert_eq!(bench.trap(), None, "a free latch");
    bench.ports.latch_violation(1, CountedKey::QKey, bad_key());
    let later = BadKey { key: 1, ..bad_key() };
    bench.ports.latch_violation(1, CountedKey::PKey, later);
    let Ok(()) = bench.agent.take_violation(&mut bench.ports, 1);
    let trap = bench.trap().expect("a trap").smp.data;
    assert_eq!(
        (&trap[4..6], &trap[16..20]),
        (&[0x01, 0x02][..], &[0, 0, 0x12, 0x34][..])
    );
    let Ok(()) = bench.agent.take_violation(&mut bench.ports, 1);
    bench.now += GAP;
    assert_eq!(bench.trap().expect("the repeat").smp.data, trap);
    bench.ports.latch_violation(1, CountedKey::PKey, later);
    let Ok(()) = bench.agent.take_violation(&mut bench.ports, 1);
    bench.now += GAP;
    assert_eq!(bench.trap().expect("the next").smp.data[4..6], [0x01, 0x01]);
}

/// Lets the agent poll counters by which `overruns` packets found no room. Returns the first bytes of the trap that
/// leaves.
fn poll(bench: &mut Bench, overruns: u8) -> Option<[u8; 6]> {
    bench.now += GAP;
    let (counters, _) = bench.ports.counters_mut(1);
    counters.excessive_buffer_overrun_errors = overruns;
    let Ok(()) = bench.agent.watch_counters(&mut bench.ports, 1, bench.now);
    let trap = bench.trap()?.smp;
    // The manager represses it, so that it does not come again by itself.
    let mut repress = smp(TRAP_REPRESS, 2, 0, &trap.data);
    repress[8..16].copy_from_slice(&trap.header.transaction.to_be_bytes());
    bench.handle(1, &repress);
    Some(trap.data[..6].try_into().unwrap())
}

/// `mad.md` section 6.2.
#[test]
fn a_counter_that_reaches_its_threshold_asks_for_a_trap_once() {
    const OVERRUN: Option<[u8; 6]> = Some([0x81, 0, 0, 1, 0, 130]);
    let mut bench = Bench::managed();
    set_thresholds(&mut bench, 0x08);
    assert_eq!(poll(&mut bench, 7), None);
    assert_eq!(poll(&mut bench, 8), OVERRUN);
    assert_eq!(poll(&mut bench, 8), None);
    assert_eq!(poll(&mut bench, 15), None);
    // A manager has cleared the counter.
    assert_eq!(poll(&mut bench, 0), None);
    assert_eq!(poll(&mut bench, 15), OVERRUN);
    // No threshold is no trap.
    set_thresholds(&mut bench, 0x00);
    assert_eq!(poll(&mut bench, 0), None);
    assert_eq!(poll(&mut bench, 15), None);
    set_thresholds(&mut bench, 0x0F);
    assert_eq!(poll(&mut bench, 15), OVERRUN);
}

#[test]
fn polls_of_the_counters_keep_the_distance_of_traps() {
    let mut bench = Bench::managed();
    set_thresholds(&mut bench, 0x88);
    assert_eq!(poll(&mut bench, 0), None);
    let (counters, _) = bench.ports.counters_mut(1);
    (
        counters.local_link_integrity_errors,
        counters.excessive_buffer_overrun_errors,
    ) = (8, 7);
    bench.now += GAP - Duration::from_nanos(1);
    let Ok(()) = bench.agent.watch_counters(&mut bench.ports, 1, bench.now);
    assert_eq!(bench.trap(), None);
    bench.now += Duration::from_nanos(1);
    let Ok(()) = bench.agent.watch_counters(&mut bench.ports, 1, bench.now);
    assert_eq!(bench.trap().unwrap().smp.data[..6], [0x81, 0, 0, 1, 0, 129]);
}

/// Sets LocalPhyErrors and OverrunErrors of port 1.
fn set_thresholds(bench: &mut Bench, thresholds: u8) {
    let mut data = port_info();
    data[53] = thresholds;
    bench.data(&smp(SET, PORT_INFO, 1, &data));
}
