use super::*;
use crate::decision::Verdict;
use crate::event::{DropReason, RewindCause};
use crate::verbs::Status;
use crate::verbs::{QpState, SendOperation, Service};
use crate::wire::opcode::Position;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const LIMITS: Limits = Limits {
    service: Service::Rc,
    pmtu: 256,
    timeout: 1,
    retry_cnt: 3,
    rnr_retry: 3,
    max_rd_atomic: 2,
    ack_interval: None,
    reads: true,
    retransmits: true,
    credits: false,
};
const READ: SendOperation = SendOperation::Read { va: 0, r_key: 0 };
const FETCH_ADD: SendOperation = SendOperation::FetchAdd {
    va: 0,
    r_key: 0,
    add: 0,
};

fn context(sq_psn: u32, messages: &[(SendOperation, u64)]) -> Context {
    let mut context = Context::new(LIMITS, sq_psn);
    for (index, &(operation, length)) in (0..).zip(messages) {
        context.push(Message::new(index, operation, length));
    }
    context
}

fn ack(psn: u32) -> Response {
    response(psn, Kind::Acknowledge, Some(0x1F), 0)
}

fn response(psn: u32, kind: Kind, syndrome: Option<u8>, length: usize) -> Response {
    let permitted = true;
    Response {
        psn,
        kind,
        syndrome,
        msn: 0,
        length,
        permitted,
    }
}

fn sent(mut context: Context) -> Context {
    while let Some(plan) = plan(&context) {
        context = send(context, &plan, 0);
    }
    context
}

fn success(index: u16) -> Action {
    Action::Complete {
        index,
        status: Status::Success,
        other: None,
    }
}

/// CF286: a message of 2^31 bytes at PMTU 256 fills the window and is acknowledged by its last PSN.
#[test]
fn the_longest_message() {
    let mut c = context(
        0xC0_0000,
        &[(SendOperation::Send, 1 << 31), (SendOperation::Send, 0)],
    );
    let first = plan(&c).unwrap();
    c = send(c, &first, 0);
    // All but the last packet.
    (c.next, c.cursor) = (c.start + (1 << 23) - 1, c.start + (1 << 23) - 1);
    let last = plan(&c).unwrap();
    assert_eq!((last.opcode, last.psn, last.length), (0x02, 0x3F_FFFF, 256));
    assert_eq!(closed(&c, QpState::Rts, &last), None);
    c = send(c, &last, 0);
    assert_eq!(c.outstanding(), 8_388_608);
    let beyond = plan(&c).unwrap();
    assert_eq!(beyond.psn, 0x40_0000);
    assert_eq!(closed(&c, QpState::Rts, &beyond), Some(Gate::Window));
    assert_eq!(judge(&c, &ack(0x3F_FFFF))[0].verdict, Verdict::Accept);
    let (one, actions) = accept(c.clone(), &ack(0xC0_0000), 0);
    assert_eq!((actions, closed(&one, QpState::Rts, &beyond)), (vec![], None));
    let (all, actions) = accept(c, &ack(0x3F_FFFF), 0);
    assert_eq!((actions, all.outstanding()), (vec![success(0)], 0));
}

/// A WQE that was taken but not sent is not complete, whatever an ack says.
#[test]
fn an_ack_completes_only_what_was_sent() {
    let c = context(5, &[(SendOperation::Send, 1), (SendOperation::Send, 1)]);
    let first = plan(&c).unwrap();
    let (c, actions) = accept(send(c, &first, 0), &ack(5), 0);
    assert_eq!(actions, [success(0)]);
    assert_eq!(c.messages[0].index, 1);
}

/// PSNs that were never sent are no duplicates.
#[test]
fn before_the_first_psn_all_is_ghost() {
    let verdicts =
        |c: &Context, psn| -> Vec<Verdict> { judge(c, &ack(psn)).iter().map(|r| r.verdict).collect() };
    let c = sent(context(5, &[(SendOperation::Send, 1)]));
    let ghost = Verdict::Drop(DropReason::GhostResponse);
    let duplicate = Verdict::Drop(DropReason::DuplicateResponse);
    assert_eq!(verdicts(&c, 4), [duplicate, ghost]);
    let (c, _) = accept(c, &ack(5), 0);
    assert_eq!(verdicts(&c, 5), [duplicate]);
    assert_eq!(verdicts(&c, 6), [ghost]);
}

/// CF205, CF206: an unsolicited ack with a higher limit has to be taken, until code 31 has switched limits off.
#[test]
fn after_code_31_an_unsolicited_ack_says_nothing() {
    let limits = Limits {
        credits: true,
        ..LIMITS
    };
    let one = || Message::new(0, SendOperation::Send, 1);
    let mut c = Context::new(limits, 5);
    c.push(one());
    let advertised =
        |c: Context, syndrome| accept(sent(c), &response(5, Kind::Acknowledge, Some(syndrome), 0), 0).0;
    let unsolicited = response(5, Kind::Acknowledge, Some(3), 0);
    let verdicts =
        |c: &Context| -> Vec<Verdict> { judge(c, &unsolicited).iter().map(|r| r.verdict).collect() };
    assert_eq!(verdicts(&advertised(c.clone(), 0)), [Verdict::Accept]);
    let duplicate = Verdict::Drop(DropReason::DuplicateResponse);
    assert_eq!(verdicts(&advertised(c, 0x1F)), [duplicate, Verdict::Accept]);
}

/// A packet that was acknowledged since the requester went back is not sent again; a device that decided before may
/// still send it.
#[test]
fn an_ack_shortens_a_resend() {
    let mut c = sent(context(
        0,
        &[(SendOperation::Send, 1), (SendOperation::Send, 700)],
    ));
    c = rewind(accept(c, &response(0, Kind::Acknowledge, Some(0x60), 0), 0).0, 0);
    let psns = |c: &Context| -> Vec<u32> { plans(c).iter().map(|p| p.psn).collect() };
    assert_eq!(psns(&c), [0]);
    c = accept(c, &ack(0), 0).0;
    assert_eq!(psns(&c), [1, 0]);
    let again = plan(&c).unwrap();
    c = send(c, &again, 0);
    c = accept(c, &ack(2), 0).0;
    assert_eq!(psns(&c), [3, 2]);
    c = accept(c, &ack(3), 0).0;
    assert_eq!((psns(&c), plan(&c), c.timer), (vec![2, 3], None, None));
    for late in plans(&c) {
        c = send(c, &late, 0);
    }
    assert_eq!((psns(&c), c.timer), (vec![], None), "no answer is waited for");
}

/// The requester goes back twice, and is answered both times before it has sent again. Only the packets of the second
/// time may leave late, however many the first one left behind.
#[test]
fn a_second_resend_has_late_packets_of_its_own() {
    let reads = [(SendOperation::Send, 40 * 256), (READ, 1), (READ, 1)];
    let mut c = sent(context(0, &reads));
    let psns = |c: &Context| -> Vec<u32> { plans(c).iter().map(|p| p.psn).collect() };
    let data = |psn| response(psn, Kind::Read(Position::Only), Some(0x1F), 1);
    c = rewind(accept(c, &response(0, Kind::Acknowledge, Some(0x60), 0), 0).0, 0);
    // All of the Send is answered, and the first Read is not: its response was lost.
    c = accept(c, &data(41), 0).0;
    assert_eq!(psns(&c)[0], 40);
    assert!(psns(&c).contains(&0), "decided on before the answer came");
    c = rewind(c, 0);
    assert_eq!(psns(&c), [40], "the next packet is that of PSN 40");
    c = accept(c, &data(40), 0).0;
    assert_eq!(psns(&c), [41, 40], "PSN 40 may have been decided on");
}

/// Most of what is sent again is answered, and so is the start of the Read behind it, before a device decides about the
/// rest of the Read. The next response comes before its request leaves.
#[test]
fn a_late_packet_may_lie_far_behind_the_last_one_sent() {
    let mut c = sent(context(0, &[(SendOperation::Send, 100 * 256), (READ, 4 * 256)]));
    c = rewind(accept(c, &response(0, Kind::Acknowledge, Some(0x60), 0), 0).0, 0);
    for psn in [0, 1] {
        assert_eq!(plan(&c).map(|p| p.psn), Some(psn));
        c = send(c.clone(), &plan(&c).unwrap(), 0);
    }
    c = accept(c, &ack(99), 0).0;
    for (psn, place) in [(100, Position::First), (101, Position::Middle)] {
        c = accept(c, &response(psn, Kind::Read(place), Some(0x1F), 256), 0).0;
    }
    assert_eq!(plan(&c).map(|p| p.psn), Some(102));
    assert!(plans(&c).iter().any(|p| p.psn == 101));
}

/// A step of a random run: a sent packet, a response, a timer, or the rewind that is due.
#[derive(Clone, Debug)]
enum Step {
    Send,
    Respond {
        ahead: u32,
        kind: u8,
        syndrome: u8,
        length: usize,
    },
    Expire,
    Rewind,
}

fn any_step() -> impl Strategy<Value = Step> {
    let syndrome = prop::sample::select(vec![0x1F, 0x1F, 0x1F, 0x60, 0x21, 0x61]);
    let length = prop::sample::select(vec![256, 256, 256, 44, 0]);
    prop_oneof![
        4 => Just(Step::Send),
        4 => (0..12_u32, 0..6_u8, syndrome, length).prop_map(|(ahead, kind, syndrome, length)| Step::Respond {
            ahead,
            kind,
            syndrome,
            length
        }),
        1 => Just(Step::Expire),
        2 => Just(Step::Rewind),
    ]
}

fn any_message() -> impl Strategy<Value = (SendOperation, u64)> {
    let operation = prop::sample::select(vec![SendOperation::Send, READ, FETCH_ADD]);
    (operation, prop::sample::select(vec![0, 44, 300, 812]))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// In every order of steps: WQEs complete in post order and none twice, only the cursor moves back, everything sent
    /// lies in the window, and no counter exceeds its initial value.
    #[test]
    fn invariants(
        sq_psn in prop_oneof![0xFF_FFF0..=0xFF_FFFF_u32, Just(0)],
        messages in prop::collection::vec(any_message(), 1..8),
        steps in prop::collection::vec(any_step(), 0..80),
    ) {
        let mut c = context(sq_psn, &messages);
        let mut completed = 0_u16;
        for step in steps {
            let before = c.clone();
            let mut actions = Vec::new();
            match step {
                Step::Send => {
                    let open = plan(&c).filter(|p| closed(&c, QpState::Rts, p).is_none());
                    if let Some(plan) = open {
                        prop_assert!(plan.position >= c.unacknowledged);
                        c = send(c, &plan, 0);
                    }
                }
                Step::Respond { ahead, kind, syndrome, length } => {
                    let psn = psn_of(c.unacknowledged + u64::from(ahead));
                    let place = [Position::First, Position::Middle, Position::Last, Position::Only];
                    let response = match kind {
                        0 => response(psn, Kind::Acknowledge, Some(syndrome), 0),
                        1 => response(psn, Kind::Atomic { original: 0 }, Some(0x1F), 0),
                        n => response(psn, Kind::Read(place[usize::from(n) - 2]), Some(0x1F), length),
                    };
                    if judge(&c, &response)[0].verdict == Verdict::Accept {
                        (c, actions) = accept(c, &response, 0);
                    }
                }
                Step::Expire if timer_window(&c).is_some() => (c, actions) = expire(c),
                Step::Rewind if c.rewind.is_some() => c = rewind(c, 0),
                Step::Expire | Step::Rewind => {}
            }
            for action in &actions {
                if let Action::Complete { index, .. } = action {
                    prop_assert_eq!(*index, completed);
                    completed += 1;
                }
            }
            if actions.contains(&Action::Fail) {
                break;
            }
            prop_assert!(c.unacknowledged >= before.unacknowledged && c.next >= before.next);
            prop_assert!(c.unacknowledged <= c.next && c.cursor <= c.next);
            prop_assert!(c.retries <= LIMITS.retry_cnt && c.rnr_retries <= LIMITS.rnr_retry);
            prop_assert!(c.outstanding() <= WINDOW);
            if let Some(rewind) = c.rewind {
                prop_assert!((c.unacknowledged..c.next).contains(&rewind.position));
                prop_assert!(c.timer.is_none());
            }
            let waits = c.rewind.is_some_and(|r| r.cause == RewindCause::RnrWaitOver);
            prop_assert!(!waits || timer_window(&c).is_none());
        }
    }
}
