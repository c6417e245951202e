//! Credits promise no more than is free: a neighbour that keeps to them loses nothing, whatever it sends and whatever
//! waits (CF454, of one direction).
use super::rig::{blocks, packet, Rig};
use crate::bench::library;
use hca_rtl::link::ReceiveBuffer;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// The neighbour: what it has sent on each VL, and what it may.
struct Neighbour {
    fctbs: [u32; 8],
    limit: [u32; 8],
}

impl Neighbour {
    fn may(&self, vl: u8, blocks: u32) -> bool {
        let vl = usize::from(vl);
        // link.md section 5.
        (self.limit[vl].wrapping_sub(self.fctbs[vl] + blocks)) % 4096 <= 2048
    }
}

/// Blocks of a VL that started to come and have not left; `partly_out` blocks of the oldest packet have.
fn there(sent: &VecDeque<(Vec<u8>, bool, u8)>, vl: u8, partly_out: u32) -> u32 {
    let whole: u32 = sent.iter().filter(|p| p.2 == vl).map(|p| blocks(&p.0)).sum();
    match sent.front() {
        Some(oldest) if oldest.2 == vl => whole - partly_out,
        _ => whole,
    }
}

fn keeps_the_law(library: &Library, stream_bits: usize, vls: u8, quota: u32, packets: usize) {
    let mut rig = Rig::new(library, stream_bits);
    rig.rest(10, false);
    let mut rng = fastrand::Rng::with_seed(0x1A3);
    let mut neighbour = Neighbour {
        fctbs: [0; 8],
        limit: [0; 8],
    };
    // Bytes, bad end, VL of what is under way, oldest first.
    let mut sent: VecDeque<(Vec<u8>, bool, u8)> = VecDeque::new();
    let mut arriving: Option<(Vec<u8>, bool, usize)> = None;
    let mut next = None;
    // Two clocks from a link packet's beat to its credits; and those that the buffer has sent, on their way.
    let mut telling: VecDeque<Option<(u8, u32)>> = VecDeque::from([None, None]);
    let (mut came, mut lost, mut waited) = (0, 0, 0);
    let mut stalled = false;
    while came < packets || !sent.is_empty() || arriving.is_some() {
        stalled ^= rng.u8(..) == 0 || (stalled && rng.u8(..8) == 0 && waited > 200);
        let lanes = rig.lanes();
        // Between packets: a link packet each way at times.
        let mut update = None;
        if arriving.is_none() {
            if rng.u8(..8) == 0 {
                let vl = rng.u8(..vls);
                neighbour.limit[usize::from(vl)] = rig.fccl(vl);
            }
            if rng.u8(..16) == 0 {
                let vl = rng.u8(..vls);
                update = Some((vl, neighbour.fctbs[usize::from(vl)]));
            }
            if next.is_none() && came < packets {
                let words = match rng.u8(..4) {
                    0 => rng.u16(5..=1055),
                    1 => rng.u16(1000..=1055),
                    _ => rng.u16(5..60),
                };
                let vl = rng.u8(..vls);
                next = Some((packet(vl, words), vl));
                waited = 0;
            }
            let may = next
                .as_ref()
                .is_some_and(|(bytes, vl)| update.is_none() && neighbour.may(*vl, blocks(bytes)));
            waited += 1;
            assert!(waited < 100_000, "credits stay away");
            if let Some((mut bytes, vl)) = next.take_if(|_| may) {
                let at = usize::from(vl);
                neighbour.fctbs[at] = (neighbour.fctbs[at] + blocks(&bytes)) % 4096;
                let bad = rng.u8(..20) == 0;
                if rng.u8(..20) == 0 {
                    let flipped = rng.usize(8..bytes.len());
                    bytes[flipped] ^= 1 << rng.u8(..8);
                    lost += 1;
                }
                lost += usize::from(bad);
                sent.push_back((bytes.clone(), bad, vl));
                arriving = Some((bytes, bad, 0));
                came += 1;
            }
        }
        let beat = arriving
            .as_ref()
            .filter(|_| rng.u8(..5) > 0)
            .map(|(bytes, bad, at)| {
                let end = bytes.len().min(at + lanes);
                (bytes[*at..end].to_vec(), end == bytes.len(), *bad)
            });
        telling.push_back(update);
        let credit = telling.pop_front().flatten();
        rig.bench.set("credit_update_valid", credit.is_some().into());
        if let Some((vl, fctbs)) = credit {
            rig.bench.set("credit_update_vl", vl.into());
            rig.bench.set("credit_update_fctbs", fctbs.into());
        }
        let ready = !stalled && rng.u8(..4) > 0;
        let offer = beat.as_ref().map(|(bytes, last, bad)| (&bytes[..], *last, *bad));
        let taken = rig.clock(offer, ready);
        assert_eq!(taken, offer.is_some(), "it is always ready");
        if let Some((bytes, bad, at)) = arriving.take_if(|_| taken) {
            if at + lanes < bytes.len() {
                arriving = Some((bytes, bad, at + lanes));
            }
        }
        for out in rig.out.drain(..) {
            let (bytes, bad, _) = sent.pop_front().expect("it was sent");
            assert!(!out.overran, "a packet with credits overran");
            assert_eq!((out.bytes, out.bad), (bytes, bad));
        }
        // The law itself.
        for vl in 0..vls {
            let limit = rig.fccl(vl);
            let promised = limit.wrapping_sub(neighbour.fctbs[usize::from(vl)]) % 4096;
            let free = quota - there(&sent, vl, rig.partly_out());
            assert!(
                promised <= free || promised > 2048,
                "VL {vl}: {promised} of {free}"
            );
        }
    }
    // Once nothing is under way, and the neighbour has said what it sent, all is promised.
    for vl in 0..vls {
        rig.tell(vl, neighbour.fctbs[usize::from(vl)]);
    }
    rig.rest(10, true);
    for vl in 0..vls {
        assert_eq!(rig.fccl(vl), (neighbour.fctbs[usize::from(vl)] + quota) % 4096);
    }
    assert!(lost > packets / 20, "{lost} lost");
}

#[test]
fn two_vls_of_64_bits() {
    let library = library::<ReceiveBuffer<64, 8, 72, 12, 2>>("receive_buffer");
    keeps_the_law(&library, 64, 2, 180, 3000);
}

#[test]
fn four_vls_of_256_bits() {
    let library = library::<ReceiveBuffer<256, 32, 264, 11, 4>>("receive_buffer");
    keeps_the_law(&library, 256, 4, 186, 5000);
}

#[test]
fn eight_vls_of_512_bits() {
    let library = library::<ReceiveBuffer<512, 64, 520, 11, 8>>("receive_buffer");
    keeps_the_law(&library, 512, 8, 189, 10_000);
}
