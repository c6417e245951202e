//! Packets that seem to be left out of a replay and may only have been overtaken.

/// Largest number of findings that are remembered. Older ones stand.
const FOUND: usize = 64;

/// What was found since a packet came late.
#[derive(Clone, Debug, Default)]
pub(super) struct Overtaken {
    /// The first PSN that the latest replay left out, and the packet that showed it.
    pub(super) left_out: Option<(u32, u64)>,
    /// The PSN of a packet that came behind others, and the first packet that may be judged wrong because of it.
    pub(super) late: Option<(u32, u64)>,
    /// Packets that seemed to leave out others.
    pub(super) found: Vec<u64>,
}

impl Overtaken {
    /// Notes that a replay continues with this packet, and leaves out others from this PSN on.
    pub fn leaves_out(&mut self, psn: u32, packet: u64) {
        self.left_out = Some((psn, packet));
        if self.found.len() == FOUND {
            self.found.remove(0);
        }
        self.found.push(packet);
    }

    /// Notes that the packet of this PSN comes for the first time, after its NAK.
    pub fn fills(&mut self, psn: u32, packet: u64) {
        self.late = Some((psn, packet));
    }
}
