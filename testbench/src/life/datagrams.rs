//! Draws what only queue pairs of datagrams have: address handles, multicast groups, destinations, forged datagrams.
use super::draw::forged;
use crate::case::limits::{GROUPS, HANDLES, HANDLE_NUMBERS, QPS};
use crate::case::{Act, Address, Base, Destination, Forged, Operation, QKey, Work};
use hca_golden::port::GIDS;
use hca_golden::wire::multicast::DEST_QP;
use proptest::prelude::*;

/// Length of the longest datagram in bytes.
const LONGEST: u32 = 4096;
/// Number of lengths that are drawn: up to a few bytes more.
const LENGTHS: u32 = LONGEST + 5;
/// Length of a network header and of a short message, in bytes.
const SHORT: u32 = 104;
/// Number of groups for which most multicast packets are.
pub(super) const LIKELY_GROUPS: u8 = 2;
/// Number of the handle that is likely that of a group.
pub(super) const GROUP_HANDLE: u8 = HANDLES - 1;

pub(super) fn q_key() -> impl Strategy<Value = QKey> {
    prop_oneof![
        6 => Just(QKey::Right),
        1 => Just(QKey::Other),
        2 => (0u8..32).prop_map(QKey::Wrong),
        // In a work request this key selects the sender's own.
        1 => Just(QKey::Wrong(31)),
    ]
}

/// Draws a handle's number, seldom one beyond the limit.
pub(super) fn handle() -> impl Strategy<Value = u8> {
    prop_oneof![8 => 0..HANDLES, 1 => HANDLES..HANDLE_NUMBERS]
}

/// Draws a group's number.
fn group() -> impl Strategy<Value = u8> {
    prop_oneof![8 => 0..LIKELY_GROUPS, 1 => 0..GROUPS]
}

fn destination() -> impl Strategy<Value = Option<Destination>> {
    let path = prop_oneof![
        8 => Just((GROUP_HANDLE, true)),
        6 => handle().prop_map(|handle| (handle, false)),
        1 => handle().prop_map(|handle| (handle, true)),
    ];
    let other = (path, 0..QPS, q_key()).prop_map(|((handle, multicast), qp, q_key)| Destination {
        handle,
        qp,
        q_key,
        multicast,
    });
    prop::option::weighted(0.4, other)
}

/// Draws a verb of a multicast group.
pub(super) fn any_membership() -> impl Strategy<Value = Act> {
    (0..QPS, 0..GROUPS, any::<bool>()).prop_map(|(qp, group, joins)| match joins {
        true => Act::Attach { qp, group },
        false => Act::Detach { qp, group },
    })
}

/// Draws the address of a group.
pub(super) fn group_path() -> impl Strategy<Value = Address> {
    (path(), group()).prop_map(|(path, group)| Address {
        group: Some(group),
        global: None,
        ..path
    })
}

/// Draws the same request as a datagram, or one that only datagrams have.
pub(super) fn datagram(work: impl Strategy<Value = Work>) -> impl Strategy<Value = Work> {
    let room = prop_oneof![
        12 => Just(None),
        4 => (0..=SHORT).prop_map(Some),
        3 => (0..=LENGTHS).prop_map(Some),
        1 => (LONGEST..=LENGTHS).prop_map(Some),
    ];
    let sges = prop::option::weighted(0.2, long_list());
    (work, destination(), room, sges).prop_map(|(work, to, room, sges)| Work {
        length: match room {
            Some(bytes) => bytes,
            None => work.length % LENGTHS,
        },
        tight: room.is_some(),
        sges: sges.unwrap_or(work.sges),
        to,
        ..work
    })
}

/// Draws a datagram that has a GRH and no payload. The walk of its receive WQE ends where that of one without a GRH
/// begins.
pub(super) fn bare(qp: u8, is_grouped: bool) -> impl Strategy<Value = Work> {
    long_list().prop_map(move |sges| {
        let to = Destination {
            handle: GROUP_HANDLE,
            qp,
            q_key: QKey::Right,
            multicast: is_grouped,
        };
        listed(0, sges, Some(to))
    })
}

/// Draws a datagram that has a payload and mostly no GRH.
pub(super) fn full() -> impl Strategy<Value = Work> {
    (1..=SHORT, long_list()).prop_map(|(length, sges)| listed(length, sges, None))
}

/// Makes a Send of this many bytes, with this many SGEs at either end.
fn listed(length: u32, sges: u8, to: Option<Destination>) -> Work {
    Work {
        operation: Operation::Send,
        length,
        sges,
        signaled: true,
        solicited: false,
        fence: false,
        inline: false,
        region: 0,
        tight: false,
        to,
    }
}

/// Draws a number of SGEs for which a WQE needs a list.
fn long_list() -> impl Strategy<Value = u8> {
    3u8..=16
}

/// Draws a verb of an address handle.
pub(super) fn any_verb() -> impl Strategy<Value = Act> {
    (handle(), address()).prop_flat_map(|(handle, address)| {
        prop_oneof![
            Just(Act::CreateAh { handle, address }),
            Just(Act::ModifyAh { handle, address }),
            Just(Act::QueryAh { handle }),
            Just(Act::DestroyAh { handle }),
        ]
    })
}

/// Draws a path to the peer by which its datagrams arrive.
pub(super) fn path() -> impl Strategy<Value = Address> {
    let global = prop_oneof![2 => Just(None), 1 => Just(Some(true))];
    let rates = prop::sample::select(&[0u8, 2, 5, 10][..]);
    let bits = prop::option::weighted(0.2, 0u8..128);
    let flow_label = prop::option::weighted(0.3, 0u32..1 << 20);
    let sl = prop::option::weighted(0.3, 0u8..8);
    (0..QPS, global, prop::option::of(rates), bits, flow_label, sl).prop_map(
        |(qp, global, static_rate, path_bits, flow_label, sl)| Address {
            qp,
            global,
            static_rate,
            path_bits,
            flow_label,
            sl,
            ..Address::default()
        },
    )
}

/// Draws a path of a protection domain other than that of the queue pairs. No datagram may take it.
pub(super) fn foreign_path() -> impl Strategy<Value = Address> {
    path().prop_map(|path| Address {
        other_domain: true,
        ..path
    })
}

/// Draws any attributes, legal or not.
pub(super) fn address() -> impl Strategy<Value = Address> {
    let odd = prop_oneof![
        (prop_oneof![path().boxed(), group_path().boxed()], any::<bool>()).prop_map(|(a, global)| Address {
            global: Some(global),
            ..a
        }),
        (path(), prop::sample::select(&[0u8, 2, 255][..])).prop_map(|(a, port)| Address {
            port: Some(port),
            ..a
        }),
        (
            path(),
            prop::sample::select(&[0u16, 0x7700, 0xBFFF, 0xC000, 0xFFFE, 0xFFFF][..])
        )
            .prop_map(|(a, dlid)| Address {
                dlid: Some(dlid),
                ..a
            }),
        (path(), prop::sample::select(&[8u8, 15, 16, 255][..]))
            .prop_map(|(a, sl)| Address { sl: Some(sl), ..a }),
        (path(), 126u8..130).prop_map(|(a, bits)| Address {
            path_bits: Some(bits),
            ..a
        }),
        (path(), prop::sample::select(&[1u8, 11, 63, 255][..])).prop_map(|(a, rate)| Address {
            static_rate: Some(rate),
            ..a
        }),
        (path(), prop::sample::select(&[1u8, 2, 4, 255][..])).prop_map(|(a, index)| Address {
            sgid_index: Some(index),
            ..a
        }),
        (path(), prop::sample::select(&[0xF_FFFFu32, 0x10_0000][..])).prop_map(|(a, label)| Address {
            flow_label: Some(label),
            ..a
        }),
    ];
    prop_oneof![4 => path(), 2 => group_path(), 1 => foreign_path(), 2 => odd]
}

/// Draws a forged packet for QP0 or QP1: mostly a message of 256 bytes, sometimes by the permissive LID or on another
/// VL.
pub(super) fn mad() -> impl Strategy<Value = Forged> {
    let payload = prop::option::weighted(0.8, Just(256u16));
    let vl = prop::option::weighted(0.15, prop::sample::select(&[0u8, 1, 14, 15][..]));
    let class = prop::sample::select(&[0x81u8, 0x81, 0x01, 0x80][..]);
    let permissive = || prop::option::weighted(0.3, Just(0xFFFFu16));
    let whole = prop::bool::weighted(0.8);
    let parts = (payload, vl, class, (permissive(), permissive()), whole);
    (hostile(), parts).prop_map(|(hostile, (payload, vl, class, (slid, dlid), whole))| Forged {
        opcode: if whole { 0x64 } else { hostile.opcode },
        payload: payload.unwrap_or(hostile.payload),
        vl,
        class: Some(class),
        slid: slid.or(hostile.slid),
        dlid: dlid.or(hostile.dlid),
        group: hostile.group.filter(|_| !whole),
        global: hostile.global && !whole,
        ..hostile
    })
}

/// Draws a forged datagram, or another packet of the class.
pub(super) fn hostile() -> impl Strategy<Value = Forged> {
    let opcode = prop_oneof![8 => Just(0x64u8), 4 => Just(0x65), 2 => 0x60u8..=0x7F, 1 => any::<u8>()];
    let payload = prop_oneof![
        2 => Just(0u16),
        4 => 1u16..=64,
        2 => 65u16..=2100,
        2 => 4090u16..=4100,
    ];
    let source_qp = prop::option::weighted(0.2, 0u32..1 << 24);
    let dest_qp = prop::option::weighted(0.1, prop::sample::select(&[0u32, 1, DEST_QP][..]));
    let group = prop::option::weighted(0.3, group());
    let lid = || prop::sample::select(&[0u16, 1, 0x77, 0xBFFF, 0xC000, 0xFFFE, 0xFFFF][..]);
    let lids = (
        prop::option::weighted(0.1, lid()),
        prop::option::weighted(0.1, lid()),
    );
    let rest = (
        forged(),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.7),
        group,
        prop::option::weighted(0.2, 0..GIDS as u8),
    );
    (opcode, payload, q_key(), source_qp, dest_qp, lids, rest).prop_map(
        |(opcode, payload, q_key, source_qp, dest_qp, (slid, dlid), (forged, global, whole, group, gid))| {
            let form = match whole {
                true => Forged::expected(opcode),
                false => forged,
            };
            Forged {
                opcode,
                // The PSN of a datagram is not checked.
                base: Base::Expected,
                payload,
                q_key,
                source_qp,
                dest_qp,
                slid,
                dlid,
                group,
                // A packet for a group has a GRH, and so has one that names a GID.
                global: (global != group.is_some()) || (gid.is_some() && group.is_none()),
                gid: gid.filter(|_| group.is_none()),
                ..form
            }
        },
    )
}
