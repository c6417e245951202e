//! What `hca check` says: a line for each finding and one of all, or a JSON document.
use super::reading::{Checked, Reading};
use crate::capture::fault::Fault;
use crate::check::Finding;
use crate::cli::console::Console;
use crate::cli::error::CallError;
use crate::trace::output::OutputFile;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// What stands in the JSON document.
#[derive(Serialize)]
struct Document<'a> {
    /// Whether any packet was held to a rule.
    judged: bool,
    packets: u64,
    unasked_answers: u64,
    answers_in_other_networks: u64,
    packets_too_many_alike: u64,
    cut_short: u64,
    other_services: u64,
    newer_opcodes: u64,
    not_rdma: u64,
    other_link_types: &'a BTreeMap<u32, u64>,
    packets_twice: u64,
    psns_the_capture_lacks: u64,
    acks_overtaken: u64,
    icrc_not_made: u64,
    directions: usize,
    findings: &'a [Finding],
}

/// Tells people, and writes the document; on standard output one of the two.
pub fn report(
    json: Option<&Path>,
    checked: &Checked,
    reading: &Reading,
    fault: Option<&Fault>,
) -> Result<(), CallError> {
    if json != Some(Path::new("-")) {
        lines(checked, reading, fault)?;
    }
    match json {
        Some(path) => write(path, checked, reading),
        None => Ok(()),
    }
}

fn lines(checked: &Checked, reading: &Reading, fault: Option<&Fault>) -> Result<(), CallError> {
    let mut console = Console::gathering();
    let findings = checked.judge.findings();
    for finding in findings {
        console.line(&finding.to_string())?;
    }
    if reading.zero > 0 {
        let zero = match reading.zero {
            1 => "1 ICRC is".to_owned(),
            n => format!("{n} ICRCs are"),
        };
        console.line(&format!(
            "{zero} 0: if the capture was made before the ICRC is, `--zero-icrc` judges the packets all the same"
        ))?;
    }
    let counts = checked.judge.counts();
    let rest = rest(checked, reading);
    if !checked.is_judged() {
        return match fault {
            Some(_) => Ok(console.flush()?),
            None => {
                let why = match counts.packets {
                    0 => "no packet of RC".to_owned(),
                    1 => "of 1 packet of RC nothing can be held to a rule".to_owned(),
                    n => format!("of {n} packets of RC none can be held to a rule"),
                };
                console.line(&format!("nothing was judged: {why}{rest}"))?;
                Ok(console.flush()?)
            }
        };
    }
    let found = match (findings.len(), fault) {
        (0, None) => "no rule is broken".to_owned(),
        (0, Some(_)) => "no rule is broken before the file's fault".to_owned(),
        (1, _) => "1 finding".to_owned(),
        (n, _) => format!("{n} findings"),
    };
    let packets = match counts.packets {
        1 => "1 packet".to_owned(),
        n => format!("{n} packets"),
    };
    let directions = match counts.directions {
        1 => "requests of 1 direction".to_owned(),
        n => format!("requests of {n} directions"),
    };
    console.line(&format!("{packets} of RC, {directions}: {found}{rest}"))?;
    Ok(console.flush()?)
}

/// What was not judged, and what was judged otherwise than it stands in the file.
fn rest(checked: &Checked, reading: &Reading) -> String {
    let counts = checked.judge.counts();
    let links = reading.other_links.iter();
    [
        clause(
            counts.unasked - counts.elsewhere,
            "answer to a request that the capture does not hold: not judged",
            "answers to requests that the capture does not hold: not judged",
        ),
        clause(
            counts.elsewhere,
            "answer in another VLAN or network than the requests: not judged",
            "answers in another VLAN or network than the requests: not judged",
        ),
        clause(
            counts.alike,
            "packet of connections that are too many alike to be told apart: not judged",
            "packets of connections that are too many alike to be told apart: not judged",
        ),
        clause(
            checked.cut,
            "packet cut short within its headers: not judged",
            "packets cut short within their headers: not judged",
        ),
        clause(
            counts.others,
            "packet of another service: not judged",
            "packets of other services: not judged",
        ),
        clause(
            counts.newer,
            "packet of a newer opcode (FLUSH, ATOMIC WRITE): not judged",
            "packets of newer opcodes (FLUSH, ATOMIC WRITE): not judged",
        ),
        clause(
            reading.not_rdma,
            "packet that is not RDMA",
            "packets that are not RDMA",
        ),
        links
            .map(|(link, n)| {
                clause(
                    *n,
                    &format!("packet of link type {link}, which is not read"),
                    &format!("packets of link type {link}, which is not read"),
                )
            })
            .collect(),
        clause(
            reading.twice,
            "packet that came twice, byte for byte: judged once",
            "packets that came twice, byte for byte: judged once",
        ),
        clause(
            counts.lacks,
            "PSN that was acknowledged, and whose request the capture lacks",
            "PSNs that were acknowledged, and whose requests the capture lacks",
        ),
        clause(
            counts.overtaken,
            "ack behind a newer one, right for its place: in order, for all that the capture shows",
            "acks behind newer ones, right for their place: in order, for all that the capture shows",
        ),
        clause(
            reading.unprotected,
            "packet whose ICRC is 0: judged without it",
            "packets whose ICRC is 0: judged without it",
        ),
    ]
    .concat()
}

/// So many of something, if there are any.
fn clause(n: u64, one: &str, many: &str) -> String {
    match n {
        0 => String::new(),
        1 => format!("; 1 {one}"),
        n => format!("; {n} {many}"),
    }
}

fn write(path: &Path, checked: &Checked, reading: &Reading) -> Result<(), CallError> {
    let counts = checked.judge.counts();
    let document = Document {
        judged: checked.is_judged(),
        packets: counts.packets,
        unasked_answers: counts.unasked - counts.elsewhere,
        answers_in_other_networks: counts.elsewhere,
        packets_too_many_alike: counts.alike,
        cut_short: checked.cut,
        other_services: counts.others,
        newer_opcodes: counts.newer,
        not_rdma: reading.not_rdma,
        other_link_types: &reading.other_links,
        packets_twice: reading.twice,
        psns_the_capture_lacks: counts.lacks,
        acks_overtaken: counts.overtaken,
        icrc_not_made: reading.unprotected,
        directions: counts.directions,
        findings: checked.judge.findings(),
    };
    if path == Path::new("-") {
        let text = serde_json::to_string_pretty(&document).expect("names are text and numbers are finite");
        return Ok(Console::new().line(&text)?);
    }
    let mut out = OutputFile::create(path)?;
    serde_json::to_writer_pretty(&mut out, &document)
        .map_err(io::Error::other)
        .and_then(|()| out.flush())
        .map_err(|e| OutputFile::error(path, e))?;
    Ok(out.finish()?)
}
