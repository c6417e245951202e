//! Whose event is next.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::requester::EventPick;

const RESPONSE: u64 = 5;
const TURN: u64 = 6;

/// Responses and turns go in turn where both wait; what came between of one that goes back, and clocks in which nothing
/// may enter, make no difference to that.
#[test]
fn responses_and_turns_in_turn() {
    let mut bench = Bench::new(&library::<EventPick<4>>("event_pick"), 1);
    for input in [
        "modify_valid", "modify_done", "fail_valid", "reported_valid", "fault_valid", "fault_done",
        "expired_valid", "again_valid", "read_valid", "fetch_valid", "judge_valid", "settle_present",
        "settle_valid",
    ] {
        bench.set(input, 0);
    }
    for input in ["response_valid", "turn_valid", "may_go_back", "goes_back", "hold"] {
        bench.set(input, 0);
    }
    bench.set("turn_room", 1);
    bench.settle();
    bench.tick();
    let mut rng = Rng::with_seed(0x91C);
    let (mut responded, mut expects) = (false, false);
    for clock in 0..20_000 {
        let (hold, goes_back) = (rng.u8(0..4) == 0, expects && rng.bool());
        let (responds, turns) = (rng.u8(0..4) != 0, rng.u8(0..4) != 0);
        let may_go_back = rng.u8(0..8) == 0;
        let [response, turn, settle] = [(); 3].map(|()| rng.u64(0..16));
        for (port, value) in [
            ("hold", hold.into()),
            ("goes_back", goes_back.into()),
            ("may_go_back", may_go_back.into()),
            ("response_valid", responds.into()),
            ("response", response),
            ("turn_valid", turns.into()),
            ("turn_index", turn),
            ("settle_index", settle),
            ("again_index", settle),
        ] {
            bench.set(port, value);
        }
        bench.settle();
        let first_is_turn = responded && turns;
        let expected = match () {
            () if hold => None,
            () if expects => goes_back.then_some((TURN, settle)),
            () if responds && !first_is_turn => Some((RESPONSE, response)),
            () => turns.then_some((TURN, turn)),
        };
        let entered = bench
            .is_set("valid")
            .then(|| (bench.get("kind"), bench.get("index")));
        assert_eq!(entered, expected, "clock {clock}");
        let common = !hold && !expects;
        let taken = (bench.is_set("response_ready"), bench.is_set("turn_ready"));
        let kind = expected.filter(|_| common).map(|(kind, _)| kind);
        assert_eq!(taken.0, kind == Some(RESPONSE), "clock {clock}");
        assert_eq!(taken.1 && turns, kind == Some(TURN), "clock {clock}");
        bench.tick();
        if common {
            responded = kind == Some(RESPONSE);
        }
        expects = may_go_back;
    }
}
