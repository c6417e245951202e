use super::*;
use crate::decision::Verdict;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn context(rq_psn: u32) -> Context {
    Context {
        pmtu: 256,
        min_rnr_timer: 12,
        enabled: RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        },
        remote_access: true,
        invalidates: true,
        expected_psn: rq_psn,
        ackable_psn: psn::subtract(rq_psn, 1),
        resources: Resources::new(2),
        ..Context::default()
    }
}

prop_compose! {
    /// A request near the expected PSN, mostly sound.
    fn any_request()(
        ahead in prop::sample::select(vec![0, 0, 0, 0, 0, 1, -1, -2, -5_i32]),
        opcode in 0..0x20_u8,
        length in prop::sample::select(vec![0, 44, 256, 256, 257]),
        dma_len in prop::sample::select(vec![0, 44, 256, 300, 600]),
        room in prop::option::of(prop::sample::select(vec![0, 256, 1 << 20])),
        flags in any::<[bool; 3]>(),
    ) -> (i32, Request) {
        let opcode = Opcode::of(opcode);
        let carries = |header| opcode.is_some_and(|o| o.headers.contains(&header));
        let target = Reth { va: 0, r_key: 0, dma_len };
        let [ack_req, permitted, payload_permitted] = flags;
        let request = Request {
            opcode,
            psn: 0,
            ack_req,
            length,
            target: (carries(Header::Reth) || carries(Header::AtomicEth)).then_some(target),
            operands: None,
            invalidate: carries(Header::Ieth).then_some(1),
            receive_wqe: room.map(|room| ReceiveWqe { room, payload_permitted, permitted }),
            permitted,
            may_invalidate: true,
            original: 5,
            answers_waiting: 0,
        };
        (ahead, request)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// Only executed requests move ePSN and MSN; a duplicate changes nothing. A NAK that ends the QP carries the PSN of
    /// its request, one that requests a repetition the expected PSN. No request causes more than one answer.
    #[test]
    fn invariants(
        rq_psn in prop_oneof![0xFF_FFF0..=0xFF_FFFF_u32, Just(0)],
        requests in prop::collection::vec(any_request(), 1..60),
    ) {
        let mut c = context(rq_psn);
        for (ahead, mut request) in requests {
            request.psn = psn::add(c.expected_psn, ahead as u32);
            if request.opcode.is_some_and(|o| o.is_response()) {
                continue;
            }
            let rulings = judge(&c, &request);
            prop_assert!(!rulings.is_empty());
            for ruling in &rulings[1..] {
                let other = step(c.clone(), &request, ruling.verdict).0;
                prop_assert!(ruling.verdict == Verdict::Execute || other.expected_psn == c.expected_psn);
            }
            let before = c.clone();
            let (after, actions) = step(c, &request, rulings[0].verdict);
            c = after;
            let answers = actions.iter().filter(|a| {
                matches!(a, Action::Respond { .. } | Action::RespondWithData { .. } | Action::RespondWithOriginal { .. })
            });
            prop_assert!(answers.count() <= 1);
            match rulings[0].verdict {
                Verdict::Execute => {
                    let step = psn::difference(c.expected_psn, before.expected_psn);
                    prop_assert_eq!(step as u32, request.psns(256));
                    let ends = request.opcode.is_some_and(|o| o.ends());
                    prop_assert_eq!(psn::subtract(c.msn, before.msn), u32::from(ends));
                    prop_assert_eq!(c.open.is_none(), ends);
                }
                Verdict::Refuse { syndrome, psn } => {
                    let untouched = Context { outstanding_nak: c.outstanding_nak, ..before.clone() };
                    prop_assert_eq!(&c, &untouched);
                    prop_assert_eq!(psn, if syndrome == 0x60 { c.expected_psn } else { request.psn });
                    if actions.contains(&Action::Fail) {
                        break;
                    }
                }
                _ => prop_assert_eq!(&c, &before),
            }
            if let Some(owed) = c.resources.first_owed() {
                let last_psn = owed.last_psn;
                c = answered(c, last_psn);
            }
        }
    }
}
