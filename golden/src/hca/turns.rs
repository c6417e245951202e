//! Which of the packets that wait at a native port with flow control starts next (`link.md` section 6).
use super::lanes::charge;
use super::Port;
use crate::arbitration::Arbitration;
use crate::decision::arbitration::{choose, Eligible, Turns};
use crate::wire::lrh::MANAGEMENT_VL;

impl Port {
    /// Sets the arbitration of the port. The turns of both tables begin anew with the next packet that starts.
    pub fn set_arbitration(&mut self, arbitration: &Arbitration) {
        self.config.arbitration = *arbitration;
        self.turns = Turns::begin(arbitration);
    }

    /// Returns the place of the packet that starts next, and the turns after it. The packets wait in the order of
    /// hand-over. Without flow control the first of them starts. With it, SMPs go first (CF282), then the data VLs take
    /// turns.
    pub fn next_to_start<'a>(
        &self,
        waiting: impl IntoIterator<Item = &'a Vec<u8>> + Copy,
    ) -> Option<(usize, Turns)> {
        let is_first = |bytes: &Vec<u8>| !self.is_flow_controlled() || charge(bytes).is_none();
        let first = waiting.into_iter().position(is_first);
        let first = first.map(|place| (place, self.turns));
        first.or_else(|| self.next_by_tables(waiting))
    }

    /// Chooses among the first packets of the data VLs that have credits (CF268).
    fn next_by_tables<'a>(&self, waiting: impl IntoIterator<Item = &'a Vec<u8>>) -> Option<(usize, Turns)> {
        let mut eligible = Eligible::default();
        let mut places = [None; MANAGEMENT_VL as usize];
        for (place, bytes) in waiting.into_iter().enumerate() {
            let Some((vl, blocks)) = charge(bytes).filter(|(vl, _)| places[*vl].is_none()) else {
                continue;
            };
            places[vl] = Some(place);
            eligible[vl] = self.may_start(bytes).then_some(blocks);
        }
        let (vl, turns) = choose(
            &self.config.arbitration, self.config.data_vls, self.turns, &eligible,
        )?;
        Some((places[usize::from(vl)]?, turns))
    }

    /// Notes that the packet that these turns follow starts.
    pub fn take_turn(&mut self, turns: Turns) {
        self.turns = turns;
    }

    /// Returns true if the port has a turn for this packet: it is an SMP, or its VL has an entry in a table, or there
    /// is no flow control.
    pub fn is_served(&self, bytes: &[u8]) -> bool {
        let serves = |(vl, _): (usize, u16)| self.config.arbitration.serves(vl as u8);
        !self.is_flow_controlled() || charge(bytes).is_none_or(serves)
    }
}
