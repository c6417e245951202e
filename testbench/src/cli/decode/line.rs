//! A packet as a line for people.
use super::crc::Crc;
use super::link_packet::{reason, LinkPacket, Soundness};
use super::packet::{Judgement, Rdma};
use crate::capture::layer::Layer;
use crate::trace::dissection::Field;
use crate::trace::drop_reason;
use std::borrow::Cow;
use std::fmt::Write;
use std::time::Duration;

/// Number of bytes for which most lines have room.
const USUAL: usize = 1024;

/// Heading of the lines.
pub const HEADING: &str =
    " number        seconds  opcode                             payload  ICRC    VCRC    fields";

/// Returns the line of a packet: number, time since the first packet, opcode, payload bytes, both CRCs, what is wrong,
/// then every field in the order of the wire under Wireshark's name without `infiniband.`.
pub fn line(packet: &Rdma) -> String {
    let d = &packet.dissection;
    let mut line = String::with_capacity(USUAL);
    let is_malformed = matches!(packet.judgement, Judgement::Malformed(_));
    let time = seconds(packet.time, packet.start);
    put_place(packet.number, &time, is_malformed, &mut line);
    put_kind(
        &d.opcode_name(),
        d.payload_length,
        [&packet.icrc, &packet.vcrc],
        &mut line,
    );
    match &packet.judgement {
        Judgement::Sound => {}
        Judgement::Foreign => line += "  of a transport that is not carried;",
        Judgement::Malformed(malformed) => {
            let name = drop_reason::name(malformed.reason);
            write!(line, "  malformed {name}: {malformed};").expect("writing to a string");
        }
        Judgement::Truncated => {
            put_truncation(packet.kept, packet.wire_length, &mut line);
        }
    }
    if let Some(name) = d.mad_name() {
        write!(line, "  MAD {name};").expect("writing to a string");
    }
    line.push(' ');
    put_layers(&packet.layers, &mut line);
    put_fields(&d.fields, "infiniband.", &mut line);
    if d.frame_padding > 0 {
        write!(line, " eth.padding={}", d.frame_padding).expect("writing to a string");
    }
    line.truncate(line.trim_end().len());
    line
}

/// Returns the line of a link packet: number, time since the first packet, name of its Op, LPCRC in the place of the
/// VCRC, what is wrong, then its fields under Wireshark's name without `infiniband_`.
pub fn link_line(packet: &LinkPacket) -> String {
    let mut line = String::with_capacity(USUAL);
    let is_malformed = matches!(packet.soundness, Soundness::Malformed(_));
    let time = seconds(packet.time, packet.start);
    put_place(packet.number, &time, is_malformed, &mut line);
    put_kind(&packet.name(), 0, [&Crc::Absent, &packet.lpcrc], &mut line);
    match packet.soundness {
        Soundness::Sound => {}
        Soundness::Malformed(defect) => {
            write!(line, "  malformed {}: {defect};", reason(defect)).expect("writing to a string");
        }
        Soundness::Truncated => put_truncation(packet.kept, packet.wire_length, &mut line),
    }
    line.push(' ');
    put_layers(packet.port.as_slice(), &mut line);
    put_fields(&packet.fields, "infiniband_", &mut line);
    line.truncate(line.trim_end().len());
    line
}

fn put_place(number: u64, time: &str, is_malformed: bool, line: &mut String) {
    let mark = if is_malformed { '!' } else { ' ' };
    write!(line, "{number:>7} {time:>14} {mark} ").expect("writing to a string");
}

fn put_kind(name: &str, payload: usize, crcs: [&Crc; 2], line: &mut String) {
    let [icrc, vcrc] = crcs.map(crc);
    write!(line, "{name:<33} {payload:>8}  {icrc:<6}  {vcrc:<6}").expect("writing to a string");
}

fn put_truncation(kept: usize, bytes: usize, line: &mut String) {
    write!(line, "  truncated: {kept} of {bytes} bytes kept;").expect("writing to a string");
}

/// Appends what is around the packet. Tags of VLANs alone are fields.
fn put_layers(layers: &[Layer], line: &mut String) {
    let around: Vec<String> = layers.iter().map(Layer::to_string).collect();
    if !around.iter().all(|layer| layer.starts_with("VLAN")) {
        write!(line, " in={}", around.join("/").replace(' ', ":")).expect("writing to a string");
    }
}

/// Appends every field under Wireshark's name without this prefix.
fn put_fields(fields: &[Field], prefix: &str, line: &mut String) {
    for field in fields {
        let name = field.layout.wireshark;
        line.push(' ');
        line.push_str(name.strip_prefix(prefix).unwrap_or(name));
        line.push('=');
        field.layout.put(field.value, line);
    }
}

/// Formats a time relative to the first packet. It may be negative, because clocks of two hosts may differ, and merged
/// captures go back in time.
fn seconds(time: Duration, start: Duration) -> String {
    match time.checked_sub(start) {
        Some(since) => format!("{}.{:09}", since.as_secs(), since.subsec_nanos()),
        None => {
            let before = start.saturating_sub(time);
            format!("-{}.{:09}", before.as_secs(), before.subsec_nanos())
        }
    }
}

fn crc(crc: &Crc) -> Cow<'static, str> {
    match crc {
        Crc::Right => "right".into(),
        Crc::Wrong { received, computed } => {
            format!("wrong (received {received}, computed {computed})").into()
        }
        Crc::Absent => "absent".into(),
    }
}
