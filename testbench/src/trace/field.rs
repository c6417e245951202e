//! Header fields as data, for displays of packets (`protocol/headers.csv`).
//!
//! Nothing is checked, because a packet that breaks every rule has to be shown, too.
use hca_golden::wire::opcode::Header;
use std::fmt::Write;
use std::net::Ipv6Addr;

/// A field of a header.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// Name in `headers.csv`, with its header before it.
    pub name: &'static str,
    /// Wireshark's full name, or a name in its style if it has none.
    pub wireshark: &'static str,
    /// Offset in bits from the header's first bit on the wire.
    pub first_bit: usize,
    /// Width in bits, at most 128.
    pub bits: usize,
    pub radix: Radix,
}

/// How a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    Decimal,
    /// A count of 4-byte words on the wire, shown in bytes.
    Words,
    Hex,
    Mac,
    Ipv4,
    Ipv6,
}

/// A header: its size in bytes and its fields in wire order.
pub struct HeaderLayout {
    pub bytes: usize,
    pub fields: &'static [FieldLayout],
}

impl FieldLayout {
    /// Returns the value in a header's bytes.
    pub fn value(&self, header: &[u8]) -> u128 {
        let end = self.first_bit + self.bits;
        let bytes = &header[self.first_bit / 8..end.div_ceil(8)];
        let value = bytes.iter().fold(0, |value, byte| value << 8 | u128::from(*byte));
        let value = value >> (end.next_multiple_of(8) - end) & (u128::MAX >> (128 - self.bits));
        match self.radix {
            Radix::Words => 4 * value,
            _ => value,
        }
    }

    /// Returns a value as Wireshark writes it.
    pub fn text(&self, value: u128) -> String {
        let mut text = String::new();
        self.put(value, &mut text);
        text
    }

    /// Appends a value as Wireshark writes it.
    pub fn put(&self, value: u128, to: &mut String) {
        match self.radix {
            Radix::Decimal | Radix::Words => digits(value, 10, 1, to),
            Radix::Hex => {
                to.push_str("0x");
                digits(value, 16, self.bits.div_ceil(4), to);
            }
            Radix::Mac => {
                let bytes = (value as u64).to_be_bytes();
                for (n, byte) in bytes[2..].iter().enumerate() {
                    if n > 0 {
                        to.push(':');
                    }
                    digits((*byte).into(), 16, 2, to);
                }
            }
            Radix::Ipv4 => {
                for (n, byte) in (value as u32).to_be_bytes().into_iter().enumerate() {
                    if n > 0 {
                        to.push('.');
                    }
                    digits(byte.into(), 10, 1, to);
                }
            }
            Radix::Ipv6 => write!(to, "{}", Ipv6Addr::from(value)).expect("writing to a string"),
        }
    }
}

/// Appends at least this many digits. A capture has dozens of numbers a packet, for which `format!` takes long.
fn digits(value: u128, radix: u8, least: usize, to: &mut String) {
    const MOST: usize = 40;
    let mut text = [b'0'; MOST];
    let mut at = MOST;
    let mut rest = value;
    while rest > 0 {
        let digit = match u64::try_from(rest) {
            Ok(small) => {
                rest = (small / u64::from(radix)).into();
                (small % u64::from(radix)) as u8
            }
            Err(_) => {
                let digit = (rest % u128::from(radix)) as u8;
                rest /= u128::from(radix);
                digit
            }
        };
        at -= 1;
        text[at] = b"0123456789abcdef"[usize::from(digit)];
    }
    at = at.min(MOST - least.min(MOST));
    to.extend(text[at..].iter().map(|digit| char::from(*digit)));
}

pub(super) const fn field(
    name: &'static str,
    wireshark: &'static str,
    first_bit: usize,
    bits: usize,
    radix: Radix,
) -> FieldLayout {
    FieldLayout {
        name,
        wireshark,
        first_bit,
        bits,
        radix,
    }
}

pub(super) const fn decimal(
    name: &'static str,
    wireshark: &'static str,
    first_bit: usize,
    bits: usize,
) -> FieldLayout {
    field(name, wireshark, first_bit, bits, Radix::Decimal)
}

pub(super) const fn hex(
    name: &'static str,
    wireshark: &'static str,
    first_bit: usize,
    bits: usize,
) -> FieldLayout {
    field(name, wireshark, first_bit, bits, Radix::Hex)
}

pub const LRH: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[
        decimal("LRH.VL", "infiniband.lrh.vl", 0, 4),
        decimal("LRH.LVer", "infiniband.lrh.lver", 4, 4),
        decimal("LRH.SL", "infiniband.lrh.sl", 8, 4),
        decimal("LRH.Resv2", "infiniband.lrh.reserved2", 12, 2),
        decimal("LRH.LNH", "infiniband.lrh.lnh", 14, 2),
        hex("LRH.DLID", "infiniband.lrh.dlid", 16, 16),
        decimal("LRH.Resv5", "infiniband.lrh.reserved5", 32, 5),
        decimal("LRH.PktLen", "infiniband.lrh.pktlen", 37, 11),
        hex("LRH.SLID", "infiniband.lrh.slid", 48, 16),
    ],
};

pub const GRH: HeaderLayout = HeaderLayout {
    bytes: 40,
    fields: &[
        decimal("GRH.IPVer", "infiniband.grh.ipver", 0, 4),
        hex("GRH.TClass", "infiniband.grh.tclass", 4, 8),
        hex("GRH.FlowLabel", "infiniband.grh.flowlabel", 12, 20),
        decimal("GRH.PayLen", "infiniband.grh.paylen", 32, 16),
        hex("GRH.NxtHdr", "infiniband.grh.nxthdr", 48, 8),
        decimal("GRH.HopLmt", "infiniband.grh.hoplmt", 56, 8),
        field("GRH.SGID", "infiniband.grh.sgid", 64, 128, Radix::Ipv6),
        field("GRH.DGID", "infiniband.grh.dgid", 192, 128, Radix::Ipv6),
    ],
};

pub const RWH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[
        hex("RWH.Resv16", "infiniband.rwh.reserved", 0, 16),
        hex("RWH.EtherType", "infiniband.rwh.etype", 16, 16),
    ],
};

pub const BTH: HeaderLayout = HeaderLayout {
    bytes: 12,
    fields: &[
        hex("BTH.Opcode", "infiniband.bth.opcode", 0, 8),
        decimal("BTH.SE", "infiniband.bth.se", 8, 1),
        decimal("BTH.M", "infiniband.bth.m", 9, 1),
        decimal("BTH.PadCnt", "infiniband.bth.padcnt", 10, 2),
        decimal("BTH.TVer", "infiniband.bth.tver", 12, 4),
        hex("BTH.P_Key", "infiniband.bth.p_key", 16, 16),
        decimal("BTH.F", "infiniband.bth.f", 32, 1),
        decimal("BTH.B", "infiniband.bth.b", 33, 1),
        decimal("BTH.Resv6", "infiniband.bth.reserved6", 34, 6),
        hex("BTH.DestQP", "infiniband.bth.destqp", 40, 24),
        decimal("BTH.A", "infiniband.bth.a", 64, 1),
        decimal("BTH.Resv7", "infiniband.bth.reserved7", 65, 7),
        decimal("BTH.PSN", "infiniband.bth.psn", 72, 24),
    ],
};

pub const RDETH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[
        hex("RDETH.Resv8", "infiniband.rdeth.reserved8", 0, 8),
        hex("RDETH.EE_Context", "infiniband.rdeth.eecnxt", 8, 24),
    ],
};

pub const DETH: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[
        hex("DETH.Q_Key", "infiniband.deth.q_key", 0, 32),
        hex("DETH.Resv8", "infiniband.deth.reserved8", 32, 8),
        hex("DETH.SrcQP", "infiniband.deth.srcqp", 40, 24),
    ],
};

pub const RETH: HeaderLayout = HeaderLayout {
    bytes: 16,
    fields: &[
        hex("RETH.VA", "infiniband.reth.va", 0, 64),
        hex("RETH.R_Key", "infiniband.reth.r_key", 64, 32),
        decimal("RETH.DMALen", "infiniband.reth.dmalen", 96, 32),
    ],
};

/// AtomicETH. Wireshark names the first two fields as in the RETH.
pub const ATOMIC_ETH: HeaderLayout = HeaderLayout {
    bytes: 28,
    fields: &[
        hex("AtomicETH.VA", "infiniband.reth.va", 0, 64),
        hex("AtomicETH.R_Key", "infiniband.reth.r_key", 64, 32),
        hex("AtomicETH.SwapDt", "infiniband.atomiceth.swapdt", 96, 64),
        hex("AtomicETH.CmpDt", "infiniband.atomiceth.cmpdt", 160, 64),
    ],
};

pub const AETH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[
        hex("AETH.Syndrome", "infiniband.aeth.syndrome", 0, 8),
        decimal("AETH.MSN", "infiniband.aeth.msn", 8, 24),
    ],
};

pub const ATOMIC_ACK_ETH: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[hex(
        "AtomicAckETH.OrigRemDt",
        "infiniband.atomicacketh.origremdt",
        0,
        64,
    )],
};

pub const IMMDT: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[hex("ImmDt", "infiniband.immdt", 0, 32)],
};

pub const IETH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[hex("IETH.R_Key", "infiniband.ieth", 0, 32)],
};

/// Header of a MAD, in a payload to QP0 or QP1 (`mad.md` section 2).
pub const MAD: HeaderLayout = HeaderLayout {
    bytes: 24,
    fields: &[
        decimal("MAD.BaseVersion", "infiniband.mad.baseversion", 0, 8),
        hex("MAD.MgmtClass", "infiniband.mad.mgmtclass", 8, 8),
        decimal("MAD.ClassVersion", "infiniband.mad.classversion", 16, 8),
        hex("MAD.Method", "infiniband.mad.method", 24, 8),
        hex("MAD.Status", "infiniband.mad.status", 32, 16),
        hex("MAD.ClassSpecific", "infiniband.mad.classspecific", 48, 16),
        hex("MAD.TransactionID", "infiniband.mad.transactionid", 64, 64),
        hex("MAD.AttributeID", "infiniband.mad.attributeid", 128, 16),
        hex(
            "MAD.AttributeModifier",
            "infiniband.mad.attributemodifier",
            160,
            32,
        ),
    ],
};

/// Returns the layout of an extended transport header.
pub fn layout_of(header: Header) -> &'static HeaderLayout {
    match header {
        Header::Rdeth => &RDETH,
        Header::Deth => &DETH,
        Header::Reth => &RETH,
        Header::AtomicEth => &ATOMIC_ETH,
        Header::Aeth => &AETH,
        Header::AtomicAckEth => &ATOMIC_ACK_ETH,
        Header::ImmDt => &IMMDT,
        Header::Ieth => &IETH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_wireshark_writes_them() {
        let text = |radix, bits, value| field("", "", 0, bits, radix).text(value);
        for (radix, bits, value, expected) in [
            (Radix::Decimal, 24, 0, "0"),
            (Radix::Decimal, 24, 16_777_215, "16777215"),
            (Radix::Words, 4, 20, "20"),
            (Radix::Hex, 20, 0xA1, "0x000a1"),
            (Radix::Hex, 64, u64::MAX.into(), "0xffffffffffffffff"),
            (Radix::Mac, 48, 0x5254_0000_0001, "52:54:00:00:00:01"),
            (Radix::Ipv4, 32, 0xC000_0201, "192.0.2.1"),
            (Radix::Ipv6, 128, 1, "::1"),
            (
                Radix::Decimal,
                128,
                u128::MAX,
                "340282366920938463463374607431768211455",
            ),
        ] {
            assert_eq!(text(radix, bits, value), expected);
        }
    }
}
