//! The cases of role `agent` in which something is lost, late or refused.
use super::case::{case, Case, RC, SENT, TAKEN};
use super::operation::{fetch_add, guest_fetch_add, guest_read, guest_send, read, send};
use super::rig::{GuestOperation as Guest, GuestSend, Rig, Setting};
use crate::live::noise::{Loss, Rates, Way};
use crate::live::session::Ran;
use crate::live::software::{BUFFER, R_KEY};
use hca_golden::verbs::{SendOperation as Operation, Status};

/// Opcodes of RC (`opcodes.csv`).
const SEND_MIDDLE: u8 = 0x01;
const SEND_LAST: u8 = 0x02;
const READ_REQUEST: u8 = 0x0C;
const RESPONSE_MIDDLE: u8 = 0x0E;
const RESPONSE_LAST: u8 = 0x0F;
const ACKNOWLEDGE: u8 = 0x11;
const ATOMIC_ACKNOWLEDGE: u8 = 0x12;
/// Statuses of libibverbs.
const REMOTE_ACCESS: u8 = 10;
const REMOTE_INVALID: u8 = 9;
const RETRIES_EXCEEDED: u8 = 12;

/// The peer waits milliseconds of its clock after an RNR NAK: code 22 is 40.96 ms.
const SLOW: Setting = Setting {
    min_rnr_timer: 22,
    ..RC
};
/// Both ends give up soon.
const HASTY: Setting = Setting {
    timeout: 4,
    guest_timeout: 14,
    guest_retries: 2,
    ..RC
};

/// The cases, in order.
pub const CASES: &[Case] = &[
    case("RNR NAK of Linux", RC, |rig, ends| {
        rig.session.fill(SENT, 3000, 31)?;
        rig.post(ends, 1, Operation::Send, SENT, 3000)?;
        rig.pass(1)?;
        rig.guest_receive(ends, 7, TAKEN, 3000)?;
        rig.done()?;
        rig.guest_done(1)?;
        rig.guest_holds(TAKEN, 3000, 31)?;
        Ok("waited out".to_owned())
    }),
    case("RNR NAK of the adapter", SLOW, |rig, ends| {
        rig.guest_fill(SENT, 3000, 32)?;
        rig.guest_send(ends, GuestSend::new(Guest::Send, SENT, 3000))?;
        rig.pass(1)?;
        rig.receive(ends, 9, TAKEN, 3000)?;
        rig.done()?;
        rig.guest_done(1)?;
        rig.holds(TAKEN, 3000, 32)?;
        Ok("waited out".to_owned())
    }),
    case("MIDDLE of a Send lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, SEND_MIDDLE, 1, |rig| send(rig, ends, 5000, 41))
    }),
    case("LAST of a Send lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, SEND_LAST, 0, |rig| send(rig, ends, 5000, 42))
    }),
    case("acknowledge lost, in", RC, |rig, ends| {
        lost(rig, Way::In, ACKNOWLEDGE, 0, |rig| send(rig, ends, 5000, 43))
    }),
    case("MIDDLE of a Send lost, in", RC, |rig, ends| {
        lost(rig, Way::In, SEND_MIDDLE, 1, |rig| {
            guest_send(rig, ends, 5000, 44)
        })
    }),
    case("LAST of a Send lost, in", RC, |rig, ends| {
        lost(rig, Way::In, SEND_LAST, 0, |rig| guest_send(rig, ends, 5000, 45))
    }),
    case("acknowledges lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, ACKNOWLEDGE, 0, |rig| {
            guest_send(rig, ends, 5000, 46)
        })
    }),
    case("Read request lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, READ_REQUEST, 0, |rig| read(rig, ends, 5000, 47))
    }),
    case("MIDDLE of a response lost, in", RC, |rig, ends| {
        lost(rig, Way::In, RESPONSE_MIDDLE, 1, |rig| read(rig, ends, 5000, 48))
    }),
    case("LAST of a response lost, in", RC, |rig, ends| {
        lost(rig, Way::In, RESPONSE_LAST, 0, |rig| read(rig, ends, 5000, 49))
    }),
    case("Read request lost, in", RC, |rig, ends| {
        lost(rig, Way::In, READ_REQUEST, 0, |rig| {
            guest_read(rig, ends, 5000, 50)
        })
    }),
    case("MIDDLE of a response lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, RESPONSE_MIDDLE, 1, |rig| {
            guest_read(rig, ends, 5000, 51)
        })
    }),
    case("LAST of a response lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, RESPONSE_LAST, 0, |rig| {
            guest_read(rig, ends, 5000, 52)
        })
    }),
    case("answer to an atomic lost, in", RC, |rig, ends| {
        lost(rig, Way::In, ATOMIC_ACKNOWLEDGE, 0, |rig| fetch_add(rig, ends))
    }),
    case("answer to an atomic lost, out", RC, |rig, ends| {
        lost(rig, Way::Out, ATOMIC_ACKNOWLEDGE, 0, |rig| {
            guest_fetch_add(rig, ends)
        })
    }),
    case("wrong R_Key of Linux", RC, |rig, ends| {
        let (va, r_key) = (ends.va, ends.r_key ^ 0x5500);
        rig.post(ends, 1, Operation::Write { va, r_key }, SENT, 3000)?;
        rig.fails(Status::RemAccessErr)?;
        Ok("refused".to_owned())
    }),
    case("wrong R_Key of the adapter", RC, |rig, ends| {
        let write = GuestSend::new(Guest::Write, SENT, 3000).to(BUFFER, R_KEY ^ 0xF00);
        rig.guest_send(ends, write)?;
        rig.guest_fails(REMOTE_ACCESS)?;
        Ok("refused".to_owned())
    }),
    case("too long for Linux", RC, |rig, ends| {
        rig.guest_receive(ends, 7, TAKEN, 256)?;
        rig.post(ends, 1, Operation::Send, SENT, 3000)?;
        // Linux takes its own receive request for the cause; `responder.md` section 5 requires an invalid request.
        rig.fails(Status::RemOpErr)?;
        Ok("refused".to_owned())
    }),
    case("too long for the adapter", RC, |rig, ends| {
        rig.receive(ends, 9, TAKEN, 256)?;
        rig.guest_send(ends, GuestSend::new(Guest::Send, SENT, 3000))?;
        rig.fails(Status::LocLenErr)?;
        rig.guest_fails(REMOTE_INVALID)?;
        Ok("refused".to_owned())
    }),
    case("silence before the adapter", HASTY, |rig, ends| {
        silent(rig, |rig| {
            rig.post(ends, 1, Operation::Send, SENT, 3000)?;
            rig.fails(Status::RetryExcErr).map(drop)
        })
    }),
    case("silence before Linux", HASTY, |rig, ends| {
        silent(rig, |rig| {
            rig.guest_send(ends, GuestSend::new(Guest::Send, SENT, 3000))?;
            rig.guest_fails(RETRIES_EXCEEDED)
        })
    }),
];

/// Runs `run` while one frame of this opcode is lost, after those that pass.
fn lost(
    rig: &mut Rig<'_>,
    way: Way,
    opcode: u8,
    skip: u32,
    run: impl FnOnce(&mut Rig<'_>) -> Ran<()>,
) -> Ran<String> {
    let before = rig.session.suffered().dropped;
    rig.session.noise.lose(Loss {
        way,
        opcode,
        skip,
        times: 1,
    });
    let ran = run(rig);
    rig.session.noise.forget_losses();
    ran?;
    let lost = rig.session.suffered().dropped - before;
    rig.expect("lost frames", lost >= 1, true)?;
    Ok("mended".to_owned())
}

/// Runs `run` while nothing of RoCEv2 crosses the wire.
fn silent(rig: &mut Rig<'_>, run: impl FnOnce(&mut Rig<'_>) -> Ran<()>) -> Ran<String> {
    let rates = rig.session.noise.rates();
    rig.session.noise.set_rates(Rates { drop: 1000, ..rates });
    let ran = run(rig);
    rig.session.noise.set_rates(rates);
    ran.map(|()| "given up".to_owned())
}
