//! `hca check`: judges a capture of other people's traffic.
use super::console::Console;
use super::decode::packet::{Captured, Crc, Judgement, Rdma};
use super::error::CallError;
use super::Verdict;
use crate::capture::fault::Fault;
use crate::capture::Capture;
use crate::check::{Finding, Judge};
use crate::trace::drop_reason;
use crate::trace::output::OutputFile;
use clap::Args;
use hca_golden::wire::frame::Frame;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
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
    other_services: u64,
    directions: usize,
    findings: &'a [Finding],
}

/// Runs the command. Exit status 1 if a rule is broken, 2 if the file is; what came before the fault is judged.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let file = &arguments.file;
    let reader: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(file).map_err(|source| CallError::OpenCapture {
            path: file.clone(),
            source,
        })?),
    };
    let mut judge = Judge::default();
    let fault = read(reader, &mut judge).err();
    report(&judge)?;
    if let Some(path) = &arguments.json {
        let (packets, other_services) = judge.counts();
        let document = Document {
            packets,
            other_services,
            directions: judge.directions(),
            findings: judge.findings(),
        };
        let mut out = OutputFile::create(path)?;
        serde_json::to_writer_pretty(&mut out, &document)
            .map_err(|e| OutputFile::error(path, io::Error::other(e)))?;
        out.finish()?;
    }
    match fault {
        Some(fault) => Err(CallError::Capture {
            path: file.clone(),
            fault,
        }),
        None if judge.findings().is_empty() => Ok(Verdict::Held),
        None => Ok(Verdict::Differed),
    }
}

fn read(reader: Box<dyn Read>, judge: &mut Judge) -> Result<(), Fault> {
    for record in Capture::new(reader)? {
        let record = record?;
        if let Captured::Rdma(rdma) = Captured::of(&record) {
            one(judge, &rdma, &record.bytes);
        }
    }
    Ok(())
}

fn one(judge: &mut Judge, rdma: &Rdma, bytes: &[u8]) {
    match &rdma.judgement {
        Judgement::Malformed(malformed) => {
            judge.malformed(rdma.number, drop_reason::name(malformed.reason).to_owned());
        }
        Judgement::Truncated | Judgement::Foreign => {}
        Judgement::Sound => {
            if let Crc::Wrong { received, computed } = &rdma.icrc {
                judge.malformed(rdma.number, format!("ICRC {received}, computed {computed}"));
            } else if let Some(packet) = Frame::decode(rdma.link, bytes).ok().and_then(Frame::packet) {
                judge.packet(rdma.number, &packet);
            }
        }
    }
}

fn report(judge: &Judge) -> Result<(), CallError> {
    let mut console = Console::new();
    for finding in judge.findings() {
        console.line(&finding.to_string())?;
    }
    let (packets, others) = judge.counts();
    let findings = match judge.findings().len() {
        0 => "no rule is broken".to_owned(),
        1 => "1 finding".to_owned(),
        n => format!("{n} findings"),
    };
    let others = match others {
        0 => String::new(),
        n => format!("; {n} of other services are not judged"),
    };
    let directions = judge.directions();
    console.line(&format!(
        "{packets} packets of RC in {directions} directions: {findings}{others}"
    ))?;
    Ok(())
}
