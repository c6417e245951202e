//! Cases of role `agent` with UD, to one peer or a group.
use super::case::{SENT, TAKEN, UD};
use super::rig::{Ends, GuestOperation as Guest, GuestSend, Rig, Q_KEY};
use crate::device::Verb;
use crate::live::session::Ran;
use crate::live::software::{request, GRH};
use hca_golden::verbs::{Datagram, SendOperation as Operation};
use std::net::Ipv4Addr;

/// The group that both ends join, its MAC address (`ud.md` section 4), and the QPN of all groups.
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 1, 2, 3);
const GROUP_MAC: [u8; 6] = [0x01, 0x00, 0x5E, 0x01, 0x02, 0x03];
const GROUP_QPN: u32 = 0xFF_FFFF;
/// Number of the adapter's address handle for the group.
const GROUP_HANDLE: u32 = 1;
/// Number of bytes from the receive buffer of one member to that of the next.
const STRIDE: u64 = 0x1_0000;

/// Sends a datagram of the adapter.
fn send(rig: &mut Rig<'_>, ends: Ends, handle: u32, dest_qpn: u32, length: usize) -> Ran<()> {
    let mut send = request(1, Operation::Send, SENT, length);
    send.datagram = Some(Datagram {
        handle,
        dest_qpn,
        q_key: Q_KEY,
        p_key_index: 0,
    });
    rig.session.post_send(ends.qpn, send)
}

/// Returns the offset of a member's datagram, behind the room for its GRH.
fn taken(place: u8) -> u64 {
    TAKEN + u64::from(place) * STRIDE
}

pub(super) fn both_ways(rig: &mut Rig<'_>, ends: Ends) -> Ran<String> {
    for (seed, length) in [0, 1, 100, 1024].into_iter().enumerate() {
        let seed = seed as u32 + 30;
        rig.session.fill(SENT, length, seed)?;
        rig.guest_receive(ends, 7, TAKEN, GRH + length)?;
        send(rig, ends, ends.handle(), ends.guest_qpn, length)?;
        rig.done()?;
        rig.guest_done(1)?;
        rig.guest_holds(TAKEN + GRH as u64, length, seed)?;
        rig.guest_fill(SENT, length, seed + 1)?;
        rig.receive(ends, 9, TAKEN, GRH + length)?;
        rig.guest_send(ends, GuestSend::new(Guest::Send, SENT, length))?;
        let came = rig.done()?;
        let source = came.datagram.map(|source| source.qpn);
        rig.expect("the datagram's source", source, Some(ends.guest_qpn))?;
        rig.guest_done(1)?;
        rig.holds(TAKEN + GRH as u64, length, seed + 1)?;
    }
    Ok("0 to 1024 bytes".to_owned())
}

/// Sends to a group in which each end has two queue pairs as members. Each member of the other end gets a copy, and so
/// does each member of the own end except the sender. Linux's soft-RoCE delivers none at its own end.
pub(super) fn multicast(rig: &mut Rig<'_>, first: Ends) -> Ran<String> {
    let members = [first, rig.connect(1, &UD)?];
    let mgid = GROUP.to_ipv6_mapped().octets();
    rig.session.address(GROUP_HANDLE, mgid, GROUP_MAC)?;
    for ends in members {
        let (qpn, mlid) = (ends.qpn, 0);
        rig.session.verbs([Verb::Attach { qpn, mgid, mlid }])?;
        attend(rig, ends, "attach")?;
    }
    for (seed, length) in [1, 340, 1024].into_iter().enumerate() {
        let seed = seed as u32 + 60;
        rig.session.fill(SENT, length, seed)?;
        for ends in members {
            rig.guest_receive(ends, 7, taken(ends.place), GRH + length)?;
            rig.receive(ends, 9, taken(ends.place), GRH + length)?;
        }
        send(rig, first, GROUP_HANDLE, GROUP_QPN, length)?;
        let mut came = [rig.done()?, rig.done()?].map(|done| (done.qpn, done.wr_id));
        came.sort_unstable();
        let mut due = [(first.qpn, 1), (members[1].qpn, 9)];
        due.sort_unstable();
        rig.expect(
            "the completions of the sender and of the member beside it",
            came,
            due,
        )?;
        rig.holds(taken(members[1].place) + GRH as u64, length, seed)?;
        rig.guest_done(2)?;
        for ends in members {
            rig.guest_holds(taken(ends.place) + GRH as u64, length, seed)?;
        }
        // The sender's receive request still waits.
        rig.receive(members[1], 9, taken(members[1].place), GRH + length)?;
        rig.guest_fill(SENT, length, seed + 10)?;
        rig.guest_send_to(first, GROUP_QPN, GuestSend::new(Guest::Send, SENT, length))?;
        for _ in members {
            let came = rig.done()?;
            let source = came.datagram.map(|source| source.qpn);
            rig.expect("the datagram's source", source, Some(first.guest_qpn))?;
        }
        rig.guest_done(1)?;
        for ends in members {
            rig.holds(taken(ends.place) + GRH as u64, length, seed + 10)?;
        }
    }
    for ends in members {
        let (qpn, mlid) = (ends.qpn, 0);
        rig.session.verbs([Verb::Detach { qpn, mgid, mlid }])?;
        attend(rig, ends, "detach")?;
    }
    let handle = GROUP_HANDLE;
    rig.session.verbs([Verb::DestroyAh { handle }])?;
    rig.disconnect(members[1])?;
    Ok("two members at each end".to_owned())
}

/// Makes the guest's queue pair join the group, or leave it.
fn attend(rig: &mut Rig<'_>, ends: Ends, verb: &str) -> Ran<()> {
    let answer = rig.ask(&format!("{verb} {:x} {:x}", ends.place, u32::from(GROUP)))?;
    rig.expect("what the guest's group came to", answer.as_str(), "0")
}
