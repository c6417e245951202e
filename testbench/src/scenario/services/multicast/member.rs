//! A queue pair that joins groups and leaves them, and the copies that it gets.
use super::layout::{mgid, mlid, BUFFERS, COPIES, ENTRIES, GROUPS, MESSAGES, SOURCES, STRIDE};
use super::message::{Message, MTU, OWN_Q_KEY};
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::scenario::region::L_KEY;
use crate::scenario::services::layout::{is_received, qpn_of, split, RECEIVE};
use crate::scenario::services::setup::{q_key, AREA};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, Datagram, ReceiveRequest, SendOperation, SendRequest, Sge, Status};
use hca_golden::wire::multicast::DEST_QP;
use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;

/// Length of a payload for which a short receive buffer has room, and of any other.
const SHORT: u32 = 64;
const ROOM: u32 = 4096;

/// How well copies are supplied with receive WQEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Supply {
    /// There is a WQE for every copy.
    Ample,
    /// There are WQEs for half of the copies.
    Scarce,
    /// There are WQEs, but their buffers are too small for most copies.
    Short,
}

/// A queue pair, its memberships, and what it has got in this round.
pub struct Member {
    pub side: Side,
    pub n: u32,
    /// Number of its Q_Key, of the two that are used.
    pub key: u32,
    supply: Supply,
    groups: [bool; GROUPS as usize],
    /// Number of receive WQEs posted in all rounds, and number of those that are not used up.
    posted: u32,
    waiting: u32,
    /// Number of receive WQEs that waited when the round began.
    ready: u32,
    /// True if the link may lose and repeat packets in this round.
    faulty: bool,
    /// Messages of this round that have come, as indices into the list, in order.
    copies: Vec<usize>,
    /// Requests of this round that have completed.
    sent: Vec<u64>,
}

impl Member {
    pub fn random(random: &mut ChaCha8Rng, side: Side, n: u32) -> Member {
        Member {
            side,
            n,
            key: n % 2,
            supply: match random.next_u32() % 6 {
                0 => Supply::Scarce,
                1 => Supply::Short,
                _ => Supply::Ample,
            },
            groups: [false; GROUPS as usize],
            posted: 0,
            waiting: 0,
            ready: 0,
            faulty: false,
            copies: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Draws message `m` of a queue pair in a round, for any group.
    pub fn message(&self, random: &mut ChaCha8Rng, m: u32) -> Message {
        let length = match random.next_u32() % 8 {
            0 => random.next_u32() % 4,
            1..=3 => random.next_u32() % 65,
            4..=6 => random.next_u32() % 1100,
            // Few are longer than a packet, and are not sent.
            _ => random.next_u32() % (MTU + 400),
        };
        let mut bytes = vec![0; length as usize];
        random.fill_bytes(&mut bytes);
        let group = random.next_u32() % GROUPS;
        let key = random.next_u32() % 2;
        let own = key == self.key && random.next_u32().is_multiple_of(2);
        let operation = match random.next_u32() % 2 {
            0 => SendOperation::Send,
            _ => SendOperation::SendWithImmediate {
                immediate: random.next_u32().to_be_bytes(),
            },
        };
        let place = SOURCES + u64::from(self.n * MESSAGES + m) * STRIDE;
        Message {
            from: self.side,
            qpn: self.qpn(),
            group,
            key,
            request: SendRequest {
                wr_id: m.into(),
                operation,
                sges: split(random, place, length),
                signaled: !random.next_u32().is_multiple_of(4),
                solicited: random.next_u32().is_multiple_of(2),
                inline: length <= 256 && random.next_u32().is_multiple_of(4),
                datagram: Some(Datagram {
                    handle: group,
                    dest_qpn: DEST_QP,
                    q_key: if own { OWN_Q_KEY } else { q_key(key) },
                    p_key_index: 0,
                }),
                ..SendRequest::default()
            },
            bytes,
        }
    }

    pub fn qpn(&self) -> u32 {
        qpn_of(self.side, self.n)
    }

    /// Returns the verbs that join groups and leave others.
    pub fn regroup(&mut self, link: Link, random: &mut ChaCha8Rng) -> Vec<Verb> {
        let qpn = self.qpn();
        let mut verbs = Vec::new();
        for (group, joined) in (0..).zip(&mut self.groups) {
            if random.next_u32() % 5 >= 2 {
                continue;
            }
            *joined = !*joined;
            let (mgid, mlid) = (mgid(link, group), mlid(link, group));
            verbs.push(match joined {
                true => Verb::Attach { qpn, mgid, mlid },
                false => Verb::Detach { qpn, mgid, mlid },
            });
        }
        verbs
    }

    /// Returns true if a copy of the message goes to this queue pair, provided that it has a WQE (`ud.md` section 3.1
    /// steps 10 and 13).
    fn gets(&self, message: &Message) -> bool {
        self.groups[message.group as usize]
            && self.qpn() != message.qpn
            && self.key == message.key
            && message.is_sent()
            && message.length() <= self.room()
    }

    fn room(&self) -> u32 {
        match self.supply {
            Supply::Short => SHORT,
            _ => ROOM,
        }
    }

    /// Posts receive WQEs for a round. `faulty` says that the link may repeat packets.
    pub fn prepare(&mut self, fabric: &mut Fabric<'_>, messages: &[Message], faulty: bool) {
        self.copies.clear();
        self.sent.clear();
        self.faulty = faulty;
        let all = messages.iter().filter(|message| self.gets(message)).count() as u32;
        assert!(all <= COPIES, "{all} copies for a queue pair");
        let wanted = match (self.supply, faulty) {
            (Supply::Scarce, _) => all / 2,
            (_, true) => 2 * all,
            (_, false) => all,
        };
        while self.waiting < wanted {
            let request = ReceiveRequest {
                wr_id: RECEIVE | u64::from(self.posted),
                sges: vec![Sge {
                    addr: self.buffer(self.posted.into()),
                    length: AREA + self.room(),
                    l_key: L_KEY,
                }],
            };
            let qpn = self.qpn();
            fabric
                .station(self.side)
                .submit(Verb::PostReceive { qpn, request });
            self.posted += 1;
            self.waiting += 1;
        }
        self.ready = self.waiting;
    }

    /// Returns the place of the buffer of a receive WQE by the number with which it was posted.
    fn buffer(&self, number: u64) -> u64 {
        BUFFERS + (u64::from(self.n * ENTRIES) + number % u64::from(ENTRIES)) * STRIDE
    }

    /// Takes a completion of this queue pair.
    pub fn complete(
        &mut self,
        fabric: &mut Fabric<'_>,
        messages: &[Message],
        completion: &Completion,
    ) -> Result<(), Stop> {
        fabric.expect("status of a completion", Status::Success, completion.status)?;
        if !is_received(completion) {
            self.sent.push(completion.wr_id);
            return Ok(());
        }
        self.waiting -= 1;
        let buffer = self.buffer(completion.wr_id & !RECEIVE);
        let source = completion.datagram.map(|source| source.qpn);
        let own = messages.iter().enumerate();
        let mut of_sender = own.filter(|(_, message)| source == Some(message.qpn) && self.gets(message));
        let found = of_sender.find(|(at, message)| {
            // Only a faulty link may bring a message again, which the end of the round checks. Another message may have
            // the same bytes.
            let last = self
                .copies
                .iter()
                .rev()
                .find(|of| messages[**of].qpn == message.qpn);
            let may_repeat = self.faulty && message.from != self.side;
            let late = !may_repeat && last.is_some_and(|last| at <= last);
            !late && message.is_copied_by(fabric, self.side, completion, buffer)
        });
        match found {
            Some((at, _)) => {
                self.copies.push(at);
                Ok(())
            }
            None => {
                let field = format!("a message for a group of QP {:06X}h", self.qpn());
                fabric.expect(&field, true, false)
            }
        }
    }

    /// Checks that every copy has come for which there was a WQE. The link may lose others, but not copies of the
    /// port's own messages.
    pub fn check(&self, fabric: &Fabric<'_>, messages: &[Message]) -> Result<(), Stop> {
        let qpn = self.qpn();
        let signaled = messages.iter().filter(|m| m.qpn == qpn && m.request.signaled);
        let expected: Vec<u64> = signaled.map(|m| m.request.wr_id).collect();
        fabric.expect(
            &format!("completions of the send queue of QP {qpn:06X}h"),
            expected,
            self.sent.clone(),
        )?;
        let mine = |at: &usize| messages[*at].from == self.side;
        let all: Vec<usize> = (0..messages.len())
            .filter(|at| self.gets(&messages[*at]))
            .collect();
        let by_sender = |copies: &[usize]| {
            let mut sorted = copies.to_vec();
            // The sort is stable, so that the order of each sender stays.
            sorted.sort_by_key(|at| messages[*at].qpn);
            sorted
        };
        match (self.supply, self.faulty) {
            (Supply::Scarce, false) => {
                let got = all.len().min(self.ready as usize);
                fabric.expect(&format!("copies for QP {qpn:06X}h"), got, self.copies.len())?;
                let mut once = by_sender(&self.copies);
                once.dedup();
                fabric.expect(
                    &format!("copies that come once to QP {qpn:06X}h"),
                    self.copies.len(),
                    once.len(),
                )
            }
            (Supply::Scarce, true) => Ok(()),
            (_, false) => fabric.expect(
                &format!("copies for QP {qpn:06X}h, those of each sender in order"),
                by_sender(&all),
                by_sender(&self.copies),
            ),
            (_, true) => {
                let only = |copies: &[usize]| copies.iter().copied().filter(mine).collect::<Vec<_>>();
                fabric.expect(
                    &format!("copies of the port's own packets for QP {qpn:06X}h"),
                    by_sender(&only(&all)),
                    by_sender(&only(&self.copies)),
                )
            }
        }
    }
}
