//! Another QP of Y that exchanges messages with the peer, whatever becomes of the one that a case is about.
use super::peer::{response_packet, to};
use super::requester::{all_rights, decoded, work, SEND};
use super::{request, Bench};
use hca_golden::verbs::{QpAttributes, Status};
use hca_golden::wire::packet::Packet;

/// Its QPN, and the peer's.
pub const NEIGHBOUR: u32 = 0x00_0C05;
const PEER_OF_NEIGHBOUR: u32 = 0x00_0D06;
/// Where its messages go in the buffer.
const OFFSET: u64 = 0x700;
const BYTES: usize = 24;

/// The neighbour: message `n` has PSN 2000 + `n` from Y and 100 + `n` to Y.
#[derive(Default)]
pub struct Neighbour {
    exchanged: u32,
}

impl Neighbour {
    /// Makes it, and takes it to RTS.
    pub fn connected(y: &mut Bench) -> Neighbour {
        let was = y.qpn;
        y.create_another(&QpAttributes {
            qpn: NEIGHBOUR,
            dest_qpn: PEER_OF_NEIGHBOUR,
            ..all_rights()
        });
        y.enter_rts();
        y.post_receive(900, OFFSET, BYTES as u32);
        y.turn_to(was);
        Neighbour::default()
    }

    /// A message each way begins.
    pub fn begin(&mut self, y: &mut Bench) {
        let was = y.qpn;
        y.turn_to(NEIGHBOUR);
        y.post(work(901, SEND, BYTES as u32));
        let n = self.exchanged;
        let message = request(0x04, 100 + n, &[n as u8 + 1; BYTES]);
        y.arrive(to(NEIGHBOUR, message).encode().unwrap());
        y.turn_to(was);
    }

    /// Both messages come through. Gives the packets that are not the neighbour's.
    pub fn end(&mut self, y: &mut Bench) -> Vec<Packet> {
        y.settle();
        let packets: Vec<Packet> = y.packets().iter().map(|bytes| decoded(bytes)).collect();
        let (its, others): (Vec<_>, Vec<_>) = packets
            .into_iter()
            .partition(|p| p.bth.dest_qp == PEER_OF_NEIGHBOUR);
        let mut rows: Vec<_> = its.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect();
        rows.sort_unstable();
        let n = self.exchanged;
        assert_eq!(rows, [(0x04, 2000 + n), (0x11, 100 + n)]);
        y.arrive(
            to(NEIGHBOUR, response_packet(2000 + n, 0x1F, n + 1))
                .encode()
                .unwrap(),
        );
        y.settle();
        let was = y.qpn;
        y.turn_to(NEIGHBOUR);
        let mut completions = y.completions();
        completions.sort_unstable_by_key(|c| c.0);
        let success = |wr_id, bytes| (wr_id, Status::Success, bytes);
        assert_eq!(completions, [success(900, BYTES as u32), success(901, 0)]);
        y.post_receive(900, OFFSET, BYTES as u32);
        y.turn_to(was);
        assert_eq!(y.buffer(OFFSET, BYTES), [n as u8 + 1; BYTES]);
        self.exchanged += 1;
        others
    }

    /// A message each way while nothing else happens.
    pub fn exchange(&mut self, y: &mut Bench) {
        self.begin(y);
        assert_eq!(self.end(y), []);
    }
}
