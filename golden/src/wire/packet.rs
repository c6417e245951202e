//! A whole packet of the IBA transport, in either framing, and its encoding.
use super::aeth::Aeth;
use super::atomic_ack_eth::AtomicAckEth;
use super::atomic_eth::AtomicEth;
use super::bth::Bth;
use super::crc::{icrc, icrc_roce_v2, vcrc, ICRC_BYTES, VCRC_BYTES};
use super::deth::Deth;
use super::extension::Extension;
use super::grh::{self, Grh};
use super::header::{HeaderFormat, Unencodable};
use super::ieth::Ieth;
use super::length::{self, MAX_PACKET_BYTES};
use super::lrh::{Lrh, LNH_GLOBAL, LNH_LOCAL};
use super::opcode::Opcode;
use super::rdeth::Rdeth;
use super::reth::Reth;
use super::roce::Roce;
use etherparse::Ethernet2Header;

/// A packet of the IBA transport. Its CRCs are not stored; they are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub route: Route,
    pub bth: Bth,
    /// Extended headers, in the order of the wire.
    pub extensions: Vec<Extension>,
    /// Payload, without pad bytes.
    pub payload: Vec<u8>,
}

/// The headers before the BTH, which route the packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// A native packet within the subnet.
    Local(Lrh),
    /// A native packet with a GRH (CF013).
    Global(Lrh, Grh),
    Roce(Roce),
}

impl Packet {
    /// Returns the packet with all fields set that follow from its route and its content: PadCnt; LNH and PktLen;
    /// IPVer, NxtHdr (CF014) and PayLen; or EtherType, IP protocol, UDP port, all lengths and the IPv4 header checksum.
    pub fn completed(&self) -> Result<Packet, Unencodable> {
        let pad = length::pad(self.payload.len());
        let extensions: usize = self.extensions.iter().map(|e| e.kind().bytes()).sum();
        let transport = Bth::BYTES + extensions + self.payload.len() + pad + ICRC_BYTES;
        let route = match &self.route {
            Route::Local(lrh) => Route::Local(Lrh {
                lnh: LNH_LOCAL,
                pkt_len: length::pkt_len_field(Lrh::BYTES + transport + VCRC_BYTES)?,
                ..*lrh
            }),
            Route::Global(lrh, grh) => Route::Global(
                Lrh {
                    lnh: LNH_GLOBAL,
                    pkt_len: length::pkt_len_field(Lrh::BYTES + Grh::BYTES + transport + VCRC_BYTES)?,
                    ..*lrh
                },
                Grh {
                    ipver: grh::IPVER,
                    nxt_hdr: grh::NXTHDR_IBA,
                    pay_len: u16::try_from(transport)
                        .map_err(|_| Unencodable::Length(transport, "PayLen"))?,
                    ..*grh
                },
            ),
            Route::Roce(roce) => Route::Roce(roce.clone().completed(transport)?),
        };
        Ok(Packet {
            route,
            bth: Bth {
                pad_cnt: pad as u8,
                ..self.bth
            },
            ..self.clone()
        })
    }

    /// Returns the packet's bytes, CRCs included; a RoCE packet comes without FCS and Ethernet padding. The fields that
    /// [`Packet::completed`] names are set from the content, and pad bytes are 0 (CF010).
    pub fn encode(&self) -> Result<Vec<u8>, Unencodable> {
        let packet = self.completed()?;
        let mut bytes = Vec::with_capacity(MAX_PACKET_BYTES);
        match &packet.route {
            Route::Local(lrh) => lrh.emit(&mut bytes)?,
            Route::Global(lrh, grh) => {
                lrh.emit(&mut bytes)?;
                grh.emit(&mut bytes)?;
            }
            Route::Roce(roce) => roce.emit(&mut bytes),
        }
        packet.bth.emit(&mut bytes)?;
        for extension in &packet.extensions {
            extension.emit(&mut bytes)?;
        }
        bytes.extend(&packet.payload);
        bytes.resize(bytes.len() + usize::from(packet.bth.pad_cnt), 0);
        match packet.route {
            Route::Local(_) | Route::Global(..) => {
                bytes.extend(icrc(&bytes));
                bytes.extend(vcrc(&bytes));
            }
            Route::Roce(_) => bytes.extend(icrc_roce_v2(&bytes[Ethernet2Header::LEN..])),
        }
        Ok(bytes)
    }

    /// Returns the row of the opcode; `None` if the opcode has none.
    pub fn opcode(&self) -> Option<&'static Opcode> {
        Opcode::of(self.bth.opcode)
    }

    /// Returns the LRH; `None` for RoCE.
    pub fn lrh(&self) -> Option<&Lrh> {
        match &self.route {
            Route::Local(lrh) | Route::Global(lrh, _) => Some(lrh),
            Route::Roce(_) => None,
        }
    }

    /// Returns the LRH for changes; `None` for RoCE.
    pub fn lrh_mut(&mut self) -> Option<&mut Lrh> {
        match &mut self.route {
            Route::Local(lrh) | Route::Global(lrh, _) => Some(lrh),
            Route::Roce(_) => None,
        }
    }

    /// Returns the GRH, if the packet has one.
    pub fn grh(&self) -> Option<&Grh> {
        match &self.route {
            Route::Global(_, grh) => Some(grh),
            Route::Local(_) | Route::Roce(_) => None,
        }
    }

    /// Returns the source GID: for RoCE the IP address, `None` for a native packet without GRH.
    pub fn sgid(&self) -> Option<[u8; 16]> {
        match &self.route {
            Route::Local(_) => None,
            Route::Global(_, grh) => Some(grh.sgid),
            Route::Roce(roce) => Some(roce.network.sgid()),
        }
    }

    /// Returns the RoCE headers, if the packet has them.
    pub fn roce(&self) -> Option<&Roce> {
        match &self.route {
            Route::Roce(roce) => Some(roce),
            Route::Local(_) | Route::Global(..) => None,
        }
    }
}

impl Packet {
    /// Returns the RDETH, if the packet has one.
    pub fn rdeth(&self) -> Option<Rdeth> {
        self.extension(|e| match e {
            Extension::Rdeth(h) => Some(*h),
            _ => None,
        })
    }

    /// Returns the DETH, if the packet has one.
    pub fn deth(&self) -> Option<Deth> {
        self.extension(|e| match e {
            Extension::Deth(h) => Some(*h),
            _ => None,
        })
    }

    /// Returns the RETH, if the packet has one.
    pub fn reth(&self) -> Option<Reth> {
        self.extension(|e| match e {
            Extension::Reth(h) => Some(*h),
            _ => None,
        })
    }

    /// Returns the AtomicETH, if the packet has one.
    pub fn atomic_eth(&self) -> Option<AtomicEth> {
        self.extension(|e| match e {
            Extension::AtomicEth(h) => Some(*h),
            _ => None,
        })
    }

    /// Returns the AETH, if the packet has one.
    pub fn aeth(&self) -> Option<Aeth> {
        self.extension(|e| match e {
            Extension::Aeth(h) => Some(*h),
            _ => None,
        })
    }

    /// Returns the AtomicAckETH, if the packet has one.
    pub fn atomic_ack_eth(&self) -> Option<AtomicAckEth> {
        self.extension(|e| match e {
            Extension::AtomicAckEth(h) => Some(*h),
            _ => None,
        })
    }

    /// Returns the immediate data, if the packet has it.
    pub fn immediate(&self) -> Option<[u8; 4]> {
        self.extension(|e| match e {
            Extension::ImmDt(h) => Some(h.imm_data),
            _ => None,
        })
    }

    /// Returns the IETH, if the packet has one.
    pub fn ieth(&self) -> Option<Ieth> {
        self.extension(|e| match e {
            Extension::Ieth(h) => Some(*h),
            _ => None,
        })
    }

    fn extension<H>(&self, of: impl Fn(&Extension) -> Option<H>) -> Option<H> {
        self.extensions.iter().find_map(of)
    }
}
