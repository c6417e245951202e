//! Role `soak`: operations drawn from the session's seed, for as long as the user wants.
use super::operation::{fetch_add, guest_fetch_add, guest_read, guest_send, guest_write, read, send, write};
use super::rig::{Rig, Setting};
use super::Done;
use crate::live::session::Ran;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

/// Lengths of the messages in bytes.
const SIZES: [usize; 6] = [1, 700, 1024, 3000, 9000, 20_000];
/// Number of operations on a connection before the next one is made.
const OF_A_CONNECTION: u64 = 200;
/// A setting with early retries, because frames are lost all the time.
const SETTING: Setting = Setting {
    guest_timeout: 14,
    ..Setting::RC
};

/// Plays operations until the time is over. Their number depends on the machine's speed, the operations themselves on
/// the seed.
pub fn play(rig: &mut Rig<'_>, seed: u64, seconds: u64) -> Ran<Done> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut kinds = [0u64; 8];
    let mut connections = 0;
    rig.operations = 0;
    while Instant::now() < end {
        let ends = rig.connect(0, &SETTING)?;
        connections += 1;
        for _ in 0..OF_A_CONNECTION {
            if Instant::now() >= end {
                break;
            }
            let length = SIZES[random.next_u32() as usize % SIZES.len()];
            let (kind, pattern) = (random.next_u32() as usize % kinds.len(), random.next_u32());
            kinds[kind] += 1;
            match kind {
                0 => send(rig, ends, length, pattern)?,
                1 => guest_send(rig, ends, length, pattern)?,
                2 => write(rig, ends, length, pattern)?,
                3 => guest_write(rig, ends, length, pattern)?,
                4 => read(rig, ends, length, pattern)?,
                5 => guest_read(rig, ends, length, pattern)?,
                6 => fetch_add(rig, ends)?,
                _ => guest_fetch_add(rig, ends)?,
            }
        }
        rig.disconnect(ends)?;
    }
    let [send, guest_send, write, guest_write, read, guest_read, add, guest_add] = kinds;
    Ok(Done {
        name: format!("{seconds} s"),
        operations: rig.operations,
        remark: format!(
            "{connections} connections; adapter and Linux: {send}, {guest_send} sends, {write}, {guest_write} writes, \
             {read}, {guest_read} reads, {add}, {guest_add} atomics"
        ),
    })
}
