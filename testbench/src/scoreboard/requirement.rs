//! Finds the rows of the conformance table (`protocol/conformance.csv`) that a run exercises: the situation of a row
//! occurred, and the model judged the device's reaction. Rows that neither a reported decision nor a packet shows are
//! left out.
use crate::trace::dissection::Dissection;
use hca_golden::event::{CommandVerb, DropReason, Event, RewindCause};
use hca_golden::refusal::Reason;
use hca_golden::verbs::{AsyncEvent, HostEvent, QueueSide, Status};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Number of rows.
pub const ROWS: u16 = 549;

/// A set of rows, by number: 5 is CF005.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows([u64; ROWS as usize / 64 + 1]);

impl Rows {
    /// Adds a row.
    pub fn insert(&mut self, row: u16) {
        debug_assert!((1..=ROWS).contains(&row));
        self.0[usize::from(row / 64)] |= 1 << (row % 64);
    }

    fn insert_all(&mut self, rows: &[u16]) {
        rows.iter().for_each(|row| self.insert(*row));
    }

    /// Returns true if the row is in the set.
    pub fn contains(&self, row: u16) -> bool {
        row <= ROWS && self.0[usize::from(row / 64)] >> (row % 64) & 1 == 1
    }

    /// Adds all rows of another set.
    pub fn add(&mut self, others: &Rows) {
        self.0.iter_mut().zip(&others.0).for_each(|(a, b)| *a |= b);
    }

    /// Returns the rows in order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (1..=ROWS).filter(|row| self.contains(*row))
    }

    /// Returns the number of rows in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if there is no row in the set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the rows of a reported decision. `opcode` is that of the packet that it names.
    pub fn decided(&mut self, event: &Event, opcode: Option<u8>) {
        self.insert_all(of_event(event, opcode));
    }

    /// Adds the rows of a packet that the device sent, and that was correct.
    pub fn sent(&mut self, packet: &Dissection) {
        let value = |name| packet.value(name);
        let Some(opcode) = value("BTH.Opcode") else {
            return;
        };
        self.insert_all(&[1, 2, 15, 21]);
        if value("LRH.LNH").is_some() {
            self.insert_all(&[11, 13]);
        }
        if value("GRH.PayLen").is_some() {
            self.insert_all(&[12, 14]);
        }
        if value("BTH.PadCnt").is_some_and(|pad| pad != 0) {
            self.insert(10);
        }
        match opcode {
            0x00..=0x0C | 0x13 | 0x14 | 0x16 | 0x17 => self.request(opcode, packet),
            0x0D..=0x12 => self.response(opcode, packet),
            _ => {}
        }
    }

    fn request(&mut self, opcode: u64, packet: &Dissection) {
        let is_set = |name| packet.value(name) == Some(1);
        self.insert_all(&[154, 155]);
        match opcode {
            0x00 | 0x01 | 0x06 | 0x07 => self.insert(6),
            0x02 | 0x03 | 0x08 | 0x09 | 0x16 => self.insert_all(&[7, 159]),
            0x0C => self.insert_all(&[156, 159, 161]),
            0x13 => self.insert_all(&[159, 161]),
            0x14 => self.insert_all(&[19, 159, 161]),
            _ => self.insert_all(&[8, 159]),
        }
        if matches!(opcode, 0x06..=0x08 | 0x0A) {
            self.insert(161);
        }
        if is_set("BTH.SE") {
            self.insert(160);
        }
        if packet.value("RETH.DMALen").is_some() {
            self.insert(18);
        }
        if matches!(opcode, 0x03 | 0x05 | 0x09 | 0x0B) {
            self.insert(20);
        }
        if opcode == 0x0B {
            self.insert(5);
        }
    }

    fn response(&mut self, opcode: u64, packet: &Dissection) {
        self.insert_all(&[127, 128, 130]);
        match opcode {
            0x0D | 0x0F => self.insert_all(&[139, 140]),
            0x0E => self.insert_all(&[17, 139, 140]),
            0x10 if packet.payload.is_empty() => self.insert_all(&[139, 141]),
            0x10 => self.insert(139),
            0x11 => self.insert(131),
            _ => {}
        }
        if packet.value("GRH.SGID").is_some() {
            self.insert(132);
        }
        match packet.value("AETH.Syndrome") {
            Some(0x1F) => self.insert_all(&[135, 138, 146]),
            Some(0x00..=0x1E) => self.insert_all(&[135, 138, 144, 145]),
            Some(0x20..=0x3F) => self.insert(110),
            Some(_) => self.insert(138),
            None => {}
        }
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rows, D::Error> {
        Ok(Vec::<u16>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl FromIterator<u16> for Rows {
    fn from_iter<I: IntoIterator<Item = u16>>(rows: I) -> Rows {
        let mut all = Rows::default();
        rows.into_iter()
            .filter(|row| (1..=ROWS).contains(row))
            .for_each(|row| all.insert(row));
        all
    }
}

fn of_event(event: &Event, opcode: Option<u8>) -> &'static [u16] {
    match event {
        Event::PacketDropped { reason, .. } => of_drop(*reason, opcode),
        Event::RequestExecuted { .. } => match opcode {
            Some(0x00..=0x02 | 0x04) => &[45, 57, 94, 95],
            Some(0x03 | 0x05 | 0x16 | 0x17) => &[45, 57, 94, 95, 98],
            Some(0x06..=0x08 | 0x0A) => &[45, 57, 99],
            Some(0x09 | 0x0B) => &[45, 57, 100, 101],
            Some(0x0C) => &[45, 57, 58, 102],
            Some(0x13) => &[45, 57, 103],
            Some(0x14) => &[45, 57, 104],
            _ => &[45, 57],
        },
        Event::DuplicateRequest { .. } => match opcode {
            Some(0x00..=0x05 | 0x16 | 0x17) => &[63, 117, 124],
            Some(0x06..=0x0B) => &[63, 118, 124],
            Some(0x0C) => &[63, 119, 124],
            Some(0x13 | 0x14) => &[63, 122, 124],
            _ => &[63, 124],
        },
        Event::RequestRefused { syndrome, .. } => match (*syndrome, opcode) {
            (0x60, _) => &[59, 60, 67],
            (0x61, Some(0x15 | 0x18..=0x1F)) => &[73],
            (0x63, _) => &[91],
            (0x20..=0x3F, Some(0x09 | 0x0B)) => &[107, 108, 110],
            (0x20..=0x3F, _) => &[106, 107, 110],
            _ => &[],
        },
        Event::ResponseAccepted { syndrome, .. } => match (*syndrome, opcode) {
            (_, Some(0x0D..=0x10)) => &[174],
            (_, Some(0x12)) => &[176],
            (0x00..=0x1E, _) => &[168, 194],
            (0x1F, _) => &[168, 206],
            (0x20..=0x3F, _) => &[113],
            (0x60, _) => &[177],
            (0x61, _) => &[178],
            (0x62, _) => &[179],
            (0x63, _) => &[180],
            _ => &[],
        },
        Event::UnsolicitedAck { .. } => &[151, 152],
        Event::ReadRefused { .. } => &[142],
        Event::ReplayDropped { .. } => &[123],
        Event::AckTimerExpired { .. } => &[187],
        Event::Rewound { cause, .. } => match cause {
            RewindCause::SequenceNak => &[177, 191],
            RewindCause::ImpliedNak => &[173, 175],
            RewindCause::RnrWaitOver => &[112, 113, 191],
            RewindCause::AckTimeout => &[186, 191],
        },
        Event::CompletionWritten { side, status, .. } => match (side, status) {
            (QueueSide::Send, Status::Success) => &[192, 251, 254],
            (QueueSide::Receive, Status::Success) => &[96, 97, 251, 254],
            (_, Status::WrFlushErr) => &[240, 254],
            (QueueSide::Send, Status::LocLenErr) => &[184, 254],
            (QueueSide::Send, Status::BadRespErr) => &[185, 254],
            (_, Status::RetryExcErr) => &[189, 254],
            (_, Status::RnrRetryExcErr) => &[114, 254],
            _ => &[254],
        },
        Event::CompletionLost { .. } => &[255],
        Event::Command { verb, refused, .. } => of_command(*verb, *refused),
        Event::CqArmed { .. } => &[261],
        Event::EventWritten(HostEvent::Completion { .. }) => &[256, 262],
        Event::EventWritten(HostEvent::CqError { .. }) => &[255],
        Event::EventWritten(HostEvent::Qp(AsyncEvent::CommunicationEstablished { .. })) => &[105],
        Event::EventWritten(HostEvent::Qp(AsyncEvent::SendQueueDrained { .. })) => &[239],
        Event::EventWritten(HostEvent::Qp(AsyncEvent::ReceiveQueueDry { .. })) => &[539],
        Event::PKeySet { .. } => &[464],
        Event::SlToVlSet { .. } => &[265],
        Event::EventWritten(HostEvent::PortActive { .. } | HostEvent::PortError { .. }) => &[438],
        Event::EventWritten(HostEvent::Violation { .. }) => &[482],
        _ => &[],
    }
}

fn of_drop(reason: DropReason, opcode: Option<u8>) -> &'static [u16] {
    match reason {
        DropReason::Icrc => &[34],
        DropReason::Vcrc => &[35],
        DropReason::LinkVersion => &[39],
        DropReason::TransportVersion => &[40],
        DropReason::DestQp => &[41],
        DropReason::Opcode => &[42],
        DropReason::Dlid => &[46, 284],
        DropReason::Source => &[49],
        DropReason::PKey => &[50],
        DropReason::Grh => &[53],
        DropReason::NetworkHeader => &[54],
        DropReason::Length => &[55],
        DropReason::HeaderIncomplete => &[56],
        DropReason::NakOutstanding => &[61],
        DropReason::DuplicateResponse => &[171],
        DropReason::GhostResponse => &[172],
        DropReason::ReservedSyndrome => &[183],
        DropReason::UnmatchedDuplicate if opcode == Some(0x0C) => &[121],
        DropReason::UnmatchedDuplicate => &[123],
        DropReason::PortState => &[429],
        DropReason::AnswersWait => &[549],
        _ => &[],
    }
}

fn of_command(verb: CommandVerb, refused: Option<Reason>) -> &'static [u16] {
    match (verb, refused) {
        (CommandVerb::CreateCq, None) => &[245],
        (CommandVerb::CreateCq, Some(Reason::BadSize)) => &[246],
        (CommandVerb::ResizeCq, None) => &[248],
        (CommandVerb::ResizeCq, Some(Reason::BadSize)) => &[247],
        (CommandVerb::DestroyCq, Some(Reason::InUse)) => &[249],
        (CommandVerb::ModifyQp, None | Some(Reason::BadTransition)) => &[233],
        (CommandVerb::ModifyQp, Some(Reason::MissingAttribute)) => &[234],
        (_, Some(Reason::CqReserved)) => &[253],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_once_and_in_order() {
        let mut rows = Rows::default();
        assert!(rows.is_empty());
        rows.insert_all(&[286, 5, 64, 5]);
        let mut more: Rows = [63, 5].into_iter().collect();
        more.add(&rows);
        assert_eq!(more.iter().collect::<Vec<_>>(), [5, 63, 64, 286]);
        assert_eq!((rows.len(), more.len()), (3, 4));
        assert!(!rows.contains(63) && !rows.contains(400));
    }

    #[test]
    fn an_ack_and_a_drop_bring_their_rows_up() {
        let mut rows = Rows::default();
        let reason = DropReason::GhostResponse;
        rows.decided(&Event::PacketDropped { packet: 0, reason }, Some(0x11));
        assert_eq!(rows.iter().collect::<Vec<_>>(), [172]);
        let ack = [
            0, 2, 0, 2, 0, 7, 0, 1, 0x11, 0, 0xFF, 0xFF, 0, 0, 0, 0x11, 0, 0, 0, 1, 0x1F, 0, 0, 1, 1, 2, 3,
            4, 5, 6,
        ];
        let mut rows = Rows::default();
        rows.sent(&Dissection::of(&ack));
        assert!(rows.contains(131) && rows.contains(146) && !rows.contains(144));
    }
}
