//! Packets from their parts (headers.md), by plain concatenation.
use super::crc::{frame_icrc, native_icrc, vcrc};
use hca_sim::wire::receive::Addresses;

/// The bench's port. The GID is an IPv4 address, so that frames of both kinds reach it.
pub const PORT: Addresses = Addresses {
    lid: 0x1230,
    lmc: 2,
    gid: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 1, 2, 3],
    guids: [0x0211_22FF_FE33_4455, 0, 0xFFFF_0A01_0203],
    mac: [0x02, 0x11, 0x22, 0x33, 0x44, 0x55],
    mtu: 5,
    data_vls: 14,
};

/// What lies below the BTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    Local,
    Global,
    Ipv4,
    Ipv6,
}

impl Route {
    pub const NATIVE: [Route; 2] = [Route::Local, Route::Global];
    pub const FRAMES: [Route; 2] = [Route::Ipv4, Route::Ipv6];

    fn is_native(self) -> bool {
        matches!(self, Route::Local | Route::Global)
    }
}

/// Whatever a packet can say, headers behind the BTH as bytes.
#[derive(Clone, Debug)]
pub struct Packet {
    pub route: Route,
    pub vl: u8,
    pub sl: u8,
    pub dlid: u16,
    pub slid: u16,
    pub traffic_class: u8,
    pub flow_label: u32,
    pub hop_limit: u8,
    pub sgid: [u8; 16],
    /// Of native packets alone; frames are for [`PORT`].
    pub dgid: [u8; 16],
    pub source_mac: [u8; 6],
    pub source_port: u16,
    pub opcode: u8,
    pub solicited: bool,
    pub migrated: bool,
    pub p_key: u16,
    /// F, B, reserved.
    pub resv8a: u8,
    pub dest_qp: u32,
    pub ack_req: bool,
    pub psn: u32,
    pub extended: Vec<u8>,
    pub payload: Vec<u8>,
}

impl Packet {
    /// A Send only of counted bytes.
    pub fn send(route: Route, payload: usize) -> Packet {
        Packet {
            route,
            vl: 0,
            sl: 0,
            dlid: PORT.lid,
            slid: 7,
            traffic_class: 0,
            flow_label: 0,
            hop_limit: 64,
            sgid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
            dgid: PORT.gid,
            source_mac: [2, 0, 0, 0, 0, 9],
            source_port: 0xC000,
            opcode: 0x04,
            solicited: false,
            migrated: true,
            p_key: 0xFFFF,
            resv8a: 0,
            dest_qp: 2,
            ack_req: true,
            psn: 100,
            extended: Vec::new(),
            payload: (0..payload).map(|i| i as u8).collect(),
        }
    }

    /// An acknowledgement, the shortest packet of a connection.
    pub fn ack(route: Route, psn: u32) -> Packet {
        Packet {
            opcode: 0x11,
            psn,
            extended: vec![0x1F, 0, 0, psn as u8],
            ..Packet::send(route, 0)
        }
    }

    /// The whole packet on the wire; a frame without FCS and Ethernet padding.
    pub fn bytes(&self) -> Vec<u8> {
        let transport = self.transport();
        let mut bytes = self.below(transport.len() + 4);
        bytes.extend(transport);
        if self.route.is_native() {
            bytes.extend(native_icrc(&bytes));
            bytes.extend(vcrc(&bytes));
        } else {
            bytes.extend(frame_icrc(&bytes));
        }
        bytes
    }

    /// From the BTH to the pad.
    fn transport(&self) -> Vec<u8> {
        let pad = (4 - self.payload.len() % 4) % 4;
        let flags = u8::from(self.solicited) << 7 | u8::from(self.migrated) << 6 | (pad as u8) << 4;
        let mut b = vec![self.opcode, flags];
        b.extend(self.p_key.to_be_bytes());
        b.extend((u32::from(self.resv8a) << 24 | self.dest_qp).to_be_bytes());
        b.extend((u32::from(self.ack_req) << 31 | self.psn).to_be_bytes());
        b.extend(&self.extended);
        b.extend(&self.payload);
        b.resize(b.len() + pad, 0);
        b
    }

    /// The headers below, for so many bytes from BTH to ICRC.
    fn below(&self, above: usize) -> Vec<u8> {
        let mut b = Vec::new();
        match self.route {
            Route::Local => self.lrh(&mut b, 2, above),
            Route::Global => {
                self.lrh(&mut b, 3, above + 40);
                self.ipv6(&mut b, 0x1B, above);
            }
            Route::Ipv4 => {
                self.ethernet(&mut b, 0x0800);
                self.ipv4(&mut b, above + 8);
                self.udp(&mut b, above + 8);
            }
            Route::Ipv6 => {
                self.ethernet(&mut b, 0x86DD);
                self.ipv6(&mut b, 17, above + 8);
                self.udp(&mut b, above + 8);
            }
        }
        b
    }

    fn lrh(&self, b: &mut Vec<u8>, lnh: u8, rest: usize) {
        b.extend([self.vl << 4, self.sl << 4 | lnh]);
        b.extend(self.dlid.to_be_bytes());
        b.extend(((8 + rest) as u16 / 4).to_be_bytes());
        b.extend(self.slid.to_be_bytes());
    }

    /// A GRH or an IPv6 header.
    fn ipv6(&self, b: &mut Vec<u8>, next: u8, length: usize) {
        let word = 6 << 28 | u32::from(self.traffic_class) << 20 | self.flow_label;
        b.extend(word.to_be_bytes());
        b.extend((length as u16).to_be_bytes());
        b.extend([next, self.hop_limit]);
        b.extend(self.sgid);
        b.extend(match self.route.is_native() {
            true => self.dgid,
            false => PORT.gid,
        });
    }

    fn ethernet(&self, b: &mut Vec<u8>, kind: u16) {
        b.extend(PORT.mac);
        b.extend(self.source_mac);
        b.extend(kind.to_be_bytes());
    }

    fn ipv4(&self, b: &mut Vec<u8>, length: usize) {
        let mut header = vec![0x45, self.traffic_class];
        header.extend((20 + length as u16).to_be_bytes());
        header.extend([0, 0, 0x40, 0, self.hop_limit, 17, 0, 0]);
        header.extend(&self.sgid[12..]);
        header.extend(&PORT.gid[12..]);
        sum_ipv4(&mut header);
        b.extend(header);
    }

    fn udp(&self, b: &mut Vec<u8>, length: usize) {
        b.extend(self.source_port.to_be_bytes());
        b.extend(4791u16.to_be_bytes());
        b.extend((length as u16).to_be_bytes());
        b.extend([0, 0]);
    }
}

/// Ones' complement sum of an IPv4 header's halfwords.
pub fn ipv4_sum(header: &[u8]) -> u16 {
    let sum: u32 = header
        .chunks(2)
        .map(|half| u32::from(half[0]) << 8 | u32::from(half[1]))
        .sum();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    ((sum & 0xFFFF) + (sum >> 16)) as u16
}

/// Makes the header's checksum right.
pub fn sum_ipv4(header: &mut [u8]) {
    header[10..12].fill(0);
    let checksum = !ipv4_sum(&header[..20]);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// Makes the last CRC right: the VCRC of a native packet, nothing of a frame.
pub fn reseal_link(native: bool, b: &mut Vec<u8>) {
    if native && b.len() > 2 {
        b.truncate(b.len() - 2);
        b.extend(vcrc(b));
    }
}

/// Makes every CRC right.
pub fn reseal(native: bool, b: &mut Vec<u8>) {
    let crcs = if native { 6 } else { 4 };
    if b.len() < crcs + 14 {
        return;
    }
    b.truncate(b.len() - crcs);
    if native {
        b.extend(native_icrc(b));
        b.extend(vcrc(b));
    } else {
        b.extend(frame_icrc(b));
    }
}
