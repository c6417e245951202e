//! The packets of every operation at every PMTU, those of long messages too (`requester.md` section 2).
use crate::bench::{bits, library, Bench};
use crate::message::{Message, OPERATIONS};
use fastrand::Rng;
use hca_rtl::requester::RequestPlan;

#[test]
fn every_packet_of_a_message() {
    let mut bench = Bench::without_clock(&library::<RequestPlan>("request_plan"), 1);
    let mut rng = Rng::with_seed(0x9A4);
    for _ in 0..20_000 {
        let code = rng.u32(0..6);
        let pmtu = 128 << code;
        let operation = OPERATIONS[rng.usize(0..8)];
        let most = 1_u32 << rng.u32(0..31);
        let message = Message {
            operation,
            signaled: true,
            solicited: true,
            fence: false,
            immediate: 0,
            va: 0,
            r_key: 0,
            length: if operation as u8 >= 6 {
                8
            } else {
                rng.u32(0..=most)
            },
            address: 0,
            l_key: 0,
            compare: 0,
            swap_add: 0,
        };
        let count = message.psns(pmtu);
        let number = match rng.u8(0..4) {
            0 => 0,
            1 => count - 1,
            // Around every 64th.
            2 => (rng.u32(0..count) | 63)
                .saturating_sub(rng.u32(0..2))
                .min(count - 1),
            _ => rng.u32(0..count),
        };
        let offset = u64::from(number) * u64::from(pmtu);
        bench.set("operation", operation as u64);
        bench.set("offset", offset);
        bench.set("reach", offset + u64::from(pmtu));
        bench.set("length", message.length.into());
        bench.set("pmtu", code.into());
        bench.follow();
        let expected = message.packet(number, pmtu);
        let plan = bench.bytes("plan");
        let field = |low, width| bits(&plan, low, width);
        let seen = (field(0, 8), field(8, 13), field(53, 1) == 1);
        let due = (
            u64::from(expected.opcode),
            u64::from(expected.payload),
            expected.ack_req,
        );
        assert_eq!(seen, due, "packet {number} of {count}, {message:?}");
        if let Some((_, _, length)) = expected.reth {
            assert_eq!(field(21, 32), u64::from(length), "packet {number} of {message:?}");
        }
        let answered = message.answered();
        let last = answered || number + 1 == count;
        assert_eq!(field(54, 1) == 1, last, "packet {number} of {message:?}");
        if !answered {
            assert_eq!(
                field(55, 1) == 1,
                expected.solicited,
                "packet {number} of {message:?}"
            );
        }
        assert_eq!(
            field(56, 24),
            u64::from(count - 1 - number),
            "packet {number} of {message:?}"
        );
    }
}
