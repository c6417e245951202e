//! A packet as the engines hand it over, and what it is on the wire.
use crate::bench::Bench;
use hca_sim::wire::transmit::Header;

pub const KIND_REQUEST: u8 = 0;
pub const KIND_READ_RESPONSE: u8 = 1;
pub const KIND_ATOMIC_ACK: u8 = 2;
pub const KIND_ACK: u8 = 3;

/// The port's GID and MAC.
pub const SGID: [u8; 16] = [0xFE, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
pub const SOURCE_MAC: [u8; 6] = [2, 0, 0x5E, 1, 2, 3];

/// The port's P_Key table, as its register port has it.
pub const P_KEYS: [u16; 4] = [0xFFFF, 0x9234, 0x1235, 0xABCD];
pub const TABLE: u64 = 0xABCD_1235_9234_FFFF;

/// The network part of an address, as `MODIFY_QP` gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    pub has_grh: bool,
    pub flow_label: u32,
    pub sgid_index: u8,
    pub hop_limit: u8,
    pub traffic_class: u8,
    pub dgid: [u8; 16],
}

impl Route {
    pub fn any(rng: &mut fastrand::Rng) -> Route {
        Route {
            has_grh: rng.bool(),
            flow_label: rng.u32(..1 << 20),
            sgid_index: rng.u8(..4),
            hop_limit: rng.u8(..),
            traffic_class: rng.u8(..),
            dgid: std::array::from_fn(|_| rng.u8(..)),
        }
    }

    /// Arguments 14 to 21, 32 bits each, the first at the most significant end.
    pub fn row(&self) -> Vec<u8> {
        let mut row = [0; 32];
        let flow = self.flow_label | u32::from(self.sgid_index) << 20 | u32::from(self.has_grh) << 31;
        row[0..4].copy_from_slice(&flow.to_be_bytes());
        row[6] = self.traffic_class;
        row[7] = self.hop_limit;
        row[8..24].copy_from_slice(&self.dgid);
        row.reverse();
        row.to_vec()
    }
}

/// A `TransmitPacket` with the pieces of its payload.
#[derive(Clone, Debug)]
pub struct Packet {
    pub kind: u8,
    pub last: bool,
    pub qpn: u32,
    /// Index of the header's P_Key in [`P_KEYS`].
    pub p_key_index: u8,
    pub header: Header,
    /// (address, bytes).
    pub pieces: Vec<(u64, usize)>,
}

impl Packet {
    /// A packet of this kind and QP, its other fields random.
    pub fn any(rng: &mut fastrand::Rng, kind: u8, qpn: u32, psn: u32, payload: bool) -> Packet {
        let opcode = match (kind, payload) {
            (KIND_REQUEST, true) => *rng.choice(&[0, 4, 6, 0x0A, 0x0B, 0x17]).unwrap_or(&0),
            (KIND_REQUEST, false) => *rng.choice(&[0x0C, 0x13, 0x14, 4]).unwrap_or(&4),
            (KIND_READ_RESPONSE, _) => *rng.choice(&[0x0D, 0x0E, 0x10]).unwrap_or(&0x10),
            (KIND_ATOMIC_ACK, _) => 0x12,
            _ => 0x11,
        };
        let p_key_index = rng.u8(..4);
        let header = Header {
            dlid: rng.u16(..),
            slid: rng.u16(..),
            sl: rng.u8(..16),
            opcode,
            solicited: rng.bool(),
            p_key: P_KEYS[usize::from(p_key_index)],
            dest_qp: rng.u32(..1 << 24),
            ack_req: rng.bool(),
            psn,
            va: rng.u64(..),
            r_key: rng.u32(..),
            dma_len: rng.u32(..),
            swap_add: rng.u64(..),
            compare: rng.u64(..),
            syndrome: rng.u8(..),
            msn: rng.u32(..1 << 24),
            original: rng.u64(..),
            immediate: rng.u32(..),
            ..Header::default()
        };
        let count = if payload { rng.usize(1..=4) } else { 0 };
        let longest = *rng.choice(&[3, 80, 600]).unwrap_or(&3);
        let pieces = (0..count)
            .map(|_| (rng.u64(..1 << 40), rng.usize(1..=longest)))
            .collect();
        Packet {
            kind,
            last: rng.bool(),
            qpn,
            p_key_index,
            header,
            pieces,
        }
    }

    pub fn payload(&self) -> usize {
        self.pieces.iter().map(|(_, length)| length).sum()
    }

    /// Sets the port `name` to it.
    pub fn drive(&self, bench: &mut Bench, name: &str) {
        let h = &self.header;
        let (va, r_key, swap_add) = self.extension();
        let fields: [(u32, u64); 17] = [
            (2, self.kind.into()),
            (1, self.last.into()),
            (24, self.qpn.into()),
            (16, h.dlid.into()),
            (16, h.slid.into()),
            (4, h.sl.into()),
            (8, h.opcode.into()),
            (1, h.solicited.into()),
            (2, self.p_key_index.into()),
            (24, h.dest_qp.into()),
            (1, h.ack_req.into()),
            (24, h.psn.into()),
            (64, va),
            (32, r_key.into()),
            (64, swap_add),
            (64, h.compare),
            (13, self.payload() as u64),
        ];
        let bits: Vec<bool> = fields
            .iter()
            .flat_map(|(width, value)| (0..*width).map(move |bit| value >> bit & 1 == 1))
            .collect();
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        let bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
        bench.set_bytes(name, &bytes);
    }

    /// VA or original, R_Key or AETH, swap or add data or DMA length and immediate.
    fn extension(&self) -> (u64, u32, u64) {
        let h = &self.header;
        let (va, r_key) = match self.kind {
            KIND_REQUEST => (h.va, h.r_key),
            _ => (h.original, u32::from(h.syndrome) << 24 | h.msn),
        };
        let swap_add = match h.opcode {
            0x13 | 0x14 => h.swap_add,
            _ => u64::from(h.dma_len) << 32 | u64::from(h.immediate),
        };
        (va, r_key, swap_add)
    }

    /// What the builder gets by way of this route: each extension header of which the packet may be.
    pub fn routed(&self, route: &Route) -> Header {
        let (va, r_key, swap_add) = self.extension();
        Header {
            has_grh: route.has_grh,
            flow_label: route.flow_label,
            hop_limit: route.hop_limit,
            traffic_class: route.traffic_class,
            sgid: SGID,
            dgid: route.dgid,
            va,
            original: va,
            r_key,
            syndrome: (r_key >> 24) as u8,
            msn: r_key & 0xFF_FFFF,
            swap_add,
            dma_len: (swap_add >> 32) as u32,
            immediate: swap_add as u32,
            ..self.header.clone()
        }
    }
}
