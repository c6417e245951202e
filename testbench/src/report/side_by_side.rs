//! Two decoded packets side by side, with the differing fields marked.
use crate::trace::dissection::Dissection;
use hca_golden::port::Link;
use std::fmt::Write;

/// A line of the comparison: a field, or a run of payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub field: String,
    pub expected: String,
    pub actual: String,
    pub differs: bool,
}

/// Number of payload bytes shown on each side, from the first difference on.
const SHOWN_BYTES: usize = 8;

/// Returns every field of both packets of a link, in wire order.
pub fn rows(link: Link, expected: &[u8], actual: &[u8]) -> Vec<Row> {
    let (e, a) = (Dissection::on(link, expected), Dissection::on(link, actual));
    let mut rows = Vec::new();
    if expected.len() != actual.len() {
        rows.push(row(
            "packet length",
            format!("{} bytes", expected.len()),
            format!("{} bytes", actual.len()),
        ));
    }
    let is_header = |name: &str| !matches!(name, "pad" | "ICRC" | "VCRC");
    let mut names: Vec<&str> = e
        .fields
        .iter()
        .map(|f| f.name())
        .filter(|n| is_header(n))
        .collect();
    let only_actual = a
        .fields
        .iter()
        .map(|f| f.name())
        .filter(|n| is_header(n) && e.value(n).is_none());
    names.extend(only_actual);
    for name in names {
        rows.push(field_row(name, &e, &a));
    }
    rows.push(payload_row(
        &expected[e.payload.clone()],
        &actual[a.payload.clone()],
    ));
    for name in ["pad", "ICRC", "VCRC"] {
        if e.value(name).is_some() || a.value(name).is_some() {
            rows.push(field_row(name, &e, &a));
        }
    }
    rows
}

/// Returns the most informative field of a difference: the first differing header field, or the payload. Lengths and
/// CRCs only follow from others.
pub fn telling_field(rows: &[Row]) -> Option<&str> {
    let follows = |name: &str| matches!(name, "ICRC" | "VCRC" | "packet length" | "LRH.PktLen");
    let differing = || rows.iter().filter(|r| r.differs);
    differing()
        .find(|r| !follows(&r.field))
        .or_else(|| differing().next())
        .map(|r| r.field.as_str())
}

/// Returns the rows as a table, with `*` before those that differ.
pub fn table(rows: &[Row], headings: [&str; 2]) -> String {
    let width = |f: fn(&Row) -> &str, heading: &str| {
        rows.iter()
            .map(|r| f(r).chars().count())
            .max()
            .unwrap_or(0)
            .max(heading.len())
    };
    let name_width = width(|r| &r.field, "field");
    let expected_width = width(|r| &r.expected, headings[0]);
    let mut text = format!(
        "    {:name_width$}  {:expected_width$}  {}\n",
        "field", headings[0], headings[1]
    );
    for r in rows {
        let mark = if r.differs { '*' } else { ' ' };
        let line = format!(
            "  {mark} {:name_width$}  {:expected_width$}  {}",
            r.field, r.expected, r.actual
        );
        writeln!(text, "{}", line.trim_end()).expect("writing to a string");
    }
    text
}

/// Returns one packet of a link alone, as rows with one side empty.
pub fn single(link: Link, packet: &[u8]) -> Vec<Row> {
    let mut shown = rows(link, packet, packet);
    for r in &mut shown {
        r.actual.clear();
    }
    shown
}

/// Makes a row of a field of both sides.
pub fn row(field: &str, expected: String, actual: String) -> Row {
    Row {
        differs: expected != actual,
        field: field.to_owned(),
        expected,
        actual,
    }
}

fn field_row(name: &str, e: &Dissection, a: &Dissection) -> Row {
    let text = |d: &Dissection| match d.field(name) {
        Some(f) => f.text(),
        None => "-".to_owned(),
    };
    row(name, text(e), text(a))
}

/// Makes a row of the payloads of both sides, from where they differ.
pub fn payload_row(expected: &[u8], actual: &[u8]) -> Row {
    if expected == actual {
        let text = format!("{} bytes", expected.len());
        return row("payload", text.clone(), text);
    }
    let at = expected
        .iter()
        .zip(actual)
        .position(|(e, a)| e != a)
        .unwrap_or(expected.len().min(actual.len()));
    let hex = |bytes: &[u8]| {
        let shown: String = bytes
            .iter()
            .skip(at)
            .take(SHOWN_BYTES)
            .map(|b| format!(" {b:02X}"))
            .collect();
        format!("{} bytes, from {at}:{shown}", bytes.len())
    };
    row("payload", hex(expected), hex(actual))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(psn: u8, payload: &[u8]) -> Vec<u8> {
        let mut p = vec![
            0, 2, 0, 2, 0, 7, 0, 1, 4, 0, 0xFF, 0xFF, 0, 0, 0, 0x11, 0x80, 0, 0, psn,
        ];
        p.extend(payload);
        p.extend([1, 2, 3, 4, 5, 6]);
        p
    }

    #[test]
    fn marks_the_one_field_that_differs() {
        let rows = rows(
            Link::InfiniBand,
            &packet(101, &[1, 2, 3, 4]),
            &packet(100, &[1, 2, 3, 4]),
        );
        let differing: Vec<&str> = rows
            .iter()
            .filter(|r| r.differs)
            .map(|r| r.field.as_str())
            .collect();
        assert_eq!(differing, ["BTH.PSN"]);
        assert_eq!(telling_field(&rows), Some("BTH.PSN"));
        let text = table(&rows, ["expected", "actual"]);
        assert!(text.contains("  * BTH.PSN     101               100\n"), "{text}");
    }

    #[test]
    fn a_payload_difference_tells_more_than_the_crc_that_follows() {
        let mut actual = packet(100, &[1, 2, 9, 4]);
        actual[25] ^= 0xFF;
        let rows = rows(Link::InfiniBand, &packet(100, &[1, 2, 3, 4]), &actual);
        assert_eq!(telling_field(&rows), Some("payload"));
        let payload = rows.iter().find(|r| r.field == "payload").unwrap();
        assert_eq!(payload.expected, "4 bytes, from 2: 03 04");
        assert_eq!(payload.actual, "4 bytes, from 2: 09 04");
    }

    #[test]
    fn equal_packets_have_no_telling_field() {
        let p = packet(7, &[]);
        assert_eq!(telling_field(&rows(Link::InfiniBand, &p, &p)), None);
    }

    #[test]
    fn a_runt_beside_a_packet_is_shown() {
        let rows = rows(Link::InfiniBand, &packet(7, &[]), &[0, 2, 0]);
        assert!(rows
            .iter()
            .any(|r| r.field == "BTH.PSN" && r.actual == "-" && r.differs));
    }
}
