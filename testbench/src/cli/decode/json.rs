//! A packet as JSON. Names are Wireshark's full ones; numbers of up to 32 bits are numbers, wider ones and addresses
//! are text, so that no reader rounds them.
use super::crc::Crc;
use super::link_packet::{self, Soundness};
use super::packet::{Judgement, Kind, Rdma};
use crate::capture::layer::Layer;
use crate::trace::dissection::Field;
use crate::trace::drop_reason;
use crate::trace::field::Radix;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::time::Duration;

/// What packets and link packets have in common.
#[derive(Serialize)]
struct Frame {
    #[serde(rename = "frame.number")]
    number: u64,
    /// Seconds since 1970.
    #[serde(rename = "frame.time_epoch")]
    time: String,
    /// Bytes on the wire.
    #[serde(rename = "frame.len")]
    wire_length: usize,
    #[serde(rename = "frame.cap_len")]
    kept: usize,
    link: &'static str,
}

/// A packet of the document's `packets`.
#[derive(Serialize)]
pub struct Packet<'a> {
    #[serde(flatten)]
    frame: Frame,
    /// The tags and tunnels around the packet; of a native one the port, if it is not the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layers: Vec<String>,
    opcode: String,
    /// Name of the MAD, if the packet is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    mad: Option<String>,
    payload_length: usize,
    icrc: CrcVerdict<'a>,
    vcrc: CrcVerdict<'a>,
    malformed: Option<Fault>,
    truncated: bool,
    fields: Fields<'a>,
}

/// A link packet of the document's `packets`.
#[derive(Serialize)]
pub struct LinkPacket<'a> {
    #[serde(flatten)]
    frame: Frame,
    /// The port, if it is not the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layers: Vec<String>,
    opcode: String,
    lpcrc: CrcVerdict<'a>,
    malformed: Option<Fault>,
    truncated: bool,
    fields: Fields<'a>,
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum CrcVerdict<'a> {
    Right,
    Wrong { received: &'a str, computed: &'a str },
    Absent,
}

#[derive(Serialize)]
struct Fault {
    reason: &'static str,
    message: String,
}

struct Fields<'a>(&'a [Field]);

impl<'a> Packet<'a> {
    pub fn of(packet: &'a Rdma) -> Packet<'a> {
        Packet {
            frame: Frame {
                number: packet.number,
                time: seconds(packet.time),
                wire_length: packet.wire_length,
                kept: packet.kept,
                link: match packet.kind {
                    Kind::Native => "infiniband",
                    Kind::RoceV1 => "rocev1",
                    Kind::RoceV2 => "rocev2",
                },
            },
            layers: packet.layers.iter().map(Layer::to_string).collect(),
            opcode: packet.dissection.opcode_name(),
            mad: packet.dissection.mad_name(),
            payload_length: packet.dissection.payload_length,
            icrc: CrcVerdict::of(&packet.icrc),
            vcrc: CrcVerdict::of(&packet.vcrc),
            malformed: match &packet.judgement {
                Judgement::Malformed(malformed) => Some(Fault {
                    reason: drop_reason::name(malformed.reason),
                    message: malformed.to_string(),
                }),
                Judgement::Sound | Judgement::Foreign | Judgement::Truncated => None,
            },
            truncated: packet.judgement == Judgement::Truncated,
            fields: Fields(&packet.dissection.fields),
        }
    }
}

impl<'a> LinkPacket<'a> {
    pub fn of(packet: &'a link_packet::LinkPacket) -> LinkPacket<'a> {
        LinkPacket {
            frame: Frame {
                number: packet.number,
                time: seconds(packet.time),
                wire_length: packet.wire_length,
                kept: packet.kept,
                link: "infiniband",
            },
            layers: packet.port.iter().map(Layer::to_string).collect(),
            opcode: packet.name(),
            lpcrc: CrcVerdict::of(&packet.lpcrc),
            malformed: match packet.soundness {
                Soundness::Malformed(defect) => Some(Fault {
                    reason: link_packet::reason(defect),
                    message: defect.to_string(),
                }),
                Soundness::Sound | Soundness::Truncated => None,
            },
            truncated: packet.soundness == Soundness::Truncated,
            fields: Fields(&packet.fields),
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{}.{:09}", time.as_secs(), time.subsec_nanos())
}

impl CrcVerdict<'_> {
    fn of(crc: &Crc) -> CrcVerdict<'_> {
        match crc {
            Crc::Right => CrcVerdict::Right,
            Crc::Wrong { received, computed } => CrcVerdict::Wrong { received, computed },
            Crc::Absent => CrcVerdict::Absent,
        }
    }
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for Field { layout, value } in self.0 {
            match layout.radix {
                Radix::Decimal | Radix::Words | Radix::Hex if layout.bits <= 32 => {
                    map.serialize_entry(layout.wireshark, &(*value as u64))?;
                }
                _ => map.serialize_entry(layout.wireshark, &layout.text(*value))?,
            }
        }
        map.end()
    }
}
