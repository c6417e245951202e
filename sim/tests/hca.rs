//! Buses and driver around a stub that has the ports of an HCA.
use hca_host::register;
use hca_host::retire::kind;
use hca_host::wqe::Segment;
use hca_sim::driver::{
    DriverError, Operation, QpChanges, QpInit, QpState, Region, RegionAccess, SendWork, Service, Ticket,
};
use hca_sim::verilated::{Build, Evaluation, Library, Lints, Source};
use hca_sim::{SimConfig, SimError, SimHca};

const STUB: &str = include_str!("verilog/stub.v");
const QPN: u32 = 0x12_3402;

fn library(text: &str, trace: bool) -> Library {
    let build = Build {
        lints: Lints::Lenient,
        trace,
        evaluation: Evaluation::Gated,
    };
    build
        .library(&Source::from_texts("hca", [("hca.v", text)]))
        .unwrap()
}

/// Every bus pauses often.
fn rough(seed: u64) -> SimConfig {
    SimConfig {
        seed,
        memory_pauses: 100,
        stream_gaps: 100,
        stream_stalls: 100,
        register_pauses: 100,
        ..SimConfig::default()
    }
}

fn init() -> QpInit {
    QpInit {
        service: Service::Rc,
        qpn: QPN,
        send_cq: 1,
        receive_cq: 1,
        send_entries: 4,
        receive_entries: 4,
        pd: 0,
        dry_event: false,
    }
}

/// Moves the QP, with nothing that the stub would look at.
fn modify(hca: &mut SimHca, state: QpState) {
    let ticket = hca.driver().modify_qp(QPN, state, &QpChanges::default()).unwrap();
    assert_eq!(wait(hca, ticket), Ok(0));
}

fn send(wr_id: u64, length: u32) -> SendWork {
    SendWork {
        wr_id,
        segments: vec![Segment {
            addr: 0x8000_0000,
            length,
            l_key: 1,
        }],
        signaled: true,
        ..SendWork::default()
    }
}

/// Clocks until the call is answered.
fn wait(hca: &mut SimHca, ticket: Ticket) -> Result<u32, DriverError> {
    for _ in 0..10_000 {
        if let Some(outcome) = hca.outcome(ticket) {
            return outcome;
        }
        hca.clock().unwrap();
    }
    panic!("no answer in 10,000 cycles");
}

/// An HCA with a CQ of four entries and a QP ready to send.
fn connected(library: &Library, config: &SimConfig) -> SimHca {
    let mut hca = SimHca::new(library, config).unwrap();
    hca.create_cq(1, 4).unwrap();
    let ticket = hca.driver().create_qp(&init()).unwrap();
    assert_eq!(wait(&mut hca, ticket), Ok(0));
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        modify(&mut hca, state);
    }
    hca
}

#[test]
fn packets_pass_whole_whatever_the_gaps() {
    let library = library(STUB, false);
    let packets: Vec<Vec<u8>> = (1..60)
        .map(|n| (0..n * 7).map(|i| (i + n) as u8).collect())
        .collect();
    let run = |config: &SimConfig| {
        let mut hca = SimHca::new(&library, config).unwrap();
        packets.iter().for_each(|p| hca.send_packet(p.clone()));
        let mut out = Vec::new();
        while out.len() < packets.len() {
            hca.clock().unwrap();
            assert!(hca.cycle() < 20_000);
            out.extend(std::iter::from_fn(|| hca.packet_out()));
        }
        assert!(hca.quiet());
        let bytes: Vec<Vec<u8>> = out.iter().map(|p| p.bytes.clone()).collect();
        assert_eq!(bytes, packets);
        assert!(out.windows(2).all(|w| w[0].last_beat < w[1].first_beat));
        let beats: u64 = packets.iter().map(|p| p.len().div_ceil(8) as u64).sum();
        let counters = hca.counters();
        assert_eq!((counters.s_axis_beats, counters.m_axis_beats), (beats, beats));
        (counters.cycles, beats)
    };
    let (cycles, beats) = run(&SimConfig::default());
    assert_eq!(cycles, beats + 1);
    let (slow, _) = run(&rough(5));
    assert!(slow > beats * 3 / 2);
    assert_eq!(run(&rough(5)).0, slow);
    assert_ne!(run(&rough(6)).0, slow);
}

#[test]
fn work_completes_through_rings_that_wrap() {
    let library = library(STUB, false);
    for config in [SimConfig::default(), rough(3), rough(4)] {
        let mut hca = connected(&library, &config);
        let mut done = 0;
        for n in 0..48u32 {
            hca.post_send(QPN, &send(u64::from(n) << 40, 1000 + n)).unwrap();
            if n % 4 != 3 {
                continue;
            }
            while done <= n {
                hca.clock().unwrap();
                assert!(hca.cycle() < 100_000);
                while let Some(completion) = hca.poll_cq(1).unwrap() {
                    assert_eq!(completion.wr_id, Some(u64::from(done) << 40));
                    assert_eq!(u32::from(completion.wqe_index), done);
                    assert_eq!((completion.status, completion.qpn), (0, QPN));
                    assert!(!completion.receive);
                    assert_eq!(completion.byte_count, 1000 + done);
                    done += 1;
                }
            }
        }
        let kinds = |wanted| {
            move |r: &hca_sim::retire::Retired| {
                assert_eq!(r.record.qpn, QPN);
                r.record.kind == wanted
            }
        };
        let records: Vec<_> = std::iter::from_fn(|| hca.retired()).collect();
        assert!(records.iter().zip(0..).all(|(r, order)| r.record.order == order));
        assert_eq!(records.iter().filter(|r| kinds(kind::DOORBELL)(r)).count(), 48);
        let fetched = records.iter().filter(|r| kinds(kind::WQE_FETCHED)(r));
        assert!(fetched.zip(0..).all(|(r, index)| r.record.index == index));
        assert!(
            records
                .iter()
                .filter(|r| kinds(kind::COMPLETION_WRITTEN)(r))
                .count()
                >= 48
        );
    }
}

#[test]
fn registers_are_read_and_errors_come_back() {
    let mut hca = SimHca::new(&library(STUB, false), &rough(9)).unwrap();
    let id = hca.driver().read_register(register::ID);
    let refused = hca.driver().write_register(register::ID, 1);
    let port = hca.driver().set_port(7, 2);
    assert_eq!(hca.outcome(id), None);
    assert_eq!(wait(&mut hca, port), Ok(0));
    assert_eq!(hca.outcome(id), Some(Ok(register::ID_VALUE)));
    assert_eq!(
        hca.outcome(refused),
        Some(Err(DriverError::Register(register::ID)))
    );

    hca.create_cq(1, 4).unwrap();
    // The stub refuses index 15.
    let other = QpInit { qpn: 0xF, ..init() };
    let ticket = hca.driver().create_qp(&other).unwrap();
    let refusal = wait(&mut hca, ticket).unwrap_err();
    assert_eq!(refusal, DriverError::Refused(2));
    assert!(refusal.to_string().contains("BAD_INDEX"), "{refusal}");
    assert_eq!(
        hca.post_send(0xF, &send(1, 8)).unwrap_err(),
        DriverError::UnknownQp(0xF)
    );
    assert!(hca.quiet());
}

#[test]
fn a_query_brings_its_answer() {
    let mut hca = SimHca::new(&library(STUB, false), &SimConfig::default()).unwrap();
    hca.create_cq(1, 4).unwrap();
    let ticket = hca.driver().query_cq(1);
    assert_eq!(hca.driver().cq_status(ticket), None);
    wait(&mut hca, ticket).unwrap();
    // The stub tells what stands in words 3 and 4.
    assert_eq!(hca.driver().cq_status(ticket).unwrap().books.entries, 4);
}

#[test]
fn the_driver_refuses_what_no_register_can_say() {
    let library = library(STUB, false);
    let mut hca = SimHca::new(&library, &SimConfig::default()).unwrap();
    assert_eq!(hca.create_cq(1, 0).unwrap_err(), DriverError::BadRingSize(0));
    let wide = QpChanges {
        retry_cnt: Some(8),
        ..QpChanges::default()
    };
    let error = hca.driver().modify_qp(QPN, QpState::Rts, &wide).unwrap_err();
    assert!(matches!(
        error,
        DriverError::FieldTooWide {
            field: "retry_cnt",
            ..
        }
    ));
    assert_eq!(
        hca.post_send(QPN, &send(1, 8)).unwrap_err(),
        DriverError::UnknownQp(QPN)
    );
    hca.create_cq(1, 4).unwrap();
    let ticket = hca.driver().create_qp(&init()).unwrap();
    wait(&mut hca, ticket).unwrap();
    for state in [QpState::Init, QpState::Rtr] {
        modify(&mut hca, state);
        assert!(matches!(
            hca.post_send(QPN, &send(1, 8)),
            Err(DriverError::WrongState { .. })
        ));
    }
    modify(&mut hca, QpState::Rts);

    let mut long = send(1, 8);
    long.segments = vec![long.segments[0]; 17];
    let error = hca.post_send(QPN, &long).unwrap_err();
    assert_eq!(error, DriverError::TooManySges { found: 17, limit: 16 });
    refusals_of_operations(&mut hca);
    let error = hca.post_send(QPN, &send(1, (1 << 31) + 1)).unwrap_err();
    assert_eq!(error, DriverError::MessageTooLong((1 << 31) + 1));
    for n in 0..4 {
        hca.post_send(QPN, &send(n, 1 << 31)).unwrap();
    }
    assert!(matches!(
        hca.post_send(QPN, &send(4, 8)),
        Err(DriverError::QueueFull { .. })
    ));
    assert_eq!(hca.poll_cq(2).unwrap_err(), DriverError::UnknownCq(2));
}

/// A QP whose `max_rd_atomic` is 0 first.
fn refusals_of_operations(hca: &mut SimHca) {
    let post = |hca: &mut SimHca, operation, length, inline| {
        let work = SendWork {
            operation,
            inline,
            ..send(1, length)
        };
        hca.post_send(QPN, &work).unwrap_err()
    };
    let (va, r_key) = (0, 0);
    let read = Operation::Read { va, r_key };
    let add = Operation::FetchAdd { va, r_key, add: 1 };
    assert_eq!(post(hca, read, 8, false), DriverError::NoReadDepth(QPN));
    assert_eq!(post(hca, add, 8, false), DriverError::NoReadDepth(QPN));
    let too_long = DriverError::InlineTooLong {
        found: 257,
        limit: 256,
    };
    assert_eq!(post(hca, Operation::Send, 257, true), too_long);
    let deep = QpChanges {
        max_rd_atomic: Some(16),
        ..QpChanges::default()
    };
    let ticket = hca.driver().modify_qp(QPN, QpState::Rts, &deep).unwrap();
    wait(hca, ticket).unwrap();
    assert_eq!(post(hca, read, 8, true), DriverError::InlineResult);
    assert_eq!(post(hca, add, 7, false), DriverError::AtomicTarget);
}

#[test]
fn a_region_has_a_protection_domain_of_24_bits() {
    let mut hca = connected(&library(STUB, false), &SimConfig::default());
    let region = Region {
        l_key: 0x0100_2A01,
        r_key: 0x0200_2A02,
        pd: 1 << 24,
        base: 0x8000_0000,
        length: 4096,
        access: RegionAccess::default(),
        zero_based: false,
    };
    let error = hca.reg_mr(&region).unwrap_err();
    assert!(matches!(error, DriverError::FieldTooWide { field: "pd", .. }));
}

#[test]
fn a_reset_forgets_work_and_completions() {
    let mut hca = connected(&library(STUB, false), &SimConfig::default());
    let (_, index) = hca.post_send(QPN, &send(1, 8)).unwrap();
    assert_eq!(index, 0);
    let (ticket, _) = hca.post_send(QPN, &send(2, 8)).unwrap();
    wait(&mut hca, ticket).unwrap();
    for _ in 0..1000 {
        hca.clock().unwrap();
    }
    modify(&mut hca, QpState::Reset);
    assert_eq!(hca.poll_cq(1).unwrap(), None);
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        modify(&mut hca, state);
    }
    // The whole queue and the whole CQ are free again.
    for n in 0..4 {
        assert_eq!(hca.post_send(QPN, &send(n, 8)).unwrap().1, n as u16);
    }
}

/// What the run of a stub with this fault ends with.
fn broken(library: &Library, fault: u32) -> SimError {
    let mut hca = connected(library, &rough(2));
    let ticket = hca.driver().write_register(0xFC, fault);
    wait(&mut hca, ticket).unwrap();
    for n in 0..4 {
        hca.post_send(QPN, &send(n, 8)).unwrap();
        hca.send_packet(vec![n as u8; 43]);
    }
    for _ in 0..5_000 {
        if let Err(error) = hca.clock() {
            return error;
        }
    }
    panic!("fault {fault} was not noticed");
}

#[test]
fn broken_bus_rules_are_named() {
    let library = library(STUB, false);
    let cases = [
        (1, "m_axis", "until READY"),
        (2, "m_axis", "lane 0"),
        (3, "m_axis", "last beat"),
        (4, "m_axi_ar", "4 KiB"),
        (5, "m_axi_ar", "aligned"),
        (6, "m_axi_ar", "as wide as the bus"),
        (7, "m_axi_aw", "INCR"),
        (8, "m_axi_w", "WLAST"),
        (9, "m_axi_ar", "VALID must stay"),
        (10, "retire port", "order number"),
    ];
    for (fault, place, rule) in cases {
        let text = broken(&library, fault).to_string();
        assert!(text.contains(place) && text.contains(rule), "{fault}: {text}");
    }
}

#[test]
fn a_design_with_other_ports_is_refused() {
    let other = STUB.replace("irq", "interrupt");
    let error = SimHca::new(&library(&other, false), &SimConfig::default())
        .err()
        .unwrap();
    assert!(error.to_string().contains("`irq`"), "{error}");
}

#[test]
fn waves_of_a_run_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.fst");
    let config = SimConfig {
        trace: Some(path.clone()),
        ..SimConfig::default()
    };
    let mut hca = connected(&library(STUB, true), &config);
    hca.finish_trace().unwrap();
    assert!(path.metadata().unwrap().len() > 1000);
}
