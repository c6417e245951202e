//! Operations of either end, each checked at both ends.
use super::case::{ATOMIC, FILLED, ORIGINAL, SENT, TAKEN};
use super::rig::{Ends, GuestOperation as Guest, GuestSend, Rig};
use crate::live::session::Ran;
use crate::live::software::{BUFFER, R_KEY};
use hca_golden::verbs::SendOperation as Operation;

/// Sizes of messages in bytes: 0, less than a word, less than a packet, and many packets.
const SIZES: [usize; 7] = [0, 1, 5, 1024, 1025, 5000, 40_000];

pub fn sizes(mut run: impl FnMut(usize, u32) -> Ran<()>) -> Ran<String> {
    for (seed, length) in SIZES.into_iter().enumerate() {
        run(length, seed as u32 + 1)?;
    }
    Ok(format!("0 to {} bytes", SIZES[SIZES.len() - 1]))
}

/// Makes a Send of the adapter, and checks its result.
pub fn send(rig: &mut Rig<'_>, ends: Ends, length: usize, seed: u32) -> Ran<()> {
    rig.session.fill(SENT, length, seed)?;
    rig.guest_receive(ends, 7, TAKEN, length)?;
    rig.post(ends, 1, Operation::Send, SENT, length)?;
    rig.done()?;
    let came = rig.guest_done(1)?;
    rig.expect(
        "the guest's byte count",
        came.contains(&format!(" bytes {length:x} ")),
        true,
    )?;
    rig.guest_holds(TAKEN, length, seed)
}

/// Makes a Send of the guest, and checks its result.
pub fn guest_send(rig: &mut Rig<'_>, ends: Ends, length: usize, seed: u32) -> Ran<()> {
    rig.guest_fill(SENT, length, seed)?;
    rig.receive(ends, 9, TAKEN, length)?;
    rig.guest_send(ends, GuestSend::new(Guest::Send, SENT, length))?;
    let came = rig.done()?;
    rig.expect("the byte count", came.byte_count as usize, length)?;
    rig.guest_done(1)?;
    rig.holds(TAKEN, length, seed)
}

/// Makes a Write of the adapter, and checks its result.
pub fn write(rig: &mut Rig<'_>, ends: Ends, length: usize, seed: u32) -> Ran<()> {
    rig.session.fill(SENT, length, seed)?;
    let (va, r_key) = (ends.va + FILLED, ends.r_key);
    rig.post(ends, 1, Operation::Write { va, r_key }, SENT, length)?;
    rig.done()?;
    rig.guest_holds(FILLED, length, seed)
}

/// Makes a Write of the guest, and checks its result.
pub fn guest_write(rig: &mut Rig<'_>, ends: Ends, length: usize, seed: u32) -> Ran<()> {
    rig.guest_fill(SENT, length, seed)?;
    let write = GuestSend::new(Guest::Write, SENT, length).to(BUFFER + FILLED, R_KEY);
    rig.guest_send(ends, write)?;
    rig.guest_done(1)?;
    rig.holds(FILLED, length, seed)
}

/// Makes a Read of the adapter, and checks its result.
pub fn read(rig: &mut Rig<'_>, ends: Ends, length: usize, seed: u32) -> Ran<()> {
    rig.guest_fill(SENT, length, seed)?;
    let (va, r_key) = (ends.va + SENT, ends.r_key);
    rig.post(ends, 1, Operation::Read { va, r_key }, FILLED, length)?;
    rig.done()?;
    rig.session.holds(FILLED, length, seed)
}

/// Makes a Read of the guest, and checks its result.
pub fn guest_read(rig: &mut Rig<'_>, ends: Ends, length: usize, seed: u32) -> Ran<()> {
    rig.session.fill(SENT, length, seed)?;
    let read = GuestSend::new(Guest::Read, FILLED, length).to(BUFFER + SENT, R_KEY);
    rig.guest_send(ends, read)?;
    rig.guest_done(1)?;
    rig.guest_holds(FILLED, length, seed)
}

/// Makes a FetchAdd of the adapter, and checks that it is executed once.
pub fn fetch_add(rig: &mut Rig<'_>, ends: Ends) -> Ran<()> {
    rig.ask(&format!("put64 {ATOMIC:x} 5"))?;
    let (va, r_key) = (ends.va + ATOMIC, ends.r_key);
    rig.post(ends, 1, Operation::FetchAdd { va, r_key, add: 0x11 }, ORIGINAL, 8)?;
    rig.done()?;
    let (original, held) = (rig.number(ORIGINAL)?, rig.ask(&format!("get64 {ATOMIC:x}"))?);
    rig.expect(
        "the original value and the guest's sum",
        (original, held.as_str()),
        (5, "16"),
    )
}

/// Makes a FetchAdd of the guest, and checks that it is executed once.
pub fn guest_fetch_add(rig: &mut Rig<'_>, ends: Ends) -> Ran<()> {
    rig.session.put(ATOMIC, &5u64.to_le_bytes())?;
    let add = GuestSend::new(Guest::FetchAdd, ORIGINAL, 8).to(BUFFER + ATOMIC, R_KEY);
    rig.guest_send(ends, GuestSend { compare: 0x11, ..add })?;
    rig.guest_done(1)?;
    let (original, held) = (rig.ask(&format!("get64 {ORIGINAL:x}"))?, rig.number(ATOMIC)?);
    rig.expect(
        "the guest's original value and the sum",
        (original.as_str(), held),
        ("5", 0x16),
    )
}
