//! Verbs of multicast groups (`protocol/ud.md` section 4.1).
use super::bus::Job;
use super::effect::Effect;
use super::words::Words;
use super::{Driver, Ticket};
use hca_host::argument::group;
use hca_host::command::{self, multicast};

/// A multicast group of the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Group GID. With RoCEv2 it is an IP address, IPv4 as ::ffff:a.b.c.d.
    pub mgid: [u8; 16],
    /// Group LID; it has no effect with RoCEv2.
    pub mlid: u16,
}

impl Driver {
    /// Attaches a queue pair to a multicast group. Nothing changes if it is already attached.
    pub fn attach(&mut self, qpn: u32, group: &Group) -> Ticket {
        self.group_command(command::ATTACH, qpn, group)
    }

    /// Detaches a queue pair from a multicast group.
    pub fn detach(&mut self, qpn: u32, group: &Group) -> Ticket {
        self.group_command(command::DETACH, qpn, group)
    }

    fn group_command(&mut self, code: u32, qpn: u32, group: &Group) -> Ticket {
        let mut words = Words::default();
        words.put(multicast::QPN, qpn);
        words.put(multicast::MLID, group::MLID.word(group.mlid.into()));
        for (n, bytes) in group.mgid.chunks_exact(4).enumerate() {
            let word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
            words.put(multicast::MGID + n, word);
        }
        self.jobs
            .push(Job::command(code, words.into_arguments(), Effect::Nothing))
    }
}
