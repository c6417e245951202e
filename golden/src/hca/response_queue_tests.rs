//! The order in which responses leave (`responder.md` sections 6 to 9).
use super::*;
use crate::hca::credit_codes::CreditCodes;
use crate::wire::lrh::Lrh;
use crate::wire::reth::Reth;

fn response(psn: u32, body: Body) -> Response {
    Response {
        psn,
        msn: 0,
        lrh: Lrh::default(),
        body,
        codes: CreditCodes::default(),
        spare: false,
    }
}

fn ack(psn: u32, syndrome: u8) -> Response {
    let required = true;
    response(psn, Body::Acknowledge { syndrome, required })
}

/// A read of this many packets.
fn read(psn: u32, packets: u32) -> Response {
    let target = Reth {
        dma_len: packets * 256,
        ..Reth::default()
    };
    response(psn, Body::Data(Data::new(target, 256)))
}

fn atomic(psn: u32) -> Response {
    original(psn, Saved::Not)
}

fn original(psn: u32, saved: Saved) -> Response {
    let body = Body::Original {
        original: 5,
        required: true,
        saved,
    };
    response(psn, body)
}

fn queue(responses: impl IntoIterator<Item = Response>) -> ResponseQueue {
    let mut queue = ResponseQueue::default();
    responses.into_iter().for_each(|r| queue.push(r));
    queue
}

/// Lets the response with this PSN leave, with the model's own syndrome; of two, the one that continues rather than the
/// one that begins.
fn emit(queue: &mut ResponseQueue, psn: u32) -> Result<bool, Rule> {
    let said = queue.data(psn, 0).map_or(0, Response::own_syndrome);
    queue.emit_data(psn, said)
}

fn acks(responses: &[(u32, u8)]) -> ResponseQueue {
    queue(responses.iter().map(|&(psn, syndrome)| ack(psn, syndrome)))
}

#[test]
fn a_later_ack_covers_earlier_ones() {
    let mut q = acks(&[(100, 0x1F), (101, 0x1F), (102, 0x1F)]);
    assert_eq!(q.emit_ack(101, 0x1F), Ok(ack(101, 0x1F)));
    assert_eq!(q.emit_ack(100, 0x1F), Err(Rule::AckNotPermitted));
    assert_eq!(q.required().count(), 1);
}

#[test]
fn a_nak_covers_acks_and_is_not_passed() {
    let mut q = acks(&[(100, 0x1F), (101, 0x60), (101, 0x1F)]);
    assert_eq!(q.emit_ack(101, 0x1F), Err(Rule::NakSkipped));
    assert_eq!(q.emit_ack(101, 0x60), Ok(ack(101, 0x60)));
    assert_eq!(q.emit_ack(101, 0x1F), Ok(ack(101, 0x1F)));
}

/// Section 7: the later NAK acknowledges PSN 100, so it implies both the earlier NAK and the ack before it.
#[test]
fn a_nak_stands_in_for_one_that_asks_again() {
    for before in [0x60, 0x2C] {
        for later in [0x60, 0x2C, 0x61] {
            let mut q = acks(&[(100, before), (100, 0x1F), (101, later)]);
            assert_eq!(q.emit_ack(100, 0x1F), Err(Rule::NakSkipped));
            assert_eq!(q.emit_ack(101, later), Ok(ack(101, later)));
            assert_eq!(q.required().count(), 0);
        }
    }
}

#[test]
fn no_nak_stands_in_for_one_that_ends_the_connection() {
    for fatal in [0x61, 0x62, 0x63] {
        let mut q = acks(&[(100, fatal), (101, 0x60)]);
        assert_eq!(q.emit_ack(101, 0x60), Err(Rule::NakSkipped));
        assert_eq!(q.permitted().count(), 1);
    }
}

#[test]
fn a_repeated_ack_need_not_follow_but_may() {
    let mut q = acks(&[(100, 0x1F), (100, 0x1F)]);
    assert!(q.emit_ack(100, 0x1F).is_ok());
    assert_eq!(q.required().count(), 0);
    assert!(q.emit_ack(100, 0x1F).is_ok());
    assert_eq!(q.emit_ack(100, 0x1F), Err(Rule::AckNotPermitted));
}

/// Section 8, SL copied from the request: an ack that is requested twice leaves once, or twice, each by its own route.
#[test]
fn a_repeated_ack_may_go_back_the_way_of_either_request() {
    let of_sl = |sl| Lrh { sl, ..Lrh::default() };
    let asked_for_by = |sl| Response {
        lrh: of_sl(sl),
        ..ack(100, 0x1F)
    };
    let mut q = queue([asked_for_by(0), asked_for_by(8), asked_for_by(8)]);
    assert_eq!(q.addresses(100, 0x1F), [of_sl(8), of_sl(0)]);
    assert_eq!(q.emit_ack(100, 0x1F), Ok(asked_for_by(8)));
    assert_eq!(q.addresses(100, 0x60), []);
    assert_eq!(q.addresses(99, 0x1F), []);
}

#[test]
fn a_wrong_syndrome_is_named() {
    assert_eq!(acks(&[(100, 0x1F)]).emit_ack(100, 0x60), Err(Rule::Syndrome));
}

/// CF133, CF134: a read response covers the ack before it, and no response covers a read response.
#[test]
fn nothing_passes_a_read_or_an_atomic() {
    let mut q = queue([ack(9, 0x1F), read(10, 2), atomic(12), ack(13, 0x1F)]);
    assert_eq!(q.emit_ack(13, 0x1F), Err(Rule::ResponsePassed));
    assert_eq!(q.emit_original(12, 0x1F), Err(Rule::ResponsePassed));
    assert_eq!(emit(&mut q, 11), Err(Rule::ResponseNotPermitted));
    assert_eq!(emit(&mut q, 10), Ok(false));
    assert_eq!(q.emit_ack(9, 0x1F), Err(Rule::AckNotPermitted), "covered");
    assert_eq!(q.emit_original(12, 0x1F), Err(Rule::ResponsePassed));
    assert_eq!(emit(&mut q, 11), Ok(true));
    assert_eq!(q.emit_original(12, 0x1F), Ok(atomic(12)));
    assert_eq!(q.emit_ack(13, 0x1F), Ok(ack(13, 0x1F)));
    assert_eq!(q.required().count(), 0);
}

/// CF125: an ack for a duplicate Send comes before the read that followed it.
#[test]
fn an_ack_for_what_came_before_a_read_need_not_wait() {
    let mut q = queue([read(10, 2), ack(9, 0x1F)]);
    assert_eq!(q.emit_ack(9, 0x1F), Ok(ack(9, 0x1F)));
    assert_eq!(emit(&mut q, 10), Ok(false));
}

/// The peer requests the rest from PSN 12: the first answer need not continue, but may.
#[test]
fn a_read_that_is_asked_for_again_need_not_go_on() {
    for goes_on in [false, true] {
        let mut q = queue([read(10, 4)]);
        assert_eq!(emit(&mut q, 10), Ok(false));
        q.push(read(12, 2));
        if goes_on {
            assert_eq!((emit(&mut q, 11), emit(&mut q, 12)), (Ok(false), Ok(false)));
            assert_eq!(emit(&mut q, 13), Ok(true));
        }
        assert_eq!((emit(&mut q, 12), emit(&mut q, 13)), (Ok(false), Ok(true)));
        assert_eq!(q.required().count(), 0);
    }
}

/// The answer under way would continue at the PSN from which it is requested again: either may leave, and only one of
/// them begins there.
#[test]
fn a_read_that_is_asked_for_again_where_it_is_may_begin_there() {
    for (begins, syndrome) in [(true, 0x1F), (false, 0)] {
        let mut q = queue([read(10, 4)]);
        assert_eq!((emit(&mut q, 10), emit(&mut q, 11)), (Ok(false), Ok(false)));
        q.push(read(12, 2));
        assert_eq!(q.data(12, syndrome).unwrap().own_syndrome(), syndrome);
        assert_eq!(q.emit_data(12, syndrome), Ok(false));
        let begun = q.data(12, 0x1F).is_ok_and(|r| r.psn == 12);
        assert_eq!(begun, !begins, "the other one is still owed, or not any more");
        assert_eq!(emit(&mut q, 13), Ok(true));
    }
}

/// A replay does not lose the ack that is due for a later request.
#[test]
fn a_replayed_read_covers_no_later_ack() {
    let mut q = queue([ack(20, 0x1F), read(10, 1)]);
    assert_eq!(emit(&mut q, 10), Ok(true));
    assert_eq!(q.emit_ack(20, 0x1F), Ok(ack(20, 0x1F)));
}

#[test]
fn data_is_fetched_in_order() {
    let mut q = queue([read(10, 2), read(12, 1)]);
    assert!(q.unfetched(11).is_none());
    for psn in [10, 11, 12] {
        q.unfetched(psn).unwrap().fetched.push_back(vec![psn as u8]);
        assert!(q.unfetched(psn).is_none());
    }
    assert_eq!(emit(&mut q, 10), Ok(false));
    let Body::Data(data) = &q.data(11, 0x1F).unwrap().body else {
        panic!("a read is data");
    };
    assert_eq!(data.fetched, [[11]]);
}

/// Fetched responses leave before the NAK that replaces the rest (section 7): they may be on their way by then.
#[test]
fn a_read_is_refused_behind_what_is_fetched() {
    let mut q = queue([read(10, 1), read(11, 3), read(14, 1)]);
    assert_eq!(q.refusable(11).err(), Some(Rule::ResponsePassed));
    assert_eq!(q.refusable(12).err(), Some(Rule::ResponseNotPermitted));
    for psn in [10, 11] {
        q.unfetched(psn).unwrap().fetched.push_back(vec![psn as u8]);
    }
    assert_eq!(q.refusable(11).err(), Some(Rule::ResponseNotPermitted));
    assert_eq!(q.refusable(14).err(), Some(Rule::ResponsePassed));
    assert!(q.refusable(12).is_ok());
    q.refuse(12);
    q.push(ack(12, 0x62));
    q.end();
    assert_eq!(q.emit_ack(12, 0x62), Err(Rule::ResponsePassed));
    assert_eq!(emit(&mut q, 10), Ok(true));
    assert!(q.unfetched(12).is_none());
    assert_eq!(emit(&mut q, 11), Ok(true));
    assert_eq!(emit(&mut q, 12), Err(Rule::ResponseNotPermitted));
    assert_eq!(q.emit_ack(12, 0x62), Ok(ack(12, 0x62)));
    assert_eq!(q.required().count(), 0);
}

/// In Error a NAK need not wait for lost responses.
#[test]
fn a_nak_passes_what_is_released() {
    let mut q = queue([read(10, 2), ack(12, 0x61)]);
    assert_eq!(q.emit_ack(12, 0x61), Err(Rule::ResponsePassed));
    q.release();
    assert_eq!(q.emit_ack(12, 0x61), Ok(ack(12, 0x61)));
}

/// Section 6, adopted reading: the atomic's own answer may not be dropped, nor that of any other atomic.
#[test]
fn an_answer_whose_saved_value_is_lost_may_be_dropped() {
    let replay = |psn| original(psn, Saved::Kept);
    let mut q = queue([atomic(10), replay(8), replay(9), read(12, 1)]);
    assert_eq!(q.drop_replay(8), Err(Rule::ReplayDropped));
    q.supersede(|psn| psn != 9);
    for kept in [9, 10, 12] {
        assert_eq!(q.drop_replay(kept), Err(Rule::ReplayDropped), "{kept}");
    }
    assert_eq!(q.required().count(), 4, "until it is reported");
    assert_eq!(q.drop_replay(8), Ok(()));
    assert_eq!(q.drop_replay(8), Err(Rule::ReplayDropped));
    assert_eq!(q.emit_original(10, 0x1F), Ok(atomic(10)));
    assert_eq!(emit(&mut q, 12), Err(Rule::ResponsePassed));
    assert_eq!(q.emit_original(9, 0x1F), Ok(replay(9)));
    assert_eq!(emit(&mut q, 12), Ok(true));
}

/// Either the first answer has left the engine, but not the device, when the second is dropped; or both are dropped.
#[test]
fn any_of_several_answers_to_duplicates_of_one_atomic_may_be_dropped() {
    for leaves in [true, false] {
        let mut q = queue([original(8, Saved::Kept), read(9, 1), original(8, Saved::Kept)]);
        q.supersede(|_| true);
        assert_eq!(q.drop_replay(8), Ok(()));
        if leaves {
            assert!(q.emit_original(8, 0x1F).is_ok());
        } else {
            assert_eq!(q.drop_replay(8), Ok(()));
        }
        assert_eq!(emit(&mut q, 9), Ok(true));
        assert_eq!(q.required().count(), 0);
    }
}
