//! A packet as a line for people.
use super::packet::{Crc, Judgement, Rdma};
use crate::capture::layer::Layer;
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
    write!(
        line,
        "{:>7} {:>14} {} {:<33} {:>8}  {:<6}  {:<6}",
        packet.number,
        seconds(packet.time, packet.start),
        if matches!(packet.judgement, Judgement::Malformed(_)) {
            '!'
        } else {
            ' '
        },
        d.opcode_name(),
        d.payload_length,
        crc(&packet.icrc),
        crc(&packet.vcrc),
    )
    .expect("writing to a string");
    match &packet.judgement {
        Judgement::Sound => {}
        Judgement::Foreign => line += "  of a transport that is not carried;",
        Judgement::Malformed(malformed) => {
            let name = drop_reason::name(malformed.reason);
            write!(line, "  malformed {name}: {malformed};").expect("writing to a string");
        }
        Judgement::Truncated => {
            let (kept, bytes) = (packet.kept, packet.wire_length);
            write!(line, "  truncated: {kept} of {bytes} bytes kept;").expect("writing to a string");
        }
    }
    if let Some(name) = d.mad_name() {
        write!(line, "  MAD {name};").expect("writing to a string");
    }
    line.push(' ');
    let around: Vec<String> = packet.layers.iter().map(Layer::to_string).collect();
    if !around.iter().all(|layer| layer.starts_with("VLAN")) {
        write!(line, " in={}", around.join("/").replace(' ', ":")).expect("writing to a string");
    }
    for field in &d.fields {
        let name = field.layout.wireshark;
        let name = name.strip_prefix("infiniband.").unwrap_or(name);
        line.push(' ');
        line.push_str(name);
        line.push('=');
        field.layout.put(field.value, &mut line);
    }
    if d.frame_padding > 0 {
        write!(line, " eth.padding={}", d.frame_padding).expect("writing to a string");
    }
    line.truncate(line.trim_end().len());
    line
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
