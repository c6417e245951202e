//! `hca check`: judges a capture of other people's traffic.
mod look;

use super::console::Console;
use super::decode::packet::{Captured, Rdma};
use super::error::CallError;
use super::Verdict;
use crate::capture::fault::Fault;
use crate::capture::Capture;
use crate::check::{Finding, Judge, Pairing};
use crate::trace::output::OutputFile;
use clap::Args;
use look::Look;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::path::{Path, PathBuf};

/// Options of `hca check`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Capture, pcap or pcapng: native InfiniBand in ERF (link type 197), or Ethernet with RoCEv2 in it (link type 1); `-`
    /// for standard input. It may begin in the middle of a connection
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Also write the findings as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What stands in the JSON document.
#[derive(Serialize)]
struct Document<'a> {
    packets: u64,
    unasked_answers: u64,
    cut_short: u64,
    other_services: u64,
    directions: usize,
    findings: &'a [Finding],
}

/// Runs the command. Exit status 1 if a rule is broken, 2 if the file is; what came before the fault is judged.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let path = &arguments.file;
    let unreadable = |source| CallError::OpenCapture {
        path: path.clone(),
        source,
    };
    // It is read twice.
    let mut file = match path == Path::new("-") {
        true => kept().map_err(unreadable)?,
        false => File::open(path).map_err(unreadable)?,
    };
    let mut pairing = Pairing::default();
    let fault = read(&file, |_, look| {
        if let Look::Sound(packet) = look {
            pairing.packet(packet);
        }
    })
    .err();
    let mut checked = Checked {
        judge: Judge::new(pairing.pairs()),
        cut: 0,
    };
    file.rewind().map_err(unreadable)?;
    // The same fault ends it.
    let _ = read(&file, |rdma, look| checked.look(rdma, look));
    report(&checked, fault.as_ref())?;
    if let Some(path) = &arguments.json {
        write(path, &checked)?;
    }
    match fault {
        Some(fault) => Err(CallError::Capture {
            path: path.clone(),
            fault,
        }),
        None if checked.judge.findings().is_empty() => Ok(Verdict::Held),
        None => Ok(Verdict::Differed),
    }
}

/// Standard input, in a file of its own.
fn kept() -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut io::stdin().lock(), &mut file)?;
    file.rewind()?;
    Ok(file)
}

fn read(file: &File, mut each: impl FnMut(&Rdma, &Look)) -> Result<(), Fault> {
    for record in Capture::new(BufReader::new(file))? {
        let record = record?;
        if let Captured::Rdma(rdma) = Captured::of(&record) {
            each(&rdma, &Look::at(&record, &rdma));
        }
    }
    Ok(())
}

struct Checked {
    judge: Judge,
    /// Packets that were cut short within their headers.
    cut: u64,
}

impl Checked {
    fn look(&mut self, rdma: &Rdma, look: &Look) {
        let number = rdma.number;
        match look {
            Look::Sound(packet) => self.judge.packet(number, rdma.time, packet),
            Look::Malformed(packet, why) => self.judge.malformed(number, packet.as_ref(), why.clone()),
            Look::Cut => {
                self.cut += 1;
                self.judge.cut();
            }
            Look::Foreign => self.judge.foreign(),
        }
    }
}

fn report(checked: &Checked, fault: Option<&Fault>) -> Result<(), CallError> {
    let mut console = Console::new();
    let findings = checked.judge.findings();
    for finding in findings {
        console.line(&finding.to_string())?;
    }
    let counts = checked.judge.counts();
    let of = |n: u64, what: &str| match n {
        0 => String::new(),
        n => format!("; {n} {what}: not judged"),
    };
    let rest = [
        of(
            counts.unasked,
            "answers to requests that the capture does not hold",
        ),
        of(checked.cut, "packets cut short within their headers"),
        of(counts.others, "packets of other services"),
    ]
    .concat();
    if counts.packets == 0 && findings.is_empty() {
        return match fault {
            Some(_) => Ok(()),
            None => Ok(console.line(&format!("no packet of RC{rest}"))?),
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
    Ok(())
}

fn write(path: &Path, checked: &Checked) -> Result<(), CallError> {
    let counts = checked.judge.counts();
    let document = Document {
        packets: counts.packets,
        unasked_answers: counts.unasked,
        cut_short: checked.cut,
        other_services: counts.others,
        directions: counts.directions,
        findings: checked.judge.findings(),
    };
    let mut out = OutputFile::create(path)?;
    serde_json::to_writer_pretty(&mut out, &document)
        .map_err(|e| OutputFile::error(path, io::Error::other(e)))?;
    Ok(out.finish()?)
}
