//! The header input of the packet builder.

/// The fields of `hca_rtl::wire::TxHeader`, except the payload's length. Addresses are in wire order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub dlid: u16,
    pub slid: u16,
    /// Service level, 4 bits.
    pub sl: u8,
    /// Virtual lane, 4 bits.
    pub vl: u8,
    pub has_grh: bool,
    pub ipv4: bool,
    pub traffic_class: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    pub hop_limit: u8,
    pub sgid: [u8; 16],
    pub dgid: [u8; 16],
    pub dest_mac: [u8; 6],
    pub source_mac: [u8; 6],
    pub source_port: u16,
    pub opcode: u8,
    pub solicited: bool,
    pub migrated: bool,
    pub p_key: u16,
    /// Destination QP, 24 bits.
    pub dest_qp: u32,
    pub ack_req: bool,
    /// PSN, 24 bits.
    pub psn: u32,
    /// End-to-end context, 24 bits.
    pub ee_context: u32,
    pub q_key: u32,
    /// Source QP, 24 bits.
    pub source_qp: u32,
    pub va: u64,
    pub r_key: u32,
    pub dma_len: u32,
    pub swap_add: u64,
    pub compare: u64,
    pub syndrome: u8,
    /// MSN, 24 bits.
    pub msn: u32,
    pub original: u64,
    pub immediate: u32,
}

/// Number of bits of the port.
pub(super) const BITS: u32 = 998;

impl Header {
    /// Returns the port's value for this many bytes of payload, least significant byte first.
    pub(super) fn port(&self, payload: usize) -> Vec<u8> {
        let mut port = Vector(vec![0; BITS.div_ceil(8) as usize], 0);
        for (bits, value) in self.fields(payload) {
            port.push(bits, value);
        }
        port.0
    }

    /// Returns width and value of each field, least significant first.
    fn fields(&self, payload: usize) -> [(u32, u128); 34] {
        let mac = |address: &[u8; 6]| address.iter().fold(0, |mac, byte| mac << 8 | u128::from(*byte));
        [
            (16, self.dlid.into()),
            (16, self.slid.into()),
            (4, self.sl.into()),
            (4, self.vl.into()),
            (1, self.has_grh.into()),
            (1, self.ipv4.into()),
            (8, self.traffic_class.into()),
            (20, self.flow_label.into()),
            (8, self.hop_limit.into()),
            (128, u128::from_be_bytes(self.sgid)),
            (128, u128::from_be_bytes(self.dgid)),
            (48, mac(&self.dest_mac)),
            (48, mac(&self.source_mac)),
            (16, self.source_port.into()),
            (8, self.opcode.into()),
            (1, self.solicited.into()),
            (1, self.migrated.into()),
            (16, self.p_key.into()),
            (24, self.dest_qp.into()),
            (1, self.ack_req.into()),
            (24, self.psn.into()),
            (24, self.ee_context.into()),
            (32, self.q_key.into()),
            (24, self.source_qp.into()),
            (64, self.va.into()),
            (32, self.r_key.into()),
            (32, self.dma_len.into()),
            (64, self.swap_add.into()),
            (64, self.compare.into()),
            (8, self.syndrome.into()),
            (24, self.msn.into()),
            (64, self.original.into()),
            (32, self.immediate.into()),
            (13, payload as u128),
        ]
    }
}

/// A bit vector under construction: its bits so far, and their number.
struct Vector(Vec<u8>, u32);

impl Vector {
    fn push(&mut self, bits: u32, value: u128) {
        for bit in (0..bits).filter(|bit| value >> bit & 1 == 1) {
            let at = self.1 + bit;
            self.0[at as usize / 8] |= 1 << (at % 8);
        }
        self.1 += bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_fill_the_port() {
        let widths = Header::default().fields(0).map(|(bits, _)| bits);
        assert_eq!(widths.iter().sum::<u32>(), BITS);
    }
}
