use crate::bench::{bits, library, Bench};
use hca_rtl::control::Commands;
use hca_rtl::host::command;

/// A command with its arguments, until it is done: its result, and in order what was handed on, each with the clocks that
/// its valid stood. A hand-on waits two clocks for its ready.
fn run(bench: &mut Bench, code: u32, arguments: &[(usize, u32)]) -> (u64, Vec<(&'static str, u32)>) {
    let mut words = vec![0; 96];
    for (n, value) in arguments {
        words[4 * (23 - n)..][..4].copy_from_slice(&value.to_le_bytes());
    }
    bench.set_bytes("arguments", &words);
    bench.set("command", code.into());
    bench.set("command_valid", 1);
    let mut seen: Vec<(&'static str, u32)> = Vec::new();
    for _ in 0..40 {
        for (valid, ready) in [
            ("cq_valid", None),
            ("region_update_valid", None),
            ("region_invalidate_valid", None),
            ("to_receive_valid", Some("to_receive_ready")),
            ("to_response_valid", Some("to_response_ready")),
            ("to_requester_valid", Some("to_requester_ready")),
        ] {
            bench.settle();
            let clocks = seen.last().filter(|(name, _)| *name == valid).map_or(0, |s| s.1);
            if let Some(ready) = ready {
                bench.set(ready, u64::from(bench.is_set(valid) && clocks == 2));
            }
            if bench.is_set(valid) {
                match clocks {
                    0 => seen.push((valid, 1)),
                    _ => seen.last_mut().unwrap().1 += 1,
                }
            }
        }
        bench.settle();
        let done = bench.is_set("command_done").then(|| bench.get("command_result"));
        bench.tick();
        if let Some(result) = done {
            bench.set("command_valid", 0);
            bench.settle();
            bench.tick();
            return (result, seen);
        }
    }
    panic!("command {code} does not end");
}

fn bench() -> Bench {
    let mut bench = Bench::new(&library::<Commands<4, 4, 6>>("commands"), 1);
    for input in [
        "command_valid",
        "to_receive_ready",
        "to_response_ready",
        "to_requester_ready",
    ] {
        bench.set(input, 0);
    }
    bench
}

#[test]
fn a_region_goes_to_its_entry() {
    let mut bench = bench();
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
    let (result, seen) = run(&mut bench, command::REG_MR, &arguments);
    assert_eq!((result, seen), (0, vec![("region_update_valid", 1)]));
    assert_eq!(bench.get("region_index"), 0x2A);
    let region = bench.bytes("region");
    let field = |at, width| bits(&region, at, width);
    assert_eq!((field(1, 32), field(33, 32)), (0xABCD_2A11, 0x1234_EA22));
    assert_eq!(field(65, 24), 0xC0_FFEE);
    assert_eq!(
        (field(89, 64), field(153, 64)),
        (0x1111_2222_3333_4444, 0x5555_6666_7777_8888)
    );
    // Local write, remote write, remote read, remote atomic, zero-based.
    assert_eq!(field(217, 5), 0b0_1101);
}

#[test]
fn keys_of_different_entries_are_refused() {
    let mut bench = bench();
    let (result, seen) = run(&mut bench, command::REG_MR, &[(0, 0x0000_2A11), (1, 0x0000_2B11)]);
    assert_eq!((result, seen), (2, vec![]));
}

#[test]
fn deregistering_and_invalidating_name_the_entry_and_the_key() {
    let mut bench = bench();
    let (result, seen) = run(&mut bench, command::DEREG_MR, &[(0, 0xABCD_2A11)]);
    assert_eq!((result, seen), (0, vec![("region_update_valid", 1)]));
    assert_eq!(bench.get("region_index"), 0x2A);
    let (result, seen) = run(&mut bench, command::INVALIDATE, &[(0, 0xABCD_2A22)]);
    assert_eq!((result, seen), (0, vec![("region_invalidate_valid", 1)]));
    assert_eq!(bench.get("region_invalidate_key"), 0xABCD_2A22);
}

/// Whether the row is in use, in the clock of the pulse.
#[test]
fn a_row_is_valid_from_registering_to_deregistering() {
    let mut bench = bench();
    bench.set_bytes("arguments", &[0; 96]);
    for (code, valid) in [(command::REG_MR, 1), (command::DEREG_MR, 0)] {
        bench.set("command", code.into());
        bench.set("command_valid", 1);
        let mut pulses = 0;
        for _ in 0..8 {
            bench.settle();
            if bench.is_set("region_update_valid") {
                assert_eq!(bits(&bench.bytes("region"), 0, 1), valid);
                pulses += 1;
            }
            if bench.is_set("command_done") {
                break;
            }
            bench.tick();
        }
        assert_eq!(pulses, 1);
        bench.tick();
        bench.set("command_valid", 0);
        bench.settle();
        bench.tick();
    }
}

#[test]
fn a_queue_pair_goes_to_each_side_in_turn_and_waits_for_it() {
    let mut bench = bench();
    let limits = 0x0007_1003;
    let (result, seen) = run(
        &mut bench,
        command::MODIFY_QP,
        &[(0, 0x0B23), (22, limits), (23, 0x77)],
    );
    let each = [
        ("to_receive_valid", 3),
        ("to_response_valid", 3),
        ("to_requester_valid", 3),
    ];
    assert_eq!((result, seen), (0, each.to_vec()));
    assert_eq!(bench.get("qp_index"), 3);
    assert_eq!(bench.get("qp_limits"), 0x0007_1003_0000_0077);
}

#[test]
fn sizes_outside_the_limits_are_refused() {
    let mut bench = bench();
    for arguments in [[(2, 7), (22, 0)], [(2, 6), (22, 17)], [(2, 6), (22, 17 << 8)]] {
        assert_eq!(run(&mut bench, command::MODIFY_QP, &arguments), (3, vec![]));
    }
    assert_eq!(run(&mut bench, command::MODIFY_QP, &[(2, 6), (22, 0x1010)]).0, 0);
    assert_eq!(run(&mut bench, command::CREATE_CQ, &[(0, 16)]), (2, vec![]));
    assert_eq!(
        run(&mut bench, command::CREATE_CQ, &[(0, 15)]),
        (0, vec![("cq_valid", 1)])
    );
    assert_eq!(run(&mut bench, 0, &[]), (1, vec![]));
}
