//! The headers around RoCEv2, and those of raw packets, as data.
use super::field::{FieldLayout, HeaderLayout, Radix};

const fn field(name: &'static str, first_bit: usize, bits: usize, radix: Radix) -> FieldLayout {
    FieldLayout {
        name,
        wireshark: name,
        first_bit,
        bits,
        radix,
    }
}

const fn decimal(name: &'static str, first_bit: usize, bits: usize) -> FieldLayout {
    field(name, first_bit, bits, Radix::Decimal)
}

const fn hex(name: &'static str, first_bit: usize, bits: usize) -> FieldLayout {
    field(name, first_bit, bits, Radix::Hex)
}

pub const ETHERNET: HeaderLayout = HeaderLayout {
    bytes: 14,
    fields: &[
        field("eth.dst", 0, 48, Radix::Mac),
        field("eth.src", 48, 48, Radix::Mac),
        hex("eth.type", 96, 16),
    ],
};

pub const VLAN: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[
        decimal("vlan.priority", 0, 3),
        decimal("vlan.dei", 3, 1),
        decimal("vlan.id", 4, 12),
        hex("vlan.etype", 16, 16),
    ],
};

/// IPv4 header without options.
pub const IPV4: HeaderLayout = HeaderLayout {
    bytes: 20,
    fields: &[
        decimal("ip.version", 0, 4),
        field("ip.hdr_len", 4, 4, Radix::Words),
        hex("ip.dsfield", 8, 8),
        decimal("ip.len", 16, 16),
        hex("ip.id", 32, 16),
        decimal("ip.flags.rb", 48, 1),
        decimal("ip.flags.df", 49, 1),
        decimal("ip.flags.mf", 50, 1),
        decimal("ip.frag_offset", 51, 13),
        decimal("ip.ttl", 64, 8),
        decimal("ip.proto", 72, 8),
        hex("ip.checksum", 80, 16),
        field("ip.src", 96, 32, Radix::Ipv4),
        field("ip.dst", 128, 32, Radix::Ipv4),
    ],
};

pub const IPV6: HeaderLayout = HeaderLayout {
    bytes: 40,
    fields: &[
        decimal("ipv6.version", 0, 4),
        hex("ipv6.tclass", 4, 8),
        hex("ipv6.flow", 12, 20),
        decimal("ipv6.plen", 32, 16),
        decimal("ipv6.nxt", 48, 8),
        decimal("ipv6.hlim", 56, 8),
        field("ipv6.src", 64, 128, Radix::Ipv6),
        field("ipv6.dst", 192, 128, Radix::Ipv6),
    ],
};

pub const UDP: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[
        decimal("udp.srcport", 0, 16),
        decimal("udp.dstport", 16, 16),
        decimal("udp.length", 32, 16),
        hex("udp.checksum", 48, 16),
    ],
};
