//! Hardware that waits is quiet: of some 2,000 blocks, hardly any reads a value that has changed since the last clock.
use hca_host::profile::{Link, Profile, LINE, SMALL};
use hca_sim::driver::{AddressHandle, Operation, SendWork, Service};
use hca_sim::verbs::{Connection, MrAttributes, Port, Qp, QpInitAttributes, Single};
use hca_sim::verilated::Evaluation;
use hca_sim::SimConfig;

const BUFFER: u64 = 0x2000_0000;
/// Clocks in which what was begun comes to rest, and tables are cleared after reset.
const SETTLE: u64 = 10_000;
const CLOCKS: u64 = 20_000;
/// Blocks a clock. Between 7 and 13 were measured: the timers' clock, the time of flow control, and inputs that change.
const AT_MOST: f64 = 16.0;

/// What an adapter waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// Nothing was asked of it.
    Idle,
    /// Four queue pairs have sent as much as they may without an ack.
    Acks,
    /// A datagram has no credits.
    Credits,
}

struct Adapter(Single);

impl Adapter {
    fn new(profile: Profile, waits: Waits) -> Option<Adapter> {
        let library = hca_sim::design::library(&hca_rtl::export::hca(&profile).unwrap()).unwrap();
        if library.evaluation() != Evaluation::Gated {
            eprintln!(
                "not tested: {}",
                library.note().unwrap_or("its blocks are unknown")
            );
            return None;
        }
        let config = SimConfig {
            profile,
            ..SimConfig::default()
        };
        let mut adapter = Adapter(Single::new(&library, &config, &Port::of(0)).unwrap());
        match waits {
            Waits::Idle => {}
            Waits::Acks => adapter.wait_for_acks(profile.link == Link::Roce),
            Waits::Credits => adapter.wait_for_credits(),
        }
        adapter.run(SETTLE);
        Some(adapter)
    }

    fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.0.clock().unwrap();
            while self.0.sent().is_some() {}
        }
    }

    fn wait_for_acks(&mut self, roce: bool) {
        for _ in 0..4 {
            let mut host = self.0.host();
            let (cq, _) = host.create_cq(16).unwrap();
            let mr = host.reg_mr(&MrAttributes::shared(BUFFER, 1 << 16)).unwrap();
            let qp = host.create_qp(&QpInitAttributes::new(cq, cq)).unwrap();
            let connection = Connection::default().with_peer(&Port::of(1), qp, roce);
            host.connect(qp, &connection).unwrap();
            for wr_id in 0..8 {
                let work = SendWork::signaled(wr_id, Operation::Send, vec![mr.sge(BUFFER, 100)]);
                host.post_send(qp, &work).unwrap();
            }
        }
    }

    fn wait_for_credits(&mut self) {
        let ticket = self.0.host().hca().driver().set_flow_control(true);
        while self.0.host().hca().outcome(ticket).is_none() {
            self.0.clock().unwrap();
        }
        let mut host = self.0.host();
        let (cq, _) = host.create_cq(16).unwrap();
        let mr = host.reg_mr(&MrAttributes::shared(BUFFER, 1 << 16)).unwrap();
        let attributes = QpInitAttributes {
            service: Service::Ud,
            ..QpInitAttributes::new(cq, cq)
        };
        let qp: Qp = host.create_qp(&attributes).unwrap();
        host.open(qp, 0x1122_3344, 0).unwrap();
        let address = AddressHandle {
            port: 1,
            dlid: 2,
            ..AddressHandle::default()
        };
        let ah = host.create_ah(&address).unwrap();
        let work = SendWork {
            datagram: Some(ah.to(qp, 0x1122_3344)),
            ..SendWork::signaled(1, Operation::Send, vec![mr.sge(BUFFER, 256)])
        };
        host.post_send(qp, &work).unwrap();
    }

    /// Mean number of blocks that run at a clock.
    fn blocks(&mut self) -> f64 {
        let before = self.0.host().hca().blocks_run();
        self.run(CLOCKS);
        (self.0.host().hca().blocks_run() - before) as f64 / CLOCKS as f64
    }
}

fn assert_quiet(profile: Profile, waits: &[Waits]) {
    for &waits in waits {
        let Some(mut adapter) = Adapter::new(profile, waits) else {
            return;
        };
        let blocks = adapter.blocks();
        assert!(blocks > 0.0, "the timers' clock counts");
        assert!(
            blocks <= AT_MOST,
            "{waits:?}: {blocks} blocks a clock run, more than {AT_MOST}"
        );
    }
}

#[test]
fn small() {
    assert_quiet(SMALL, &[Waits::Idle, Waits::Acks, Waits::Credits]);
}

#[test]
fn over_ethernet() {
    assert_quiet(SMALL.over(Link::Roce), &[Waits::Idle, Waits::Acks]);
}

#[test]
fn line() {
    assert_quiet(LINE, &[Waits::Idle, Waits::Acks, Waits::Credits]);
}
