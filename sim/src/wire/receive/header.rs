//! The decoded header record.

/// Width of the header port in bits.
pub(super) const HEADER_BITS: u32 = 1019;

/// The fields of a received packet (`hca_rtl::wire::RxHeader`), without those that serve multicast only. The fields of
/// absent headers are 0. Addresses are in wire order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Number of the packet, in the order of arrival.
    pub packet: u32,
    pub slid: u16,
    pub dlid: u16,
    pub sl: u8,
    pub has_grh: bool,
    pub ipv4: bool,
    pub traffic_class: u8,
    pub flow_label: u32,
    pub hop_limit: u8,
    pub sgid: [u8; 16],
    pub dgid: [u8; 16],
    pub source_mac: [u8; 6],
    pub source_port: u16,
    pub opcode: u8,
    pub solicited: bool,
    pub migrated: bool,
    pub fecn: bool,
    pub becn: bool,
    pub p_key: u16,
    pub dest_qp: u32,
    pub ack_req: bool,
    pub psn: u32,
    pub ee_context: u32,
    pub q_key: u32,
    pub source_qp: u32,
    pub va: u64,
    pub r_key: u32,
    pub dma_len: u32,
    pub swap_add: u64,
    pub compare: u64,
    pub syndrome: u8,
    pub msn: u32,
    pub original: u64,
    pub immediate: u32,
    /// Length of the payload in bytes.
    pub payload: u16,
}

impl Header {
    /// Decodes the port's bytes, lowest first.
    pub(super) fn from_bits(port: &[u8]) -> Header {
        let mut bits = Bits { port, at: 0 };
        Header {
            packet: bits.take(32) as u32,
            slid: bits.take(16) as u16,
            dlid: bits.take(16) as u16,
            sl: bits.take(4) as u8,
            has_grh: bits.flag(),
            ipv4: bits.flag(),
            traffic_class: bits.take(8) as u8,
            flow_label: bits.take(20) as u32,
            hop_limit: bits.take(8) as u8,
            sgid: bits.address(),
            dgid: bits.address(),
            source_mac: bits.address(),
            source_port: bits.take(16) as u16,
            opcode: bits.take(8) as u8,
            solicited: bits.flag(),
            migrated: bits.flag(),
            fecn: bits.flag(),
            becn: bits.flag(),
            p_key: bits.take(16) as u16,
            dest_qp: bits.take(24) as u32,
            ack_req: bits.flag(),
            psn: bits.take(24) as u32,
            ee_context: bits.take(24) as u32,
            q_key: bits.take(32) as u32,
            source_qp: bits.take(24) as u32,
            va: bits.take(64),
            r_key: bits.take(32) as u32,
            dma_len: bits.take(32) as u32,
            swap_add: bits.take(64),
            compare: bits.take(64),
            syndrome: bits.take(8) as u8,
            msn: bits.take(24) as u32,
            original: bits.take(64),
            immediate: bits.take(32) as u32,
            payload: bits.take(13) as u16,
        }
    }
}

/// Reads fields from the least significant end up.
struct Bits<'a> {
    port: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, width: usize) -> u64 {
        let bit = |at: usize| u64::from(self.port[at / 8] >> (at % 8) & 1);
        let value = (0..width).fold(0, |value, i| value | bit(self.at + i) << i);
        self.at += width;
        value
    }

    fn flag(&mut self) -> bool {
        self.take(1) == 1
    }

    /// Reads an address. Its first byte is at the most significant end.
    fn address<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        for byte in bytes.iter_mut().rev() {
            *byte = self.take(8) as u8;
        }
        bytes
    }
}
