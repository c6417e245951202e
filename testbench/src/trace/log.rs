//! The packet log: one line a packet, readable and stable.
use super::dissection::Dissection;
use super::PacketRecord;
use hca_golden::port::Link;

/// Heading of the lines that [`line()`] returns.
pub const HEADING: &str =
    "   cycle  link    opcode                    PSN  payload  A  syndrome                        MSN";

/// Returns the line of a packet: time in cycles, direction, opcode, PSN, payload bytes, AckReq; syndrome and MSN if it
/// has them.
pub fn line(packet: &PacketRecord) -> String {
    let d = packet.dissection();
    let number = |name| d.value(name).map_or("-".to_owned(), |v| v.to_string());
    let text = format!(
        "{:>8}  {}->{}    {:<22} {:>8} {:>8}  {}  {:<29} {:>5}",
        packet.cycle,
        packet.from,
        packet.from.other(),
        d.opcode_name(),
        number("BTH.PSN"),
        d.payload.len(),
        number("BTH.A"),
        d.syndrome().unwrap_or_default(),
        d.value("AETH.MSN").map_or(String::new(), |v| v.to_string()),
    );
    text.trim_end().to_owned()
}

/// Returns a packet of a link in a few words.
pub fn summary(link: Link, packet: &[u8]) -> String {
    let d = Dissection::on(link, packet);
    let mut text = d.opcode_name();
    if let Some(psn) = d.value("BTH.PSN") {
        text += &format!(", PSN {psn}");
    }
    if !d.payload.is_empty() {
        text += &format!(", {} bytes", d.payload.len());
    }
    if let (Some(syndrome), Some(msn)) = (d.syndrome(), d.value("AETH.MSN")) {
        text += &format!(", {syndrome}, MSN {msn}");
    }
    text
}
