//! Header fields as data, for whoever shows packets (`protocol/headers.csv`).
//!
//! Judges nothing: a packet that breaks every rule still has to be shown.
use hca_golden::wire::opcode::Header;

/// A field of a header: name, first bit counted from the header's first wire bit, width in bits.
pub struct FieldLayout {
    pub name: &'static str,
    pub first_bit: usize,
    pub bits: usize,
    pub radix: Radix,
}

/// How a value reads best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    Decimal,
    Hex,
}

/// A header: its size in bytes and its fields in wire order.
pub struct HeaderLayout {
    pub bytes: usize,
    pub fields: &'static [FieldLayout],
}

const fn decimal(name: &'static str, first_bit: usize, bits: usize) -> FieldLayout {
    FieldLayout {
        name,
        first_bit,
        bits,
        radix: Radix::Decimal,
    }
}

const fn hex(name: &'static str, first_bit: usize, bits: usize) -> FieldLayout {
    FieldLayout {
        name,
        first_bit,
        bits,
        radix: Radix::Hex,
    }
}

pub const LRH: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[
        decimal("LRH.VL", 0, 4),
        decimal("LRH.LVer", 4, 4),
        decimal("LRH.SL", 8, 4),
        decimal("LRH.Resv", 12, 2),
        decimal("LRH.LNH", 14, 2),
        hex("LRH.DLID", 16, 16),
        decimal("LRH.Resv5", 32, 5),
        decimal("LRH.PktLen", 37, 11),
        hex("LRH.SLID", 48, 16),
    ],
};

pub const GRH: HeaderLayout = HeaderLayout {
    bytes: 40,
    fields: &[
        decimal("GRH.IPVer", 0, 4),
        hex("GRH.TClass", 4, 8),
        hex("GRH.FlowLabel", 12, 20),
        decimal("GRH.PayLen", 32, 16),
        hex("GRH.NxtHdr", 48, 8),
        decimal("GRH.HopLmt", 56, 8),
        hex("GRH.SGID.high", 64, 64),
        hex("GRH.SGID.low", 128, 64),
        hex("GRH.DGID.high", 192, 64),
        hex("GRH.DGID.low", 256, 64),
    ],
};

pub const BTH: HeaderLayout = HeaderLayout {
    bytes: 12,
    fields: &[
        hex("BTH.Opcode", 0, 8),
        decimal("BTH.SE", 8, 1),
        decimal("BTH.M", 9, 1),
        decimal("BTH.PadCnt", 10, 2),
        decimal("BTH.TVer", 12, 4),
        hex("BTH.P_Key", 16, 16),
        hex("BTH.Resv8a", 32, 8),
        hex("BTH.DestQP", 40, 24),
        decimal("BTH.A", 64, 1),
        decimal("BTH.Resv7", 65, 7),
        decimal("BTH.PSN", 72, 24),
    ],
};

pub const AETH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[hex("AETH.Syndrome", 0, 8), decimal("AETH.MSN", 8, 24)],
};

pub const IMMDT: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[hex("ImmDt", 0, 32)],
};

pub const IETH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[hex("IETH.R_Key", 0, 32)],
};

pub const RETH: HeaderLayout = HeaderLayout {
    bytes: 16,
    fields: &[
        hex("RETH.VA", 0, 64),
        hex("RETH.R_Key", 64, 32),
        decimal("RETH.DMALen", 96, 32),
    ],
};

pub const ATOMIC_ETH: HeaderLayout = HeaderLayout {
    bytes: 28,
    fields: &[
        hex("AtomicETH.VA", 0, 64),
        hex("AtomicETH.R_Key", 64, 32),
        hex("AtomicETH.SwapDt", 96, 64),
        hex("AtomicETH.CmpDt", 160, 64),
    ],
};

pub const ATOMIC_ACK_ETH: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[hex("AtomicAckETH.OrigRemDt", 0, 64)],
};

pub const RDETH: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[hex("RDETH.Resv", 0, 8), hex("RDETH.EE_Context", 8, 24)],
};

pub const DETH: HeaderLayout = HeaderLayout {
    bytes: 8,
    fields: &[
        hex("DETH.Q_Key", 0, 32),
        hex("DETH.Resv", 32, 8),
        hex("DETH.SrcQP", 40, 24),
    ],
};

/// The layout of an extended transport header.
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
