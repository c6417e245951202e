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
    cut_short: u64,
    other_services: u64,
    newer_opcodes: u64,
    not_rdma: u64,
    other_link_types: &'a BTreeMap<u32, u64>,
    packets_twice: u64,
    requests_the_capture_lacks: u64,
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
        let n = reading.zero;
        console.line(&format!(
            "{n} ICRCs are 0: if the capture was made before the ICRC is, `--zero-icrc` judges the packets all the same"
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
                    n => format!("of {n} packets of RC none is a request, nor an answer to one"),
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
    let directions = match counts.directions {
        1 => "requests of 1 direction".to_owned(),
        n => format!("requests of {n} directions"),
    };
    console.line(&format!(
        "{} packets of RC, {directions}: {found}{rest}",
        counts.packets
    ))?;
    Ok(console.flush()?)
}

/// What was not judged, and what was judged otherwise than it stands in the file.
fn rest(checked: &Checked, reading: &Reading) -> String {
    let counts = checked.judge.counts();
    let of = |n: u64, what: &str| match n {
        0 => String::new(),
        n => format!("; {n} {what}"),
    };
    let links = reading.other_links.iter();
    [
        of(
            counts.unasked,
            "answers to requests that the capture does not hold: not judged",
        ),
        of(checked.cut, "packets cut short within their headers: not judged"),
        of(counts.others, "packets of other services: not judged"),
        of(
            counts.newer,
            "packets of newer opcodes (FLUSH, ATOMIC WRITE): not judged",
        ),
        of(reading.not_rdma, "packets that are not RDMA"),
        links
            .map(|(link, n)| format!("; {n} packets of link type {link}, which is not read"))
            .collect(),
        of(
            reading.twice,
            "packets that came twice, byte for byte: judged once",
        ),
        of(
            counts.lacks,
            "requests that were acknowledged, and that the capture lacks",
        ),
        of(reading.unprotected, "packets whose ICRC is 0: judged without it"),
    ]
    .concat()
}

fn write(path: &Path, checked: &Checked, reading: &Reading) -> Result<(), CallError> {
    let counts = checked.judge.counts();
    let document = Document {
        judged: checked.is_judged(),
        packets: counts.packets,
        unasked_answers: counts.unasked,
        cut_short: checked.cut,
        other_services: counts.others,
        newer_opcodes: counts.newer,
        not_rdma: reading.not_rdma,
        other_link_types: &reading.other_links,
        packets_twice: reading.twice,
        requests_the_capture_lacks: counts.lacks,
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
