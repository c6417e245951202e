//! Q_Keys of datagrams, as far as a capture shows them (`protocol/ud.md`). No packet names the Q_Key that a queue pair
//! expects. One with bit 31 set shows that of the queue pair which sent it: only a queue pair's own key has the bit
//! (section 2). QP1 has a fixed one, and QP0 takes every key (`special_qps.md` section 1). Nothing forbids a sender a
//! wrong key, which the receiver drops, and a queue pair's key may be changed by a verb; so most is counted, and is no
//! finding.
use super::finding::Rule;
use super::flow::{Address, Flow, Tenant};
use super::found::Findings;
use std::collections::HashMap;

/// Q_Key of QP1, and the bit of keys that only a queue pair itself may have (`special_qps.md` section 1).
const QP1_Q_KEY: u32 = 0x8001_0000;
const OWN: u32 = 1 << 31;

/// A queue pair, or a group, by the address in the packets of its port.
type End = (Tenant, Address, u32);

/// The keys that a queue pair or a group has shown.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// The latest key with bit 31 set that the queue pair sent.
    own: Option<u32>,
    /// The key of the latest datagram to it.
    latest: Option<u32>,
}

/// The keys of all queue pairs, and how many datagrams could not be judged by them.
#[derive(Clone, Debug, Default)]
pub(super) struct QKeys {
    ends: HashMap<End, Shown>,
    /// Number of datagrams to queue pairs whose keys the capture has not shown.
    pub unknown: u64,
    /// Datagrams among those with another key than the datagram before to the same queue pair.
    pub differing: u64,
    /// Number of datagrams with another key than the one that their queue pair has shown.
    pub refused: u64,
    /// Number of datagrams with bit 31 set in whose key their sender had shown another such key before.
    pub changed: u64,
}

impl QKeys {
    /// Takes a datagram from queue pair `src_qp`.
    pub fn datagram(&mut self, flow: &Flow, src_qp: u32, q_key: u32, findings: &mut Findings<'_>) {
        let Flow {
            tenant,
            from,
            to,
            dest_qp,
        } = *flow;
        match dest_qp {
            0 => {}
            1 if q_key != QP1_Q_KEY => findings.add(Rule::Qp1QKey, format!("Q_Key {q_key:08X}h")),
            1 => {}
            _ => self.received((tenant, to, dest_qp), q_key),
        }
        match (src_qp, q_key & OWN) {
            (_, 0) | (0, _) => {}
            (1, _) if q_key != QP1_Q_KEY => {
                findings.add(Rule::OwnQKey, format!("QP1 sends Q_Key {q_key:08X}h"));
            }
            (1, _) => {}
            _ => self.sent((tenant, from, src_qp), q_key),
        }
    }

    /// Takes the key of a datagram to this queue pair.
    fn received(&mut self, to: End, q_key: u32) {
        let shown = self.ends.entry(to).or_default();
        let before = shown.latest.replace(q_key);
        match shown.own {
            Some(own) => self.refused += u64::from(own != q_key),
            None => {
                self.unknown += 1;
                self.differing += u64::from(before.is_some_and(|before| before != q_key));
            }
        }
    }

    /// Takes a key with bit 31 set, which is the own one of the queue pair that sent it.
    fn sent(&mut self, from: End, q_key: u32) {
        let before = self.ends.entry(from).or_default().own.replace(q_key);
        self.changed += u64::from(before.is_some_and(|before| before != q_key));
    }
}
