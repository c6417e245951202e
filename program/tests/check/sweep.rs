//! Every kind of edit at every place of sound captures: how many are found is pinned, and why the others cannot be.
use super::*;
use hca_testbench::check::{Ahead, Observed, Rule, Seen, Tenant, What};

/// Sound captures, and how many of their packets take part.
const CAPTURES: [(&str, usize); 6] = [
    ("rc_send.pcap", 60),
    ("rc_write.pcap", 60),
    ("rc_read.pcap", 60),
    ("rc_cas.pcap", 40),
    ("field/base.pcap", 20),
    ("field/seq_good.pcap", 20),
];

/// The packet after this kind of edit; `None` if the edit does not change it.
type Edit = fn(&mut Vec<Packet>, usize) -> Option<()>;

fn bth(packet: &mut Packet, psns: u32) -> Option<()> {
    packet.bth.psn = packet.bth.psn.wrapping_add(psns) & 0xFF_FFFF;
    Some(())
}

fn answer(packet: &mut Packet) -> Option<&mut Aeth> {
    packet
        .extensions
        .iter_mut()
        .find_map(|extension| match extension {
            Extension::Aeth(aeth) => Some(aeth),
            _ => None,
        })
}

fn msn(packets: &mut [Packet], at: usize, more: u32) -> Option<()> {
    let aeth = answer(&mut packets[at])?;
    aeth.msn = aeth.msn.wrapping_add(more) & 0xFF_FFFF;
    Some(())
}

/// An ack becomes a NAK of this syndrome.
fn refuse(packets: &mut [Packet], at: usize, syndrome: u8) -> Option<()> {
    let is_ack = operation(&packets[at]) == Operation::Acknowledge;
    let aeth = answer(&mut packets[at]).filter(|aeth| is_ack && aeth.syndrome < 0x20)?;
    aeth.syndrome = syndrome;
    Some(())
}

fn reth(packets: &mut [Packet], at: usize, edit: impl Fn(&mut hca_golden::wire::reth::Reth)) -> Option<()> {
    packets[at]
        .extensions
        .iter_mut()
        .find_map(|extension| match extension {
            Extension::Reth(reth) => {
                edit(reth);
                Some(())
            }
            _ => None,
        })
}

fn opcode(packets: &mut [Packet], at: usize, of: impl Fn(&Opcode) -> Option<u8>) -> Option<()> {
    packets[at].bth.opcode = of(packets[at].opcode()?)?;
    Some(())
}

/// Kinds of edits: how many are found, at how many places. `docs/captures.md` says why the others are not.
const KINDS: [(&str, Edit, usize, usize); 30] = [
    (
        "a packet is left out",
        |p, at| {
            p.remove(at);
            Some(())
        },
        141,
        247,
    ),
    (
        "a packet comes twice",
        |p, at| {
            let again = p[at].clone();
            p.insert(at, again);
            Some(())
        },
        1,
        247,
    ),
    (
        "two packets change places",
        |p, at| {
            if at + 1 == p.len() {
                return None;
            }
            p.swap(at, at + 1);
            Some(())
        },
        128,
        241,
    ),
    ("PSN + 1", |p, at| bth(&mut p[at], 1), 216, 247),
    ("PSN - 1", |p, at| bth(&mut p[at], 0xFF_FFFF), 230, 247),
    ("PSN + 100", |p, at| bth(&mut p[at], 100), 213, 247),
    ("PSN + 1000000", |p, at| bth(&mut p[at], 1_000_000), 247, 247),
    (
        "a middle is a first",
        |p, at| opcode(p, at, |o| (o.value == 1 || o.value == 7).then(|| o.value - 1)),
        73,
        73,
    ),
    (
        "a middle is a last",
        |p, at| opcode(p, at, |o| (o.value == 1 || o.value == 7).then(|| o.value + 1)),
        73,
        73,
    ),
    (
        "a middle is the other operation's",
        |p, at| {
            opcode(p, at, |o| match o.value {
                1 => Some(7),
                7 => Some(1),
                _ => None,
            })
        },
        73,
        73,
    ),
    (
        "a read response changes its position",
        |p, at| {
            opcode(p, at, |o| {
                matches!(o.value, 0x0D..=0x10).then(|| if o.value == 0x10 { 0x0D } else { o.value + 1 })
            })
        },
        33,
        43,
    ),
    (
        "an unknown opcode",
        |p, at| {
            p[at].bth.opcode = 0x1F;
            Some(())
        },
        247,
        247,
    ),
    ("MSN + 1", |p, at| msn(p, at, 1), 31, 49),
    ("MSN - 1", |p, at| msn(p, at, 0xFF_FFFF), 47, 49),
    ("MSN + 40", |p, at| msn(p, at, 40), 48, 49),
    (
        "payload 4 bytes shorter",
        |p, at| {
            let n = p[at].payload.len().checked_sub(4)?;
            p[at].payload.truncate(n);
            Some(())
        },
        159,
        173,
    ),
    (
        "payload 4 bytes longer",
        |p, at| {
            let n = p[at].payload.len();
            p[at].payload.resize(n + 4, 0);
            Some(())
        },
        243,
        247,
    ),
    (
        "a reserved syndrome",
        |p, at| {
            answer(&mut p[at])?.syndrome = 0x45;
            Some(())
        },
        49,
        49,
    ),
    ("an ack is a sequence NAK", |p, at| refuse(p, at, 0x60), 6, 10),
    ("an ack is an RNR NAK", |p, at| refuse(p, at, 0x25), 9, 10),
    ("an ack is a fatal NAK", |p, at| refuse(p, at, 0x62), 6, 10),
    ("R_Key", |p, at| reth(p, at, |reth| reth.r_key ^= 1), 0, 34),
    ("VA + 8", |p, at| reth(p, at, |reth| reth.va += 8), 0, 34),
    (
        "DMALen + 4",
        |p, at| reth(p, at, |reth| reth.dma_len += 4),
        32,
        34,
    ),
    (
        "P_Key",
        |p, at| {
            p[at].bth.p_key ^= 4;
            Some(())
        },
        247,
        247,
    ),
    (
        "AckReq",
        |p, at| {
            p[at].bth.a ^= true;
            Some(())
        },
        148,
        247,
    ),
    (
        "SE",
        |p, at| {
            p[at].bth.se ^= true;
            Some(())
        },
        226,
        247,
    ),
    (
        "DestQP",
        |p, at| {
            p[at].bth.dest_qp ^= 0x40;
            Some(())
        },
        184,
        247,
    ),
    (
        "a byte of the payload",
        |p, at| {
            *p[at].payload.last_mut()? ^= 1;
            Some(())
        },
        6,
        175,
    ),
    (
        "an atomic's answer",
        |p, at| {
            p[at].extensions.iter_mut().find_map(|e| match e {
                Extension::AtomicAckEth(a) => {
                    a.orig_rem_dt ^= 1;
                    Some(())
                }
                _ => None,
            })
        },
        0,
        20,
    ),
];

/// The findings in these packets, which come `apart` microseconds after one another.
pub(super) fn found(packets: &[Packet], apart: u64) -> Vec<Rule> {
    let mut ahead = Ahead::default();
    for (at, packet) in packets.iter().enumerate() {
        let number = at as u64 + 1;
        let what = What::Sound(Observed::of(Tenant::default(), packet));
        let is_repeated = at > 0 && packets[at - 1] == *packet;
        ahead.packet(Seen {
            number,
            time: 1_000_000_000 + 1000 * apart * number,
            is_repeated,
            is_copied: false,
            what,
        });
    }
    ahead.end();
    let found = &mut ahead.judge.found;
    std::iter::from_fn(|| found.close(true))
        .map(|finding| finding.rule)
        .collect()
}

#[test]
fn untouched_captures_are_silent() {
    for (name, length) in CAPTURES {
        let whole = packets(name);
        assert!(found(&whole, 1).is_empty(), "{name}");
        assert!(found(&whole[..length.min(whole.len())], 1).is_empty(), "{name}");
    }
}

#[test]
fn every_kind_of_edit_at_every_place() {
    let mut told = Vec::new();
    for (kind, edit, found_of, all) in KINDS {
        let (mut hits, mut places) = (0, 0);
        let mut misses = Vec::new();
        for (name, length) in CAPTURES {
            let mut whole = packets(name);
            whole.truncate(length);
            for at in 0..whole.len() {
                let mut edited = whole.clone();
                if edit(&mut edited, at).is_none() {
                    continue;
                }
                places += 1;
                if found(&edited, 1).is_empty() {
                    misses.push(format!("{name}:{}:{}", at + 1, whole[at].opcode().unwrap().name));
                } else {
                    hits += 1;
                }
            }
        }
        if (hits, places) != (found_of, all) {
            told.push(format!("{kind}: {hits} of {places}; not at {}", misses.join(" ")));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// Each bit from the BTH to the ICRC; what switches may change within it the ICRC does not cover.
#[test]
fn every_bit_that_the_icrc_covers() {
    const BTH: usize = 42;
    const NOT_COVERED: usize = BTH + 4;
    let sound = packets("rc_cas.pcap")[0].encode().unwrap();
    let places = (BTH..sound.len()).filter(|at| *at != NOT_COVERED);
    let bits: Vec<(usize, u8)> = places.flat_map(|at| (0..8).map(move |bit| (at, bit))).collect();
    let flipped = bits.iter().map(|(at, bit)| {
        let mut bytes = sound.clone();
        bytes[*at] ^= 1 << bit;
        let length = bytes.len();
        (bytes, length)
    });
    let judged = recorded(flipped).code(1);
    let output = String::from_utf8_lossy(&judged.get_output().stdout).into_owned();
    let found: Vec<u64> = output
        .lines()
        .filter_map(|line| line.get(..7)?.trim().parse().ok())
        .collect();
    let expected: Vec<u64> = (1..=bits.len() as u64).collect();
    assert_eq!(found, expected);
}
