//! Completion queues and the event queue of the hardware under load: nothing is lost, nothing comes twice.
use hca_host::profile::SMALL;
use hca_sim::driver::{DriverError, Event, Operation, ReceiveWork, SendWork};
use hca_sim::verbs::{Connection, Cq, Error, Mr, MrAttributes, Pair, Qp, QpInitAttributes};
use hca_sim::SimConfig;
use std::collections::BTreeMap;

const BUFFER: u64 = 0x2000_0000;
/// Clock cycles in which everything that was asked for happens.
const ENOUGH: u64 = 6_000;

/// Connections from X to Y, each with a CQ of its own at Y.
struct Bed {
    pair: Pair,
    mr_x: Mr,
    mr_y: Mr,
    cq_x: Cq,
    ends: Vec<(Qp, Qp, Cq)>,
}

impl Bed {
    fn new(connections: usize, entries: u32) -> Bed {
        let library = hca_sim::design::library(&hca_rtl::export::hca(&SMALL).unwrap()).unwrap();
        let mut pair = Pair::new(&library, &SimConfig::default()).unwrap();
        let region = MrAttributes::shared(BUFFER, 1 << 20);
        let (mr_x, mr_y) = (
            pair.x().reg_mr(&region).unwrap(),
            pair.y().reg_mr(&region).unwrap(),
        );
        let (cq_x, _) = pair.x().create_cq(256).unwrap();
        let ends = (0..connections).map(|_| {
            let (cq_y, _) = pair.y().create_cq(entries).unwrap();
            let x = pair.x().create_qp(&QpInitAttributes::new(cq_x, cq_x)).unwrap();
            let y = pair.y().create_qp(&QpInitAttributes::new(cq_y, cq_y)).unwrap();
            pair.connect(x, y, &Connection::default()).unwrap();
            (x, y, cq_y)
        });
        let ends = ends.collect();
        Bed {
            pair,
            mr_x,
            mr_y,
            cq_x,
            ends,
        }
    }

    fn receive(&mut self, connection: usize, wr_id: u64) {
        let (_, y, _) = self.ends[connection];
        let segments = vec![self.mr_y.sge(BUFFER, 64)];
        self.pair
            .y()
            .post_recv(y, &ReceiveWork { wr_id, segments })
            .unwrap();
    }

    fn send(&mut self, connection: usize, wr_id: u64) {
        let (x, _, _) = self.ends[connection];
        let segments = vec![self.mr_x.sge(BUFFER, 8)];
        let work = SendWork::signaled(wr_id, Operation::Send, segments);
        self.pair.x().post_send(x, &work).unwrap();
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.pair.clock().unwrap();
        }
    }

    /// Completion events that Y's software takes, by CQN; no other event may come.
    fn events(&mut self, into: &mut BTreeMap<u32, u32>) {
        while let Some(event) = self.pair.y().poll_event().unwrap() {
            match event {
                Event::Completion { cqn } => *into.entry(cqn).or_default() += 1,
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn an_event_queue_of_one_entry_loses_no_event() {
    let mut bed = Bed::new(6, 16);
    let started = bed.pair.y().hca().start_events(1).unwrap();
    bed.run(ENOUGH);
    assert_eq!(bed.pair.y().hca().outcome(started), Some(Ok(0)));
    for connection in 0..6 {
        let cq = bed.ends[connection].2;
        bed.pair.y().request_notify(cq, false).unwrap();
        bed.receive(connection, 1);
        bed.send(connection, 1);
    }
    bed.run(ENOUGH);
    let mut told = BTreeMap::new();
    // Each look frees the one place there is.
    for looks in 0..6 {
        assert_eq!(told.len(), looks);
        bed.events(&mut told);
        bed.run(ENOUGH / 4);
    }
    let each_once = bed.ends.iter().map(|(_, _, cq)| (cq.cqn, 1)).collect();
    assert_eq!(told, each_once);
}

#[test]
fn each_arming_in_a_storm_brings_one_interrupt_and_one_event() {
    let mut bed = Bed::new(1, 64);
    let cq = bed.ends[0].2;
    for n in 0..60 {
        bed.pair.y().request_notify(cq, false).unwrap();
        // Several completions, one event.
        for wr_id in 0..3 {
            bed.receive(0, 10 * n + wr_id);
            bed.send(0, 10 * n + wr_id);
        }
        assert_eq!(
            bed.pair.y().next_event().unwrap(),
            Event::Completion { cqn: cq.cqn }
        );
        for wr_id in 0..3 {
            assert_eq!(
                bed.pair.y().next_completion(cq).unwrap().wr_id,
                Some(10 * n + wr_id)
            );
            bed.pair.x().next_completion(bed.cq_x).unwrap();
        }
        assert_eq!(bed.pair.y().poll_event().unwrap(), None, "round {n}");
        assert!(!bed.pair.y().hca().irq(), "round {n}");
    }
}

#[test]
fn no_completion_falls_between_arming_and_polling() {
    let mut bed = Bed::new(1, 16);
    let cq = bed.ends[0].2;
    let (mut with_event, mut polled) = (0, 0);
    for offset in (0..480).step_by(3) {
        bed.receive(0, offset);
        bed.send(0, offset);
        bed.run(offset);
        // Arm, and poll once more as soon as it is in force.
        bed.pair.y().request_notify(cq, false).unwrap();
        let seen = bed.pair.y().poll_cq(cq).unwrap();
        bed.run(ENOUGH / 4);
        let mut told = BTreeMap::new();
        bed.events(&mut told);
        let events = told.remove(&cq.cqn).unwrap_or(0);
        assert!(events <= 1, "offset {offset}: {events} events");
        match seen {
            Some(completion) => {
                assert_eq!(completion.wr_id, Some(offset));
                polled += 1;
            }
            None => {
                assert_eq!(events, 1, "offset {offset}: neither seen nor told");
                let late = bed.pair.y().poll_cq(cq).unwrap();
                assert_eq!(late.unwrap().wr_id, Some(offset));
                with_event += 1;
            }
        }
        if events == 0 {
            // The arming stands: it has its event now.
            bed.receive(0, 1000);
            bed.send(0, 1000);
            bed.run(ENOUGH / 4);
            bed.events(&mut told);
            assert_eq!(told.remove(&cq.cqn), Some(1), "offset {offset}");
            assert!(bed.pair.y().poll_cq(cq).unwrap().is_some());
        }
        while bed.pair.x().poll_cq(bed.cq_x).unwrap().is_some() {}
    }
    assert!(
        with_event > 10 && polled > 10,
        "{with_event} told, {polled} polled"
    );
}

#[test]
fn a_queue_that_is_resized_under_load_keeps_every_completion_in_order() {
    let mut bed = Bed::new(1, 16);
    let cq = bed.ends[0].2;
    let mut next = 0;
    for round in 0..20u64 {
        for n in 0..10 {
            bed.receive(0, 10 * round + n);
        }
        for n in 0..10 {
            bed.send(0, 10 * round + n);
            if n == 4 {
                let entries = [50, 16, 20, 128][round as usize % 4];
                let got = bed.pair.y().resize_cq(cq, entries).unwrap();
                assert_eq!(got, entries.next_power_of_two());
                assert_eq!(bed.pair.y().query_cq(cq).unwrap().books.entries, got);
            }
        }
        while next < 10 * (round + 1) {
            assert_eq!(bed.pair.y().next_completion(cq).unwrap().wr_id, Some(next));
            bed.pair.x().next_completion(bed.cq_x).unwrap();
            next += 1;
        }
    }
    assert_eq!(bed.pair.y().poll_cq(cq).unwrap(), None);
}

#[test]
fn a_queue_that_overflows_ends_its_queue_pairs_and_no_other() {
    let mut bed = Bed::new(2, 4);
    let cq = bed.ends[0].2;
    // The second connection's queue is polled, the first one's is not.
    for wr_id in 0..8 {
        for connection in 0..2 {
            bed.receive(connection, wr_id);
            bed.send(connection, wr_id);
        }
        let other = bed.ends[1].2;
        assert_eq!(bed.pair.y().next_completion(other).unwrap().wr_id, Some(wr_id));
    }
    bed.run(ENOUGH);
    let mut events = Vec::new();
    while let Some(event) = bed.pair.y().poll_event().unwrap() {
        events.push(event);
    }
    assert_eq!(events, [Event::CqError { cqn: cq.cqn }]);
    // What was written before can be taken; then the queue is unusable.
    for wr_id in 0..4 {
        assert_eq!(bed.pair.y().poll_cq(cq).unwrap().unwrap().wr_id, Some(wr_id));
    }
    let refused = |result: Result<(), Error>| match result {
        Err(Error::Refused(error)) => error,
        other => panic!("{other:?}"),
    };
    let failed = DriverError::CqFailed(cq.cqn);
    assert_eq!(refused(bed.pair.y().poll_cq(cq).map(drop)), failed);
    assert_eq!(refused(bed.pair.y().request_notify(cq, false)), failed);
    assert!(bed.pair.y().query_cq(cq).unwrap().failed);
    let (_, y, _) = bed.ends[0];
    let state = bed.pair.y().query_qp(y).unwrap().state;
    assert_eq!(state, hca_sim::driver::QpState::Error);
    bed.receive(1, 100);
    bed.send(1, 100);
    let other = bed.ends[1].2;
    assert_eq!(bed.pair.y().next_completion(other).unwrap().wr_id, Some(100));
}
