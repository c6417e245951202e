//! A Send with invalidate takes effect while nobody looks up a key: from the walk of its own key on others are held,
//! and what they had begun is over.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::responder::RequestSteps;

#[test]
fn an_invalidation_while_nobody_uses_the_key() {
    let mut bench = Bench::new(&library::<RequestSteps>("request_steps"), 1);
    let mut rng = Rng::with_seed(0x57E9);
    for input in [
        "loads", "credit", "replays", "drops", "refuse", "not_ready", "crowded", "walk_done", "walk_failed",
        "search_done", "posted", "waits", "settled", "still_crowded",
    ] {
        bench.set(input, 0);
    }
    bench.set("passes", 1);
    bench.set("execute", 1);
    let (mut room, mut walk) = (false, None);
    for number in 0..2000 {
        let (invalidates, carries) = (rng.bool(), rng.bool());
        bench.set("invalidate", invalidates.into());
        bench.set("walk_needed", carries.into());
        bench.set("loads", 1);
        bench.set("loads_packet", 1);
        bench.settle();
        assert!(bench.is_set("idle"), "request {number}");
        bench.tick();
        bench.set("loads", 0);
        // Whether others were held, and quiet then, a clock ago.
        let (mut still, mut key_walked, mut clocks) = (false, false, 0);
        loop {
            let done = walk == Some(0);
            walk = walk.and_then(|left: u32| left.checked_sub(1));
            let walk_ready = !done && walk.is_none() && rng.bool();
            // It stays until something takes it.
            room |= rng.u8(0..4) == 0;
            let quiet = rng.u8(0..3) == 0;
            bench.set("walk_done", done.into());
            bench.set("walk_ready", walk_ready.into());
            bench.set("pieces_ready", rng.bool().into());
            bench.set("room", room.into());
            bench.set("invalidate_quiet", quiet.into());
            bench.settle();
            if walk_ready && bench.is_set("walk_valid") {
                walk = Some(rng.u32(0..4));
            }
            let held = bench.is_set("key_held");
            assert!(invalidates || !held, "request {number} holds others for no key");
            key_walked |= done && bench.is_set("key_walked");
            let fires = bench.is_set("fires");
            if fires {
                assert!(room, "request {number}");
                assert_eq!(key_walked, invalidates, "request {number}");
                assert!(
                    !invalidates || (held && still),
                    "request {number}: the key is in use"
                );
                room = false;
            }
            bench.tick();
            if fires {
                break;
            }
            still = held && quiet;
            clocks += 1;
            assert!(clocks < 500, "request {number} never takes effect");
        }
    }
}
