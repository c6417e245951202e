//! Reasons why bytes are not a packet for a port.
use crate::event::DropReason;
use std::net::Ipv6Addr;
use thiserror::Error;

/// The first check that a frame fails. Only this one is counted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{fault} ({citation})")]
pub struct Malformed {
    /// The counted reason.
    pub reason: DropReason,
    /// Source of the check in the protocol.
    pub citation: &'static str,
    /// The fault, with its values.
    pub fault: Fault,
}

/// The fault that a check found, with the values that caused it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("{0} bytes are no packet; whole words and a VCRC are, from 22 bytes on")]
    Size(usize),
    #[error("VCRC is {}, computed {}", hex(.received), hex(.computed))]
    Vcrc { received: [u8; 2], computed: [u8; 2] },
    #[error("the link has marked the packet as bad at its end")]
    EndedBad,
    #[error("LVer is {0}, not 0")]
    LinkVersion(u8),
    #[error("PktLen is {pkt_len} words, {received} words came")]
    PktLen { pkt_len: usize, received: usize },
    #[error("{words} words with LNH {lnh:02b}, legal are {least} to {most}")]
    Words {
        words: usize,
        lnh: u8,
        least: usize,
        most: usize,
    },
    #[error("no port has the DLID 0000h")]
    NoDlid,
    #[error(
        "VL {vl} with DLID {dlid:04X}h; the VL is not operational, or is 15 and the DLID that of a group"
    )]
    Vl { vl: u8, dlid: u16 },
    #[error("LNH {0:02b} on VL 15, which is for LNH 10")]
    ManagementHeader(u8),
    #[error("QP {dest_qp:06X}h on VL {vl}; QP0 and no other takes packets of VL 15")]
    ManagementQp { dest_qp: u32, vl: u8 },
    #[error("the management class at a permissive LID is {0:02X}h, not 81h")]
    ManagementClass(u8),
    #[error("DLID is {dlid:04X}h, the port's are {lid:04X}h and those that differ in the low {lmc} bits")]
    Dlid { dlid: u16, lid: u16, lmc: u8 },
    #[error("LNH {0:02b} announces a raw packet, which has no receiver")]
    Raw(u8),
    #[error("IP version is {found}, not {expected}")]
    IpVersion { found: u8, expected: u8 },
    #[error("next header is {found:02X}h, not {expected:02X}h")]
    NextHeader { found: u8, expected: u8 },
    #[error("PayLen is {pay_len} bytes, {expected} follow the GRH")]
    PayLen { pay_len: usize, expected: usize },
    #[error("DGID is {}, the port's is {}", Ipv6Addr::from(*.dgid), Ipv6Addr::from(*.port))]
    Dgid { dgid: [u8; 16], port: [u8; 16] },
    #[error("ICRC is {}, computed {}", hex(.received), hex(.computed))]
    Icrc { received: [u8; 4], computed: [u8; 4] },
    #[error("TVer is {0}, not 0")]
    TransportVersion(u8),
    #[error("opcode {0:02X}h is none of RC, UC, RD or UD")]
    Opcode(u8),
    #[error("the headers of opcode {opcode:02X}h take {needed} bytes before the ICRC, {present} came")]
    HeaderIncomplete {
        opcode: u8,
        needed: usize,
        present: usize,
    },
    #[error("PadCnt is {pad_cnt}, {present} bytes follow the headers")]
    PadCount { pad_cnt: u8, present: usize },
    #[error("payload is {payload} bytes, more than the MTU, {most}")]
    Payload { payload: usize, most: usize },
    #[error("a raw packet with LNH {lnh:02b} and {words} words has no room for its header")]
    RawHeader { lnh: u8, words: usize },
    #[error("{0} bytes are no RoCEv2 frame; 58 are the least")]
    FrameSize(usize),
    #[error("destination MAC is {}, the port's is {}", mac(.destination), mac(.port))]
    Mac { destination: [u8; 6], port: [u8; 6] },
    #[error("EtherType is {0:04X}h, not 0800h or 86DDh")]
    EtherType(u16),
    #[error("the IPv4 header has {0} words; RoCEv2 has no options, so 5")]
    Ihl(u8),
    #[error("the datagram is a fragment: MF {more}, offset {offset}")]
    Fragment { more: bool, offset: u16 },
    #[error("IPv4 header checksum is {received:04X}h, computed {computed:04X}h")]
    HeaderChecksum { received: u16, computed: u16 },
    #[error("UDP destination port is {0}, not 4791")]
    Port(u16),
    #[error("the IP length leaves {ip} bytes for UDP, which says {udp}")]
    IpLength { ip: i32, udp: u16 },
    #[error("UDP length is {0}; legal are multiples of 4 from 24 to 4180")]
    UdpLength(u16),
    #[error("{received} bytes came, headers and UDP length say {expected}")]
    FrameLength { received: usize, expected: usize },
}

impl Malformed {
    /// Returns the error for a packet that the link has marked as bad at its end.
    pub fn ended_bad() -> Malformed {
        Malformed {
            reason: DropReason::Vcrc,
            citation: "link.md section 9, CF459",
            fault: Fault::EndedBad,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

fn mac(bytes: &[u8; 6]) -> String {
    bytes.map(|b| format!("{b:02x}")).join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_values_and_source() {
        let malformed = Malformed {
            reason: DropReason::Icrc,
            citation: "crc.md section 4",
            fault: Fault::Icrc {
                received: [0x96, 0x25, 0xB7, 0x5A],
                computed: [0x01, 0x02, 0x03, 0x04],
            },
        };
        assert_eq!(
            malformed.to_string(),
            "ICRC is 9625B75A, computed 01020304 (crc.md section 4)"
        );
        let mac = Fault::Mac {
            destination: [0, 1, 2, 0xAB, 0xCD, 0xEF],
            port: [2; 6],
        };
        assert_eq!(
            mac.to_string(),
            "destination MAC is 00:01:02:ab:cd:ef, the port's is 02:02:02:02:02:02"
        );
    }
}
