//! Commands and packets in any order, against sets.
use crate::header::Header;
use crate::rig::{Fate, Rig};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

const GROUPS: usize = 8;
const MEMBERS: usize = 16;

#[test]
fn copies_go_to_whoever_is_attached() {
    let mut rig = Rig::native();
    let mut rng = Rng::with_seed(0x6A0B);
    // By the last byte of the MGID: LID and members.
    let mut groups: BTreeMap<u8, (u16, BTreeSet<u32>)> = BTreeMap::new();
    let mut own_packets = 0;
    let mut copies = 0;
    for _ in 0..2500 {
        let last = rng.u8(..11);
        // LIDs that differ in one bit, and queue pairs whose numbers differ in any.
        let mlid = if rng.u8(..4) == 0 {
            0xC000 | 1 << rng.u8(..14)
        } else {
            0xC000
        };
        let qpn = (0x53_97C5 * (1 + rng.u32(..20))) & 0xFF_FFFF;
        let mgid = 0xFF02 << 112 | u128::from(last);
        let known = groups.get(&last).filter(|(lid, _)| *lid == mlid);
        let members = known.map(|(_, members)| members.clone()).unwrap_or_default();
        match rng.u8(..4) {
            0 | 1 => {
                let facts = rig.attach(qpn, mgid, mlid);
                assert_eq!(facts.elsewhere, groups.contains_key(&last) && known.is_none());
                assert_eq!(facts.member, members.contains(&qpn));
                let full = match known {
                    Some(_) => members.len() == MEMBERS,
                    None => groups.len() == GROUPS,
                };
                assert_eq!(facts.full, full);
                if !facts.elsewhere && !full {
                    let group = groups.entry(last).or_insert((mlid, BTreeSet::new()));
                    group.1.insert(qpn);
                }
            }
            2 => {
                assert_eq!(rig.detach(qpn, mgid, mlid).member, members.contains(&qpn));
                if members.contains(&qpn) {
                    let group = groups.get_mut(&last).expect("it has a member");
                    group.1.remove(&qpn);
                    if group.1.is_empty() {
                        groups.remove(&last);
                    }
                }
            }
            _ => {
                let own = rng.bool();
                let header = Header {
                    own,
                    source_qp: qpn,
                    ..Header::to(mgid, mlid, 0)
                };
                let passed = rig.pass(&header);
                let receivers: BTreeSet<u32> = members.into_iter().filter(|m| !own || *m != qpn).collect();
                if receivers.is_empty() {
                    let reason = if own { 0 } else { 30 };
                    assert_eq!(passed.len(), 1);
                    assert_eq!(passed[0].fate, Fate::Refused(reason));
                    continue;
                }
                let number = if own { 1 << 31 | own_packets } else { 5 };
                own_packets += u32::from(own);
                assert!(passed.iter().all(|p| p.packet == number));
                let got: BTreeSet<u32> = passed.iter().map(|p| p.dest_qp).collect();
                assert_eq!((got, passed.len()), (receivers.clone(), receivers.len()));
                for (n, copy) in passed.iter().enumerate() {
                    let keeps = n + 1 < passed.len();
                    assert_eq!(copy.fate, Fate::Copy { keeps });
                    copies += 1;
                }
            }
        }
    }
    assert!(
        copies > 1000 && own_packets > 50,
        "{copies} copies, {own_packets} own packets"
    );
}
