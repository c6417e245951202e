//! Draws terms of connections.
use crate::case::terms::FOREVER;
use crate::case::Terms;
use proptest::prelude::*;

/// Draws any terms with short waits. Small packets and many retries come more often, so that faults occur in the middle
/// of messages and connections survive them.
pub(super) fn terms(favours_datagrams: bool) -> impl Strategy<Value = Terms> {
    let pmtu = prop_oneof![4 => Just(0u8), 1 => Just(1), 3 => Just(2), 1 => Just(3), 3 => Just(4)];
    let timeout = prop_oneof![4 => Just(1u8), 1 => Just(2)];
    let retry_cnt = prop_oneof![1 => Just(0u8), 4 => 1u8..=3, 3 => Just(7)];
    let rnr_retry = prop_oneof![1 => Just(0u8), 3 => 1u8..=2, 2 => Just(FOREVER)];
    // Up to 40 us.
    let min_rnr_timer = prop_oneof![1 => Just(1u8), 2 => 2u8..=4];
    let max_rd_atomic = prop_oneof![1 => Just(1u8), 2 => Just(2), 2 => Just(4), 1 => Just(16)];
    let taken = prop::option::weighted(0.15, 1u8..=4);
    let credits = prop::bool::weighted(0.3);
    let without_access = prop::option::weighted(0.15, 0u8..3);
    let of_datagrams = if favours_datagrams { 8 } else { 2 };
    // RC, UC or UD.
    let services = prop_oneof![
        6 => Just((false, false)),
        2 => Just((true, false)),
        of_datagrams => Just((false, true)),
    ];
    // An entry of a short queue is soon used again.
    let receives = prop::option::weighted(0.5, prop::sample::select(&[1u8, 2, 4][..]));
    let services = (services, receives);
    let waits = (timeout, retry_cnt, min_rnr_timer, rnr_retry);
    let reads = (max_rd_atomic, taken);
    (pmtu, waits, reads, credits, without_access, services).prop_map(
        |(
            pmtu,
            waits,
            (max_rd_atomic, max_dest_rd_atomic),
            credits,
            without_access,
            ((unreliable, datagrams), receives),
        )| {
            let (timeout, retry_cnt, min_rnr_timer, rnr_retry) = waits;
            Terms {
                pmtu,
                timeout,
                retry_cnt,
                min_rnr_timer,
                rnr_retry,
                max_rd_atomic,
                max_dest_rd_atomic,
                credits,
                without_access,
                unreliable,
                datagrams,
                receives: receives.filter(|_| datagrams),
            }
        },
    )
}
