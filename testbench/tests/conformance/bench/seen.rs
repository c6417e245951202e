//! What came out of the device since the last look.
use super::{Bench, Transmitted, PEER_QPN};
use hca_golden::event::DropReason;
use hca_golden::port::FIRST;
use hca_golden::verbs::{Completion, Status};
use hca_golden::wire::flow_control::FlowControl;
use hca_testbench::trace::dissection::Dissection;

impl Bench {
    /// The responses that came out since the last look: PSN, syndrome, MSN. Everything else in them is checked.
    pub fn answers(&mut self) -> Vec<(u64, u64, u64)> {
        self.answers_from(2)
    }

    /// [`answers`](Bench::answers) that come from this LID of the port.
    pub fn answers_from(&mut self, slid: u16) -> Vec<(u64, u64, u64)> {
        let packets = std::mem::take(&mut self.packets);
        packets
            .iter()
            .map(|bytes| {
                let d = Dissection::of(bytes);
                let value = |name: &str| d.value(name).unwrap();
                for (name, expected) in [
                    ("BTH.Opcode", 0x11),
                    ("LRH.DLID", 1),
                    ("LRH.SLID", slid.into()),
                    ("LRH.PktLen", 7),
                    ("BTH.A", 0),
                    ("BTH.PadCnt", 0),
                    ("BTH.P_Key", 0xFFFF),
                    ("BTH.DestQP", u64::from(PEER_QPN)),
                ] {
                    assert_eq!(value(name), expected, "{name}");
                }
                (value("BTH.PSN"), value("AETH.Syndrome"), value("AETH.MSN"))
            })
            .collect()
    }

    /// The packets that came out since the last look.
    pub fn packets(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.packets)
    }

    /// The clock cycles of the first and of the last beat of the packets that came out since the last look at this.
    pub fn spans(&mut self) -> Vec<(u64, u64)> {
        std::mem::take(&mut self.spans)
    }

    /// The flow-control packets that came out of the first port since the last look, with the clock cycles in which
    /// they did.
    pub fn link_packets(&mut self) -> Vec<(u64, FlowControl)> {
        self.link_packets_of(FIRST)
    }

    /// The flow-control packets that came out of this port since the last look, with the clock cycles in which they
    /// did.
    pub fn link_packets_of(&mut self, port: u8) -> Vec<(u64, FlowControl)> {
        let all = std::mem::take(&mut self.link_packets);
        let (of_port, others) = all.into_iter().partition(|packet| packet.port == port);
        self.link_packets = others;
        let of_port: Vec<Transmitted> = of_port;
        of_port
            .into_iter()
            .map(|packet| (packet.cycle, FlowControl::decode(&packet.bytes).unwrap()))
            .collect()
    }

    /// The VLs of the packets that came out since the last look at this, in their order; `None` for a flow-control
    /// packet.
    pub fn sequence(&mut self) -> Vec<Option<u8>> {
        std::mem::take(&mut self.sequence)
    }

    /// The requests that came out since the last look: opcode, PSN, payload bytes.
    pub fn requests(&mut self) -> Vec<(u64, u64, usize)> {
        let packets = std::mem::take(&mut self.packets);
        packets
            .iter()
            .map(|bytes| {
                let d = Dissection::of(bytes);
                assert_eq!(d.value("BTH.DestQP"), Some(PEER_QPN.into()));
                (
                    d.value("BTH.Opcode").unwrap(),
                    d.value("BTH.PSN").unwrap(),
                    d.payload.len(),
                )
            })
            .collect()
    }

    /// The QP's completions since the last look: wr_id, status, and bytes, which a failed one does not define.
    pub fn completions(&mut self) -> Vec<(u64, Status, u32)> {
        self.taken()
            .into_iter()
            .map(|c| {
                assert_eq!(c.p_key_index, None);
                let success = c.status == Status::Success;
                (c.wr_id, c.status, if success { c.byte_count } else { 0 })
            })
            .collect()
    }

    /// The QP's completions since the last look, whole.
    pub fn taken(&mut self) -> Vec<Completion> {
        let all = std::mem::take(&mut self.completions);
        let (taken, others) = all.into_iter().partition(|c| c.qpn == self.qpn);
        self.completions = others;
        taken
    }

    /// The QP's completions since the last look, each a success: wr_id and entry of the P_Key table.
    pub fn p_key_indices(&mut self) -> Vec<(u64, Option<u16>)> {
        self.taken()
            .into_iter()
            .map(|c| {
                assert_eq!(c.status, Status::Success);
                (c.wr_id, c.p_key_index)
            })
            .collect()
    }

    /// Packets dropped since the last look, by reason.
    pub fn drops(&mut self) -> Vec<(DropReason, u64)> {
        let drops = self.station.drops().clone();
        let before = std::mem::replace(&mut self.drops, drops.clone());
        let new = |(reason, count): (DropReason, u64)| (reason, count - before.get(&reason).unwrap_or(&0));
        drops
            .into_iter()
            .map(new)
            .filter(|&(_, count)| count > 0)
            .collect()
    }
}
