use crate::bench::bits;
use crate::rig::{Rig, Seen};
use hca_host::command::*;
use hca_host::retire::kind;

/// QP B23h and 14 others, on CQs 1 and 2.
fn rig() -> Rig {
    let mut rig = Rig::new();
    rig.create_cq(1);
    rig.create_cq(2);
    assert_eq!(rig.create_qp(0x0B23, 1, 2), OK);
    rig
}

fn command(result: u32, qpn: u32, code: u32) -> Seen {
    Seen::Retired(kind::COMMAND, result as u8, qpn, code)
}

/// Contexts, CQs and keys lie in memories that a reset does not reach. Software writes arguments meanwhile.
#[test]
fn after_reset_every_side_forgets() {
    let rig = Rig::new();
    for index in 0..16_u8 {
        for told in [
            Seen::Cq(2, index, u64::MAX, 15),
            Seen::Receive(!u32::from(index) & 0xFF_FFFF, 0),
        ] {
            assert!(rig.since_reset.contains(&told), "{told:?}");
        }
    }
    let count = |side| rig.since_reset.iter().filter(|&seen| *seen == side).count();
    assert_eq!((count(Seen::Response), count(Seen::Requester)), (16, 16));
    assert_eq!(rig.regions_gone, (0..64).collect());
    let records = |seen: &&Seen| matches!(seen, Seen::Retired(..));
    assert_eq!(rig.since_reset.iter().find(records), None);
    assert_eq!(count(Seen::DrainStart) + count(Seen::Forget), 0);
}

#[test]
fn a_region_goes_to_its_entry_and_out_of_it() {
    let mut rig = rig();
    let arguments = [
        (0, 0xABCD_2A11),
        (1, 0x1234_EA22),
        (2, 0x00C0_FFEE),
        (3, 0x1111_2222),
        (4, 0x3333_4444),
        (5, 0x5555_6666),
        (6, 0x7777_8888),
        (7, 0b0_1101),
    ];
    assert_eq!(rig.run(REG_MR, &arguments), OK);
    assert_eq!(rig.seen, [command(OK, 0xCD_2A11, REG_MR), Seen::Region]);
    assert_eq!(rig.bench.get("region_index"), 0x2A);
    let region = rig.bench.bytes("region");
    let field = |at, width| bits(&region, at, width);
    assert_eq!((field(1, 32), field(33, 32)), (0xABCD_2A11, 0x1234_EA22));
    assert_eq!(field(65, 24), 0xC0_FFEE);
    assert_eq!(
        (field(89, 64), field(153, 64)),
        (0x1111_2222_3333_4444, 0x5555_6666_7777_8888)
    );
    // Local write, remote write, remote read, remote atomic, zero-based.
    assert_eq!(field(217, 5), 0b0_1101);
    assert_eq!(field(0, 1), 1, "valid");

    assert_eq!(rig.run(REG_MR, &arguments), IN_USE);
    assert_eq!(rig.seen, [command(IN_USE, 0xCD_2A11, REG_MR)]);
    assert_eq!(rig.run(REG_MR, &[(0, 0x0000_2A11), (1, 0x0000_2B11)]), BAD_INDEX);
    assert_eq!(rig.run(INVALIDATE, &[(0, 0x1234_EA22)]), OK);
    assert_eq!(
        rig.seen,
        [
            command(OK, 0x34_EA22, INVALIDATE),
            Seen::DrainStart,
            Seen::Invalidate
        ]
    );
    assert_eq!(rig.bench.get("region_invalidate_key"), 0x1234_EA22);
    assert_eq!(rig.run(REG_MR, &arguments), IN_USE, "an invalidated one counts");
    assert_eq!(rig.run(DEREG_MR, &[(0, 0xABCD_2A12)]), NOT_FOUND, "another tag");
    assert_eq!(rig.run(DEREG_MR, &[(0, 0xABCD_2A11)]), OK);
    assert_eq!(
        rig.seen,
        [command(OK, 0xCD_2A11, DEREG_MR), Seen::DrainStart, Seen::Region]
    );
    assert_eq!(bits(&rig.bench.bytes("region"), 0, 1), 0);
    assert_eq!(rig.run(DEREG_MR, &[(0, 0xABCD_2A11)]), NOT_FOUND);
}

#[test]
fn unknown_codes_are_refused() {
    let mut rig = rig();
    for code in [0, 18, 32, 1 << 31 | CREATE_CQ] {
        assert_eq!(rig.run(code, &[(0, 3)]), BAD_COMMAND);
        assert_eq!(rig.seen, [command(BAD_COMMAND, 3, code)]);
    }
}

#[test]
fn completion_queues_are_created_resized_asked_and_destroyed() {
    let mut rig = rig();
    let ring = |cqn, low, log_size| [(0, cqn), (1, 7), (2, low), (3, log_size)];
    assert_eq!(rig.run(CREATE_CQ, &ring(16, 0x40, 4)), BAD_INDEX);
    assert_eq!(rig.run(CREATE_CQ, &ring(1, 0x40, 4)), IN_USE);
    assert_eq!(rig.run(CREATE_CQ, &ring(15, 0x41, 16)), BAD_SIZE);
    assert_eq!(rig.run(CREATE_CQ, &ring(15, 0x20, 15)), BAD_ADDRESS);
    assert_eq!(rig.seen, [command(BAD_ADDRESS, 15, CREATE_CQ)]);
    assert_eq!(rig.run(CREATE_CQ, &ring(15, 0x40, 15)), OK);
    assert_eq!(
        rig.seen,
        [Seen::Cq(0, 15, 0x7_0000_0040, 15), command(OK, 15, CREATE_CQ)]
    );

    rig.ring.producer = 3;
    rig.ring.consumer = 0xFFFE;
    rig.ring.log_size = 9;
    rig.ring.base = 0x1234_5678_9ABC_DEC0;
    rig.ring.armed = 2;
    assert_eq!(rig.run(QUERY_CQ, &[(0, 16)]), BAD_INDEX);
    assert_eq!(rig.run(QUERY_CQ, &[(0, 3)]), NOT_FOUND);
    assert_eq!(rig.run(QUERY_CQ, &[(0, 15)]), OK);
    assert_eq!(
        rig.arguments[1..6],
        [0x1234_5678, 0x9ABC_DEC0, 9, 0xFFFE_0003, 0x200]
    );

    assert_eq!(rig.run(RESIZE_CQ, &ring(16, 0x40, 3)), BAD_INDEX);
    assert_eq!(rig.run(RESIZE_CQ, &ring(3, 0x40, 3)), NOT_FOUND);
    assert_eq!(rig.run(RESIZE_CQ, &ring(15, 0x41, 2)), BAD_SIZE, "5 wait for 4");
    assert_eq!(rig.run(RESIZE_CQ, &ring(15, 0x41, 3)), BAD_ADDRESS);
    assert!(
        rig.seen.iter().all(|s| !matches!(s, Seen::Cq(1, ..))),
        "{:?}",
        rig.seen
    );
    assert_eq!(rig.run(RESIZE_CQ, &ring(15, 0x80, 3)), OK);
    assert_eq!(
        rig.seen[1..],
        [Seen::Cq(1, 15, 0x7_0000_0080, 3), command(OK, 15, RESIZE_CQ)]
    );
    assert_eq!(rig.arguments[4], 3);
    rig.ring.refused = true;
    assert_eq!(rig.run(RESIZE_CQ, &ring(15, 0x80, 3)), BAD_SIZE, "one more came");
    assert_eq!(rig.seen[2], command(BAD_SIZE, 15, RESIZE_CQ));
    rig.ring.failed = true;
    assert_eq!(rig.run(RESIZE_CQ, &ring(15, 0x41, 16)), CQ_FAILED);
    assert_eq!(rig.run(QUERY_CQ, &[(0, 15)]), OK);
    assert_eq!(rig.arguments[5], 0x201);

    assert_eq!(rig.run(DESTROY_CQ, &[(0, 16)]), BAD_INDEX);
    assert_eq!(rig.run(DESTROY_CQ, &[(0, 3)]), NOT_FOUND);
    for used in [1, 2] {
        assert_eq!(rig.run(DESTROY_CQ, &[(0, used)]), IN_USE);
    }
    assert_eq!(rig.run(DESTROY_CQ, &[(0, 15)]), OK);
    assert!(matches!(rig.seen[0], Seen::Cq(2, 15, ..)));
    assert_eq!(rig.run(DESTROY_CQ, &[(0, 15)]), NOT_FOUND);
}

#[test]
fn a_queue_pair_is_refused_for_the_first_reason() {
    let mut rig = rig();
    for qpn in [0x0010, 0x0011, 0x0100_0005] {
        assert_eq!(rig.create_qp(qpn, 1, 2), BAD_INDEX, "{qpn:x}");
    }
    assert_eq!(rig.create_qp(5, 16, 2), BAD_INDEX);
    assert_eq!(rig.create_qp(5, 1, 16), BAD_INDEX);
    assert_eq!(rig.create_qp(0x0C33, 1, 2), IN_USE, "index 3");
    assert_eq!(rig.create_qp(5, 1, 3), NOT_FOUND);
    assert_eq!(rig.create_qp(5, 3, 1), NOT_FOUND);
    rig.ring.failed = true;
    assert_eq!(rig.create_qp(0, 1, 2), CQ_FAILED);
    rig.ring.failed = false;
    assert_eq!(rig.create_qp(0, 1, 2), CQ_RESERVED, "QP B23h uses them");
    rig.create_cq(3);
    assert_eq!(rig.create_qp_of(2, 1, 3, 3), OK);
    assert_eq!(rig.create_qp(5, 1, 3), CQ_RESERVED, "QP1 uses it");
    assert_eq!(rig.create_qp_of(2, 0, 3, 3), OK);
    let qp = |sizes: u32, service: u32, sq: u32, rq: u32| {
        let words = [
            (0, 5),
            (1, service << 4),
            (2, sizes),
            (4, sq),
            (6, rq),
            (7, 0x2_0001),
        ];
        (CREATE_QP, words)
    };
    for ((code, words), result) in [
        (qp(7, 0, 0, 0), BAD_SIZE),
        (qp(0x1006, 0, 0, 0), BAD_SIZE),
        (qp(6, 3, 1, 1), BAD_SIZE),
        (qp(6, 0, 0x20, 0x40), BAD_ADDRESS),
        (qp(6, 0, 0x40, 0x20), BAD_ADDRESS),
        (qp(0x0F06, 0, 0x40, 0x40), OK),
    ] {
        assert_eq!(rig.run(code, &words), result, "{words:x?}");
    }
    let given = [
        command(OK, 5, CREATE_QP),
        Seen::Receive(5, 0),
        Seen::Response,
        Seen::Requester,
    ];
    assert_eq!(rig.seen[2..], given);
}

/// `MODIFY_QP`'s transitions as the contract lists them: from, to, required and allowed attributes.
const TRANSITIONS: &[(u32, u32, &[u32], &[u32])] = &[
    (0, 1, &[0, 1, 2], &[]),
    (1, 1, &[], &[0, 1, 2]),
    (1, 2, &[3, 4, 5, 6, 7, 8], &[0, 2, 14]),
    (2, 3, &[9, 10, 11, 12, 13], &[2, 8, 14]),
    (3, 3, &[], &[2, 8]),
    (3, 4, &[], &[15]),
    (4, 3, &[], &[2, 8]),
    (4, 4, &[], &[0, 1, 2, 3, 7, 8, 10, 11, 12, 13]),
];

/// The same of a queue pair of UC.
const UC_TRANSITIONS: &[(u32, u32, &[u32], &[u32])] = &[
    (0, 1, &[0, 1, 2], &[]),
    (1, 1, &[], &[0, 1, 2]),
    (1, 2, &[3, 4, 5, 6], &[0, 2]),
    (2, 3, &[9], &[2]),
    (3, 3, &[], &[2]),
    (3, 4, &[], &[15]),
    (4, 3, &[], &[2]),
    (4, 4, &[], &[0, 2, 3]),
];

/// The same of a queue pair of UD.
const UD_TRANSITIONS: &[(u32, u32, &[u32], &[u32])] = &[
    (0, 1, &[0, 1, 16], &[]),
    (1, 1, &[], &[0, 1, 16]),
    (1, 2, &[], &[0, 16]),
    (2, 3, &[9], &[16]),
    (3, 3, &[], &[16]),
    (3, 4, &[], &[15]),
    (4, 3, &[], &[16]),
    (4, 4, &[], &[0, 16]),
];

/// The same of QP1, whose port is part of its name.
const QP1_TRANSITIONS: &[(u32, u32, &[u32], &[u32])] = &[
    (0, 1, &[0, 16], &[]),
    (1, 1, &[], &[0, 16]),
    (1, 2, &[], &[0, 16]),
    (2, 3, &[9], &[16]),
    (3, 3, &[], &[16]),
    (3, 4, &[], &[15]),
    (4, 3, &[], &[16]),
    (4, 4, &[], &[0, 16]),
];

#[test]
fn every_transition_and_every_attribute() {
    transitions(&mut rig(), 0x0B23, TRANSITIONS, Rig::bring_to);
}

#[test]
fn every_transition_of_an_unreliable_connection() {
    let mut rig = rig();
    assert_eq!(rig.create_qp_of(1, 0x0C35, 1, 2), OK);
    transitions(&mut rig, 0x0C35, UC_TRANSITIONS, Rig::bring_uc_to);
}

#[test]
fn every_transition_of_datagrams() {
    let mut rig = rig();
    assert_eq!(rig.create_qp_of(2, 0x0C35, 1, 2), OK);
    transitions(&mut rig, 0x0C35, UD_TRANSITIONS, Rig::bring_ud_to);
}

#[test]
fn every_transition_of_qp1() {
    let mut rig = rig();
    rig.create_cq(3);
    assert_eq!(rig.create_qp_of(2, 1, 3, 3), OK);
    transitions(&mut rig, 1, QP1_TRANSITIONS, Rig::bring_qp1_to);
}

/// `special_qps.md` section 1.
#[test]
fn special_queue_pairs_are_of_ud() {
    let mut rig = rig();
    rig.create_cq(3);
    for qpn in [0, 1] {
        assert_eq!(rig.create_qp_of(0, qpn, 3, 3), BAD_SIZE, "RC");
        assert_eq!(rig.create_qp_of(1, qpn, 3, 3), BAD_SIZE, "UC");
        assert_eq!(rig.create_qp_of(2, qpn, 3, 3), OK, "UD");
    }
}

#[test]
fn a_roce_port_has_no_qp0() {
    let mut rig = rig();
    rig.create_cq(3);
    rig.bench.set("roce", 1);
    assert_eq!(rig.create_qp_of(2, 0, 3, 3), BAD_SIZE);
    assert_eq!(rig.create_qp_of(2, 1, 3, 3), OK);
}

fn transitions(
    rig: &mut Rig,
    qpn: u32,
    rules: &[(u32, u32, &[u32], &[u32])],
    bring_to: fn(&mut Rig, u32, u32),
) {
    let mask = |attributes: &[u32]| attributes.iter().fold(0u32, |mask, n| mask | 1 << n);
    rig.delay = 0;
    for from in [0, 1, 2, 3, 4, 6] {
        for to in 0..8 {
            let rule = rules.iter().find(|rule| (rule.0, rule.1) == (from, to));
            let (required, optional) = match (to, rule) {
                (0 | 6, _) => (0, 0),
                (_, Some(rule)) => (mask(rule.2), mask(rule.3)),
                _ => {
                    bring_to(rig, qpn, from);
                    let all = mask(&(0..32).collect::<Vec<_>>());
                    assert_eq!(rig.modify(qpn, to, all, &[]), BAD_TRANSITION, "{from} to {to}");
                    assert_eq!(rig.modify(qpn, 0, 0, &[]), OK);
                    continue;
                }
            };
            bring_to(rig, qpn, from);
            let values = rig.values();
            for n in 0..32 {
                let (given, expected) = match 1u32 << n {
                    bit if required & bit != 0 => (required & !bit | 1 << 31, MISSING_ATTRIBUTE),
                    bit if optional & bit == 0 => (required | bit, FORBIDDEN_ATTRIBUTE),
                    _ => continue,
                };
                assert_eq!(
                    rig.modify(qpn, to, given, &values),
                    expected,
                    "{from} to {to}, {n}"
                );
                assert_eq!(rig.seen, [command(expected, qpn, MODIFY_QP)]);
            }
            let all = required | optional;
            assert_eq!(rig.modify(qpn, to, all, &values), OK, "{from} to {to}");
            assert_eq!(rig.modify(qpn, 0, 0, &[]), OK);
        }
    }
}

#[test]
fn values_outside_their_limits() {
    let mut rig = rig();
    for (words, result) in [
        ([(10, 0x0001_0004), (22, 0)], BAD_ATTRIBUTE),
        ([(10, 0x0002_0003), (22, 0)], BAD_ATTRIBUTE),
        ([(10, 0x0000_0003), (22, 0)], BAD_ATTRIBUTE),
        ([(10, 0x0001_0003), (22, 0)], OK),
    ] {
        assert_eq!(rig.modify(0x0B23, 1, 7, &words), result, "{words:x?}");
    }
    for (state_word, limits, result) in [
        (2, 0, BAD_ATTRIBUTE),
        (2 | 6 << 8, 0, BAD_ATTRIBUTE),
        (2 | 5 << 8, 0x1100, BAD_ATTRIBUTE),
        (2 | 5 << 8, 0x10FF, OK),
    ] {
        let words = [(0, 0x0B23), (1, state_word), (22, limits), (24, 0x1F8)];
        assert_eq!(rig.run(MODIFY_QP, &words), result, "{words:x?}");
    }
    assert_eq!(rig.modify(0x0B23, 3, 0x3E00, &[(22, 17)]), BAD_ATTRIBUTE);
    assert_eq!(rig.modify(0x0B23, 3, 0x3E00, &[(22, 16)]), OK);
}

/// MODIFY_QP takes the codes of `protocol/static_rate.csv`, and refuses others.
#[test]
fn a_queue_pair_takes_the_rates_that_there_are() {
    let mut rig = rig();
    rig.bring_to(0x0B23, 4);
    let mut last = 0;
    for code in 0..64 {
        let legal = matches!(code, 0 | 2..=10);
        let result = if legal { OK } else { BAD_ATTRIBUTE };
        let word = code << 16 | 0x0A5F;
        // A code that is not given is not checked.
        assert_eq!(rig.modify(0x0B23, 4, 1 << 2, &[(15, word)]), OK, "{code}");
        assert_eq!(rig.modify(0x0B23, 4, 1 << 3, &[(15, word)]), result, "{code}");
        if legal {
            last = word;
        }
        assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B23)]), OK);
        assert_eq!(rig.arguments[15], last, "{code}");
    }
}

#[test]
fn what_is_given_counts_and_what_is_not_stays() {
    let mut rig = rig();
    rig.bring_to(0x0B23, 4);
    assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B24)]), NOT_FOUND);
    assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B23)]), OK);
    let mut expected = [0u32; 24];
    expected[..8].copy_from_slice(&[
        0x0B23, 0x304, 0x0A06, 0x11, 0x2200_0040, 0x33, 0x4400_0080, 0x0002_0001,
    ]);
    for (n, value) in rig.values() {
        expected[n] = value;
    }
    // Credits were not given.
    expected[22] = 0x0005_0403;
    expected[23] = 0x00C0_FFEE;
    assert_eq!(rig.arguments[..24], expected);

    // SQD to SQD: retry count and access flags alone, all other words differ.
    let junk: Vec<(usize, u32)> = (2..24).map(|n| (n, 0xF2F1_F0F3)).collect();
    assert_eq!(rig.modify(0x0B23, 4, 1 << 11 | 1 << 2, &junk), OK);
    expected[13] = 0x07F1_0504;
    expected[22] = 0x00F1_0403;
    assert_eq!(rig.arguments[1..24], expected[1..], "what the engines get");
    assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B23)]), OK);
    assert_eq!(rig.arguments[1..24], expected[1..]);

    // Reset forgets, but for what was created.
    assert_eq!(rig.modify(0x0B23, 0, 0, &junk), OK);
    let mut reset = [0u32; 24];
    reset[..8].copy_from_slice(&expected[..8]);
    reset[1] = 0;
    reset[23] = expected[23];
    assert_eq!(rig.arguments[1..24], reset[1..]);
}

#[test]
fn the_context_has_the_p_key_index_and_credits_where_the_engines_look() {
    let mut rig = rig();
    for index in 0..4 {
        assert_eq!(rig.modify(0x0B23, 1, 7, &[(10, 1 << 16 | index)]), OK);
        let row = rig.bench.bytes("qp_row");
        assert_eq!(bits(&row, 96, 16), u64::from(index));
        assert_eq!(rig.arguments[10], 1 << 16 | index);
        assert_eq!(rig.modify(0x0B23, 0, 0, &[]), OK);
    }
    rig.bring_to(0x0B23, 1);
    let given = 0x01F8 | 1 << 14;
    assert_eq!(rig.modify(0x0B23, 2, given, &[(22, 0x0307_0500)]), OK);
    // Access flags as Init had them.
    assert_eq!(rig.bench.get("qp_limits"), 0x001D_0500_00C0_FFEE);
    rig.bring_to_rts(0x0B23);
    assert_eq!(rig.modify(0x0B23, 4, 1 << 15, &[]), OK);
    assert_eq!(rig.bench.get("qp_limits") >> 63, 1, "its drain is to be told");
}

#[test]
fn each_side_takes_the_context_in_turn_and_says_so() {
    let mut rig = rig();
    assert_eq!(rig.modify(0x0B23, 1, 7, &[(10, 1 << 16)]), OK);
    let modified = |side: u8, state| Seen::Retired(kind::QP_MODIFIED, side, 0x0B23, state);
    let expected = [
        command(OK, 0x0B23, MODIFY_QP),
        Seen::Receive(0x0B23, 1),
        modified(0, 1),
        Seen::Response,
        Seen::Requester,
        modified(1, 1),
    ];
    assert_eq!(rig.seen, expected);
    assert_eq!(rig.modify(0x0B23, 0, 0, &[]), OK);
    let expected = [
        command(OK, 0x0B23, MODIFY_QP),
        Seen::Receive(0x0B23, 0),
        modified(0, 0),
        Seen::Response,
        Seen::Requester,
        Seen::DrainStart,
        Seen::Forget,
        modified(1, 0),
    ];
    assert_eq!(rig.seen, expected);
    assert_eq!(rig.run(DESTROY_QP, &[(0, 0x0B33)]), NOT_FOUND);
    assert_eq!(rig.run(DESTROY_QP, &[(0, 0x0B23)]), OK);
    let expected = [
        command(OK, 0x0B23, DESTROY_QP),
        Seen::Receive(0x0B23, 0),
        modified(0, 0),
        Seen::Response,
        Seen::Requester,
        Seen::DrainStart,
        Seen::Forget,
        Seen::Receive(!0x0B23 & 0xFF_FFFF, 0),
        modified(1, 0),
    ];
    assert_eq!(rig.seen, expected);
    assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B23)]), NOT_FOUND);
    for cqn in [1, 2] {
        assert_eq!(rig.run(DESTROY_CQ, &[(0, cqn)]), OK, "nobody uses it");
    }
}

/// The failure comes in every clock around the record: the result is by the order of the two.
#[test]
fn a_failure_that_crosses_the_judgement_counts_if_it_is_first() {
    let mut results = Vec::new();
    for clock in 0..12 {
        let mut rig = rig();
        rig.bring_to(0x0B23, 3);
        rig.fails = Some((clock, 3));
        let result = rig.modify(0x0B23, 3, 0, &[]);
        assert_eq!(
            rig.seen[0],
            command(result, 0x0B23, MODIFY_QP),
            "one record, after {clock}"
        );
        results.push(result);
        assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B23)]), OK);
        assert_eq!(rig.arguments[1] & 7, STATE_ERROR);
        assert_eq!(rig.modify(0x0B23, 0, 0, &[]), OK);
        assert_eq!(rig.run(QUERY_QP, &[(0, 0x0B23)]), OK);
        assert_eq!(rig.arguments[1] & 7, STATE_RESET);
    }
    let first = results.iter().take_while(|r| **r == BAD_TRANSITION).count();
    assert!((6..=9).contains(&first), "{results:?}");
    assert!(results[first..].iter().all(|r| *r == OK), "{results:?}");
}

#[test]
fn a_cq_that_fails_takes_its_queue_pairs_with_it() {
    let mut rig = rig();
    rig.create_cq(7);
    assert_eq!(rig.create_qp(0x0C05, 7, 1), OK);
    assert_eq!(rig.create_qp(0x0C06, 1, 7), OK);
    assert_eq!(rig.create_qp(0x0C07, 7, 7), OK);
    assert_eq!(rig.run(DESTROY_QP, &[(0, 0x0C07)]), OK);
    rig.cq_fails = Some((3, 7));
    rig.run(QUERY_CQ, &[(0, 1)]);
    for _ in 0..100 {
        rig.clock();
    }
    let failed: Vec<u8> = rig
        .seen
        .iter()
        .filter_map(|seen| match seen {
            Seen::Fail(index) => Some(*index),
            _ => None,
        })
        .collect();
    assert_eq!(failed, [5, 6]);
    // One that fails while a QP is made for it.
    rig.create_cq(8);
    rig.cq_fails = Some((9, 8));
    assert_eq!(rig.create_qp(0x0C07, 1, 8), CQ_FAILED);
}

/// What the CQE writer refuses is reported once, in whatever clock the queue fails.
#[test]
fn a_resize_that_is_refused_while_its_queue_fails() {
    for clock in 0..40 {
        let mut rig = rig();
        rig.create_cq(15);
        rig.ring.refused = true;
        rig.cq_fails = Some((clock, 15));
        let result = rig.run(RESIZE_CQ, &[(0, 15), (1, 0), (2, 0x80), (3, 3)]);
        let is_record = |seen: &&Seen| matches!(seen, Seen::Retired(..));
        let records: Vec<&Seen> = rig.seen.iter().filter(is_record).collect();
        assert_eq!(records, [&command(result, 15, RESIZE_CQ)], "after {clock}");
        assert!([BAD_SIZE, CQ_FAILED].contains(&result), "{result}");
    }
}

/// The answer is of the moment of the record, in whatever clock the queue fails.
#[test]
fn a_queue_that_fails_is_asked() {
    let mut told = Vec::new();
    for clock in 0..40 {
        let mut rig = rig();
        rig.create_cq(15);
        rig.cq_fails = Some((clock, 15));
        assert_eq!(rig.run(QUERY_CQ, &[(0, 15)]), OK);
        let place = |wanted: &Seen| rig.seen.iter().position(|seen| seen == wanted);
        let record = place(&command(OK, 15, QUERY_CQ));
        let fails = place(&Seen::CqFails(15));
        let first = fails.is_some_and(|fails| Some(fails) < record);
        told.push((first, rig.arguments[5] & 1));
    }
    let expected = told.iter().map(|(first, _)| (*first, u32::from(*first)));
    assert_eq!(told, expected.collect::<Vec<_>>());
}
