//! Packets that a port accepts.
use super::draw::Draw;
use super::framing::Framing;
use hca_golden::port::PortConfig;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::{Grh, IPVER, NXTHDR_IBA};
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::{Header, Opcode};
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Network, Roce};

/// Opcodes of RC that have no row. They pass the link, and the responder answers them (CF073).
const RC_RESERVED: [u8; 4] = [0x15, 0x18, 0x1C, 0x1F];

/// Draws a packet to this port with any opcode, any fields and any payload. Its reserved fields are 0.
pub fn packet(draw: &mut Draw, framing: Framing, port: &PortConfig) -> Packet {
    let opcode = opcode(draw);
    let headers = Opcode::of(opcode).map_or(&[][..], |o| o.headers);
    let mut extensions = Vec::new();
    for kind in headers {
        let bytes = draw.bytes(kind.bytes());
        extensions.extend(Extension::parse(*kind, &bytes).map(without_reserved));
    }
    let global = draw.flag();
    let packet = Packet {
        route: route(draw, framing, port, global),
        bth: Bth {
            opcode,
            se: draw.flag(),
            m: draw.flag(),
            p_key: draw.bits(16) as u16,
            dest_qp: draw.bits(24),
            a: draw.flag(),
            psn: draw.bits(24),
            ..Bth::default()
        },
        extensions,
        payload: {
            let length = length(draw, port.mtu.bytes());
            draw.bytes(length)
        },
    };
    match draw.below(12) {
        0 => smp(draw, packet),
        _ => packet,
    }
}

/// Makes the packet a subnet management packet, if it is a native one without GRH: a datagram for QP0 on VL 15, by a
/// directed route or by LIDs (`special_qps.md` section 3).
fn smp(draw: &mut Draw, mut packet: Packet) -> Packet {
    let Route::Local(lrh) = &mut packet.route else {
        return packet;
    };
    let directed = draw.flag();
    lrh.vl = 15;
    if directed && draw.flag() {
        (lrh.slid, lrh.dlid) = (0xFFFF, 0xFFFF);
    }
    packet.bth.opcode = 0x64;
    packet.bth.dest_qp = 0;
    packet.extensions = Extension::parse(Header::Deth, &draw.bytes(8))
        .map(without_reserved)
        .into_iter()
        .collect();
    packet.payload = draw.bytes(256);
    packet.payload[1] = if directed { 0x81 } else { 0x01 };
    packet
}

fn opcode(draw: &mut Draw) -> u8 {
    loop {
        let opcode = draw.bits(7) as u8;
        if Opcode::of(opcode).is_some() || RC_RESERVED.contains(&opcode) {
            return opcode;
        }
    }
}

/// Draws a length up to the MTU: mostly short, around every multiple of a beat, around each PMTU, and that of the MTU
/// or a little less.
fn length(draw: &mut Draw, mtu: usize) -> usize {
    let length = match draw.below(16) {
        0..=3 => draw.below(9),
        4..=10 => draw.below(160),
        11..=13 => draw.below(600),
        14 => draw.one_of(&[256, 512, 1024, 2048]) - 4 + draw.below(9),
        _ => mtu - draw.below(5),
    };
    length.min(mtu)
}

/// Draws a GID of the port; no packet is for an empty entry of its table.
fn own_gid(draw: &mut Draw, port: &PortConfig) -> [u8; 16] {
    let own: Vec<_> = (0..port.gid_entries()).map(|index| port.gid_at(index)).collect();
    let own: Vec<_> = own.into_iter().filter(|gid| port.has_gid(*gid)).collect();
    draw.one_of(&own)
}

/// Draws the headers before the BTH of a packet to this port; those of native ones with a GRH or without.
pub fn route(draw: &mut Draw, framing: Framing, port: &PortConfig, global: bool) -> Route {
    let (class, flow_label, hop_limit) = (draw.bits(8) as u8, draw.bits(20), draw.bits(8) as u8);
    let sgid = framing.gid(draw);
    match framing {
        Framing::InfiniBand => {
            let lrh = Lrh {
                vl: draw.below(port.data_vls.into()) as u8,
                sl: draw.bits(4) as u8,
                dlid: port.lid | draw.below(1 << port.lmc) as u16,
                slid: draw.bits(16) as u16,
                ..Lrh::default()
            };
            let grh = Grh {
                ipver: IPVER,
                tclass: class,
                flow_label,
                nxt_hdr: NXTHDR_IBA,
                hop_lmt: hop_limit,
                sgid,
                dgid: own_gid(draw, port),
                ..Grh::default()
            };
            match global {
                true => Route::Global(lrh, grh),
                false => Route::Local(lrh),
            }
        }
        Framing::RoceV4 | Framing::RoceV6 => {
            let mac = draw.array();
            let (gid, own) = (port.gid, port.mac);
            let source = Endpoint { mac, gid: sgid };
            let mut roce = Roce::between(source, Endpoint { mac: own, gid }, draw.bits(16) as u16);
            roce.network.set_traffic_class(class);
            roce.network.set_hop_limit(hop_limit);
            if let Network::Ipv6(header) = &mut roce.network {
                header.flow_label = flow_label.try_into().unwrap_or_default();
            }
            Route::Roce(roce)
        }
    }
}

fn without_reserved(mut extension: Extension) -> Extension {
    match &mut extension {
        Extension::Rdeth(h) => h.resv8 = 0,
        Extension::Deth(h) => h.resv8 = 0,
        _ => {}
    }
    extension
}

/// Sets the fields that a receiver ignores (CF016): reserved fields, FECN and BECN, the UDP checksum, identification
/// and DF of IPv4.
pub fn with_ignored(draw: &mut Draw, mut packet: Packet) -> Packet {
    packet.bth.f = draw.flag();
    packet.bth.b = draw.flag();
    packet.bth.resv6 = draw.bits(6) as u8;
    packet.bth.resv7 = draw.bits(7) as u8;
    for extension in &mut packet.extensions {
        match extension {
            Extension::Rdeth(h) => h.resv8 = draw.bits(8) as u8,
            Extension::Deth(h) => h.resv8 = draw.bits(8) as u8,
            _ => {}
        }
    }
    match &mut packet.route {
        Route::Local(lrh) | Route::Global(lrh, _) => {
            lrh.resv2 = draw.bits(2) as u8;
            lrh.resv5 = draw.bits(5) as u8;
        }
        Route::Roce(roce) => {
            roce.udp.checksum = draw.bits(16) as u16;
            if let Network::Ipv4(header) = &mut roce.network {
                header.identification = draw.bits(16) as u16;
                header.dont_fragment = draw.flag();
            }
        }
    }
    packet
}
