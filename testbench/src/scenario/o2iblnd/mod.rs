//! Traffic of Lustre's o2iblnd over one connection (`protocol/o2iblnd.md`, version 2): messages in 4096-byte buffers
//! with their own credits, and bulk data by RDMA Write.
mod credit;
mod end;
mod message;

use super::connection::{qpn_of, Connection, RECEIVE_CQ, SEND_CQ};
use super::region::all_memory;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use credit::{DEPTH, RECEIVES};
use end::{End, Work, LONGEST};
use hca_golden::verbs::{EndToEndCredits, Pmtu, QpAttributes, QpState, RemoteAccess};
use message::{Kind, BUFFER, HEADER};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Name of the scenario.
pub const NAME: &str = "o2iblnd";

/// Number of entries of the queues.
const SEND_ENTRIES: u32 = 64;
const RECEIVE_ENTRIES: u32 = 32;
/// Number of IMMEDIATE messages that X sends first, alone.
const ONE_WAY: usize = 64;
/// Number of requests of each side after that.
const MIXED: u32 = 60;
/// Number of clock cycles without a completion that count as a stall.
const PATIENCE: u64 = 400_000;

/// Runs traffic one way, then both ways with transfers. Neither may stall, no RNR NAK may be sent, and no credit may be
/// lost.
pub(super) fn run(fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    fabric.keep_packets();
    let mut ends = [
        End::new(Side::X, one_way(&mut random)),
        End::new(Side::Y, Vec::new()),
    ];
    establish(fabric, &ends, &mut random)?;
    settle(fabric, &mut ends)?;
    let noops = ends[Side::Y as usize].noops;
    fabric.note(&format!("   {ONE_WAY} messages one way: {noops} NOOPs back"))?;
    // Each NOOP returns half of the depth up to all of it.
    let expected = ONE_WAY as u64 / u64::from(DEPTH)..=2 * ONE_WAY as u64 / u64::from(DEPTH);
    fabric.expect(
        "NOOPs for one-way traffic in bounds",
        true,
        expected.contains(&noops),
    )?;

    for end in &mut ends {
        end.ask(mixed(&mut random));
    }
    settle(fabric, &mut ends)?;
    let rnr_naks = fabric.kept_packets().iter().filter(|packet| {
        let syndrome = packet.dissection().value("AETH.Syndrome");
        syndrome.is_some_and(|syndrome| syndrome >> 5 == 1)
    });
    fabric.expect("RNR NAKs", 0, rnr_naks.count())
}

fn one_way(random: &mut ChaCha8Rng) -> Vec<Work> {
    (0..ONE_WAY).map(|_| immediate(random)).collect()
}

fn mixed(random: &mut ChaCha8Rng) -> Vec<Work> {
    let work = |_| match random.next_u32() % 4 {
        0 => transfer(Kind::PutReq, random),
        1 => transfer(Kind::GetReq, random),
        _ => immediate(random),
    };
    (0..MIXED).map(work).collect()
}

fn immediate(random: &mut ChaCha8Rng) -> Work {
    let kind = Kind::Immediate;
    // Mostly short messages.
    let most = if random.next_u32().is_multiple_of(4) {
        BUFFER - HEADER
    } else {
        256
    };
    let length = random.next_u32() % (most + 1);
    Work { kind, length }
}

fn transfer(kind: Kind, random: &mut ChaCha8Rng) -> Work {
    let length = BUFFER + random.next_u32() % (LONGEST - BUFFER + 1);
    Work { kind, length }
}

fn establish(fabric: &mut Fabric<'_>, ends: &[End; 2], random: &mut ChaCha8Rng) -> Result<(), Stop> {
    let connection = Connection {
        link: fabric.link(),
        pmtu: Pmtu::B1024,
        x_psn: random.next_u32() & 0xFF_FFFF,
        y_psn: random.next_u32() & 0xFF_FFFF,
        entries: SEND_ENTRIES,
    };
    for side in Side::BOTH {
        let cq = |cqn| Verb::CreateCq {
            cqn,
            entries: 2 * SEND_ENTRIES,
        };
        let attributes = QpAttributes {
            access: RemoteAccess {
                write: true,
                ..RemoteAccess::default()
            },
            credits: EndToEndCredits {
                supplied: true,
                expected: true,
            },
            retry_cnt: 5,
            rnr_retry: 6,
            ..connection.attributes(side)
        };
        let create = Verb::CreateQp {
            attributes,
            send_entries: SEND_ENTRIES,
            receive_entries: RECEIVE_ENTRIES,
        };
        let region = all_memory();
        fabric.verbs(
            side,
            [cq(SEND_CQ), cq(RECEIVE_CQ), Verb::RegMr { region }, create],
        )?;
        enter(fabric, side, QpState::Init)?;
        ends[side as usize].post_receives(fabric)?;
    }
    // Both do this at once: the ack that a side sends in RTR meets the other side in any state on its way.
    for side in Side::BOTH {
        let qpn = qpn_of(side);
        for state in [QpState::Rtr, QpState::Rts] {
            fabric.station(side).submit(Verb::ModifyQp { qpn, state });
        }
    }
    fabric.rest()
}

fn enter(fabric: &mut Fabric<'_>, side: Side, state: QpState) -> Result<(), Stop> {
    let qpn = qpn_of(side);
    fabric.verbs(side, [Verb::ModifyQp { qpn, state }])
}

/// Runs until all work is done. The sum of all credits never changes.
fn settle(fabric: &mut Fabric<'_>, ends: &mut [End; 2]) -> Result<(), Stop> {
    let mut progress = fabric.cycle();
    for end in ends.iter_mut() {
        end.begin(fabric);
    }
    while !ends.iter().all(End::is_idle) || fabric.has_completion() {
        fabric.step()?;
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                progress = fabric.cycle();
                let end = &mut ends[side as usize];
                end.completed(fabric, &reaped)?;
                end.begin(fabric);
                let rights = &end.rights;
                fabric.expect("C within the depth", true, rights.credits <= DEPTH)?;
                fabric.expect("O within the depth", true, rights.outstanding <= DEPTH)?;
                let wanted = rights.credits + rights.reserved + 2;
                fabric.expect("receive WQEs for all that may come", true, wanted <= RECEIVES)?;
            }
        }
        fabric.expect("a stall", false, fabric.cycle() - progress > PATIENCE)?;
    }
    fabric.rest()?;
    while fabric.has_completion() {
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                ends[side as usize].completed(fabric, &reaped)?;
            }
        }
        fabric.rest()?;
    }
    for side in Side::BOTH {
        let (end, peer) = (&ends[side as usize].rights, &ends[side.other() as usize].rights);
        fabric.expect("C and the peer's O", DEPTH, end.credits + peer.outstanding)?;
        fabric.expect("R", DEPTH, end.reserved)?;
    }
    Ok(())
}
