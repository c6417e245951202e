//! The cases of role `agent`: operations of both ends, kind by kind.
use super::case::{case, Case, ATOMIC, FILLED, ORIGINAL, RC, SENT, TAKEN, UC, UD};
use super::operation::{
    fetch_add, guest_fetch_add, guest_read, guest_send, guest_write, read, send, sizes, write,
};
use super::rig::{Ends, GuestOperation as Guest, GuestSend, Rig, Setting};
use super::{datagrams, faults, Done};
use crate::device::Verb;
use crate::live::session::{Ran, SessionError};
use crate::live::software::{region, BUFFER, L_KEY, R_KEY};
use hca_golden::verbs::{EndToEndCredits, MemoryAccess, Pmtu, SendOperation as Operation};

const CREDITS: Setting = Setting {
    credits: EndToEndCredits {
        supplied: true,
        expected: true,
    },
    ..RC
};
const SMALL_PACKETS: Setting = Setting {
    pmtu: Pmtu::B256,
    ..RC
};
/// The cases on a sound wire, in order. Those of losses and refusals follow.
pub const CASES: &[Case] = &[
    case("send by the adapter", RC, |rig, ends| {
        sizes(|length, seed| send(rig, ends, length, seed))
    }),
    case("send by Linux", RC, |rig, ends| {
        sizes(|length, seed| guest_send(rig, ends, length, seed))
    }),
    case("immediate data, both ways", RC, immediate),
    case("send with invalidate by Linux", RC, guest_invalidates),
    case("send with invalidate, adapter", RC, invalidates),
    case("write by the adapter", RC, |rig, ends| {
        sizes(|length, seed| write(rig, ends, length, seed))
    }),
    case("write by Linux", RC, |rig, ends| {
        sizes(|length, seed| guest_write(rig, ends, length, seed))
    }),
    case("read by the adapter", RC, |rig, ends| {
        sizes(|length, seed| read(rig, ends, length, seed))
    }),
    case("read by Linux", RC, |rig, ends| {
        sizes(|length, seed| guest_read(rig, ends, length, seed))
    }),
    case("8 reads each way at once", RC, reads_at_once),
    case("atomics by the adapter", RC, atomics),
    case("atomics by Linux", RC, guest_atomics),
    case("sends with credits", CREDITS, eight_at_once),
    case("sends of 256-byte packets", SMALL_PACKETS, both_sends),
    case("UC sends and writes", UC, unreliable),
    case("UD both ways", UD, datagrams::both_ways),
    case("UD multicast, both ways", UD, datagrams::multicast),
    case("four connections at once", RC, four_at_once),
];

/// Plays a case on its own connection.
pub fn play(rig: &mut Rig<'_>, case: &Case) -> Ran<Done> {
    rig.operations = 0;
    let named = |error| match error {
        SessionError::Wrong(what) => SessionError::Wrong(format!("{}: {what}", case.name)),
        error => error,
    };
    let ends = rig.connect(0, &case.setting).map_err(named)?;
    let remark = (case.run)(rig, ends).map_err(named)?;
    rig.disconnect(ends)?;
    Ok(Done {
        name: case.name.to_owned(),
        operations: rig.operations,
        remark,
    })
}

fn immediate(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    let (immediate, other) = ([0xDE, 0xAD, 0xBE, 0xEF], [0xCA, 0xFE, 0xF0, 0x0D]);
    let (va, r_key) = (ends.va + FILLED, ends.r_key);
    let write = Operation::WriteWithImmediate { va, r_key, immediate };
    for (operation, length) in [(Operation::SendWithImmediate { immediate }, 77), (write, 3000)] {
        rig.session.fill(SENT, length, 5)?;
        rig.guest_receive(ends, 7, TAKEN, 77)?;
        rig.post(ends, 1, operation, SENT, length)?;
        rig.done()?;
        let came = rig.guest_done(1)?;
        rig.expect(
            "the guest's immediate data",
            came.contains(" imm deadbeef "),
            true,
        )?;
    }
    rig.guest_holds(TAKEN, 77, 5)?;
    rig.guest_holds(FILLED, 3000, 5)?;
    for (operation, length) in [(Guest::SendWithImmediate, 77), (Guest::WriteWithImmediate, 3000)] {
        rig.guest_fill(SENT, length, 6)?;
        rig.receive(ends, 9, TAKEN, 77)?;
        let send = GuestSend::new(operation, SENT, length).to(BUFFER + FILLED, R_KEY);
        let immediate = u32::from_be_bytes(other);
        rig.guest_send(ends, GuestSend { immediate, ..send })?;
        let came = rig.done()?;
        rig.expect("the immediate data", came.immediate, Some(other))?;
        rig.guest_done(1)?;
    }
    rig.holds(TAKEN, 77, 6)?;
    rig.holds(FILLED, 3000, 6)?;
    Ok("Send and Write".to_owned())
}

fn guest_invalidates(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    let (l_key, r_key) = (0x0200, 0x0277);
    let access = MemoryAccess {
        local_write: true,
        remote_write: true,
        ..MemoryAccess::default()
    };
    let region = region(l_key, r_key, access);
    rig.session.verbs([Verb::RegMr { region }])?;
    rig.receive(ends, 9, TAKEN, 16)?;
    let send = GuestSend::new(Guest::SendWithInvalidate, SENT, 16).to(0, r_key);
    rig.guest_send(ends, send)?;
    let came = rig.done()?;
    rig.expect("the invalidated R_Key", came.invalidated, Some(r_key))?;
    rig.guest_done(1)?;
    rig.session.verbs([Verb::DeregMr { l_key }])?;
    Ok(String::new())
}

/// Linux only lets a peer invalidate memory windows.
fn invalidates(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    let [r_key] = rig
        .agent
        .numbers(rig.session, &format!("window {:x}", ends.place))?;
    let r_key = r_key as u32;
    rig.session.fill(SENT, 64, 8)?;
    let va = ends.va + FILLED;
    rig.post(ends, 1, Operation::Write { va, r_key }, SENT, 64)?;
    rig.done()?;
    rig.guest_holds(FILLED, 64, 8)?;
    rig.guest_receive(ends, 7, TAKEN, 64)?;
    rig.post(ends, 2, Operation::SendWithInvalidate { r_key }, SENT, 64)?;
    rig.done()?;
    rig.guest_done(1)?;
    rig.post(ends, 3, Operation::Write { va, r_key }, SENT, 64)?;
    rig.fails(hca_golden::verbs::Status::RemAccessErr)?;
    Ok("then the memory window is closed".to_owned())
}

fn reads_at_once(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    const READ: usize = 0x2000;
    rig.guest_fill(0, 8 * READ, 13)?;
    rig.session.fill(0, 8 * READ, 14)?;
    for n in 0..8u64 {
        let at = n * READ as u64;
        let read = GuestSend::new(Guest::Read, 0x30_0000 + at, READ).to(BUFFER + at, R_KEY);
        rig.guest_send(ends, GuestSend { wr_id: n, ..read })?;
        let (va, r_key) = (ends.va + at, ends.r_key);
        rig.post(ends, n, Operation::Read { va, r_key }, 0x30_0000 + at, READ)?;
    }
    for _ in 0..8 {
        rig.done()?;
    }
    rig.guest_done(8)?;
    rig.guest_holds(0x30_0000, 8 * READ, 14)?;
    rig.session.holds(0x30_0000, 8 * READ, 13)?;
    Ok("8 KiB each".to_owned())
}

fn atomics(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    fetch_add(rig, ends)?;
    let (va, r_key) = (ends.va + ATOMIC, ends.r_key);
    for (compare, swap, original) in [
        (0x16, 0xABCD_EF01_2345_6789, 0x16),
        (0x16, 1, 0xABCD_EF01_2345_6789),
    ] {
        let operation = Operation::CompareSwap {
            va,
            r_key,
            compare,
            swap,
        };
        rig.post(ends, 2, operation, ORIGINAL, 8)?;
        rig.done()?;
        let found = rig.number(ORIGINAL)?;
        rig.expect("the original value", found, original)?;
    }
    let held = rig.ask(&format!("get64 {ATOMIC:x}"))?;
    rig.expect("the guest's value", held.as_str(), "abcdef0123456789")?;
    Ok("FetchAdd, CompareSwap that swaps and that does not".to_owned())
}

fn guest_atomics(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    guest_fetch_add(rig, ends)?;
    let atomic = GuestSend::new(Guest::CompareSwap, ORIGINAL, 8).to(BUFFER + ATOMIC, R_KEY);
    for (compare, swap, original) in [(0x16, 0xABCD_EF01_2345_6789, "16"), (0x16, 1, "abcdef0123456789")] {
        rig.guest_send(
            ends,
            GuestSend {
                compare,
                swap,
                ..atomic
            },
        )?;
        rig.guest_done(1)?;
        let found = rig.ask(&format!("get64 {ORIGINAL:x}"))?;
        rig.expect("the guest's original value", found.as_str(), original)?;
    }
    let held = rig.number(ATOMIC)?;
    rig.expect("the value", held, 0xABCD_EF01_2345_6789)?;
    Ok("FetchAdd, CompareSwap that swaps and that does not".to_owned())
}

/// Sends more messages at once than the first credits of a connection allow.
fn eight_at_once(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    both_sends(rig, ends)?;
    rig.session.fill(0, 8 * 2000, 90)?;
    for n in 0..8 {
        rig.guest_receive(ends, n, TAKEN + n * 2000, 2000)?;
    }
    for n in 0..8 {
        rig.post(ends, n, Operation::Send, n * 2000, 2000)?;
    }
    for _ in 0..8 {
        rig.done()?;
    }
    rig.guest_done(8)?;
    rig.guest_holds(TAKEN, 8 * 2000, 90)?;
    Ok("supplied and expected; 8 at once".to_owned())
}

fn both_sends(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    send(rig, ends, 9001, 70)?;
    guest_send(rig, ends, 9001, 71)?;
    Ok(String::new())
}

fn unreliable(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    both_sends(rig, ends)?;
    write(rig, ends, 5000, 72)?;
    // No acknowledge says that the message has come; the Send behind it does.
    rig.guest_fill(SENT, 5000, 73)?;
    let write = GuestSend::new(Guest::Write, SENT, 5000).to(BUFFER + FILLED, R_KEY);
    rig.guest_send(ends, write)?;
    rig.guest_done(1)?;
    guest_send(rig, ends, 100, 74)?;
    rig.holds(FILLED, 5000, 73)?;
    Ok("9001 and 5000 bytes".to_owned())
}

fn four_at_once(rig: &mut Rig<'_>, first: Ends) -> Ran<String> {
    const PART: u64 = 0x4000;
    let mut all = vec![first];
    for place in 1..4 {
        all.push(rig.connect(place, &RC)?);
    }
    rig.session.fill(0, 4 * PART as usize, 50)?;
    rig.guest_fill(0, 4 * PART as usize, 51)?;
    for (n, ends) in all.iter().enumerate() {
        let (at, wr_id) = (n as u64 * PART, n as u64);
        let write = GuestSend::new(Guest::Write, at, PART as usize).to(BUFFER + 0x30_0000 + at, R_KEY);
        rig.guest_send(*ends, GuestSend { wr_id, ..write })?;
        let (va, r_key) = (ends.va + 0x30_0000 + at, ends.r_key);
        rig.post(*ends, wr_id, Operation::Write { va, r_key }, at, PART as usize)?;
    }
    for _ in &all {
        rig.done()?;
    }
    rig.guest_done(4)?;
    rig.guest_holds(0x30_0000, 4 * PART as usize, 50)?;
    rig.holds(0x30_0000, 4 * PART as usize, 51)?;
    for ends in &all[1..] {
        rig.disconnect(*ends)?;
    }
    Ok(format!("16 KiB each way on each, L_Key {L_KEY:X}h"))
}

/// Returns all cases, including those of a faulty wire.
pub fn all() -> impl Iterator<Item = &'static Case> {
    CASES.iter().chain(faults::CASES)
}
