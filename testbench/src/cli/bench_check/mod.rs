//! `hca bench check`: measures how fast, and in how much memory, `hca decode` and `hca check` read generated captures,
//! beside tshark.
mod measured;
mod traffic;

use super::console::Console;
use super::error::CallError;
use super::Verdict;
use clap::Args;
use measured::{run as measure, Measured};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;
use traffic::Traffic;

/// Options of `hca bench check`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Seed of all captures
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Packets of each capture that tshark reads too
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    packets: u64,
    /// Megabytes that come through a pipe, first few and then many: memory must not grow with them; 0 leaves it out
    #[arg(long, value_name = "MB", value_delimiter = ',', default_values_t = [100, 10_000])]
    piped: Vec<u64>,
    /// Threads of `hca decode` and `hca check` [default: one for each processor]
    #[arg(long, value_name = "N")]
    jobs: Option<u16>,
    /// The program beside which they are measured; without it they are measured alone
    #[arg(long, value_name = "PROGRAM", default_value = "tshark")]
    tshark: String,
}

/// A capture for the measurement.
struct Workload {
    words: &'static str,
    connections: u32,
    payload: usize,
}

const WORKLOADS: [Workload; 3] = [
    Workload {
        words: "8 queue pairs, 64 bytes",
        connections: 8,
        payload: 64,
    },
    Workload {
        words: "8 queue pairs, 1024 bytes",
        connections: 8,
        payload: 1024,
    },
    Workload {
        words: "4000 queue pairs, 64 bytes",
        connections: 4000,
        payload: 64,
    },
];
/// Payload of each request that comes through a pipe, in bytes.
const PIPED_PAYLOAD: usize = 1024;
const PIPED_CONNECTIONS: u32 = 8;

const HEADING: &str =
    "capture                        program              packets/s   MB in memory   beside tshark";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let folder = tempfile::tempdir().map_err(|source| temporary(&std::env::temp_dir(), source))?;
    let mut console = Console::new();
    console.line(HEADING)?;
    let mut verdict = Verdict::Held;
    for workload in &WORKLOADS {
        let traffic = Traffic {
            seed: arguments.seed,
            connections: workload.connections,
            payload: workload.payload,
            packets: arguments.packets,
        };
        let path = folder.path().join("bench.pcap");
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            traffic.write(&mut file)
        };
        write().map_err(|source| temporary(folder.path(), source))?;
        let mut tshark = Command::new(&arguments.tshark);
        tshark.args(["-n", "-r"]).arg(&path);
        // Without tshark the rest is measured alone.
        let beside = measure(&mut tshark, None).ok().filter(|run| run.status.success());
        if let Some(run) = &beside {
            console.line(&row(
                workload.words, &arguments.tshark, arguments.packets, run, None,
            ))?;
        }
        for name in ["decode", "check"] {
            let run = measure(arguments.itself(name)?.arg(&path), None).map_err(CallError::Jobs)?;
            if !run.status.success() {
                verdict = Verdict::Differed;
            }
            let name = format!("hca {name}");
            console.line(&row(
                workload.words,
                &name,
                arguments.packets,
                &run,
                beside.as_ref(),
            ))?;
        }
    }
    for megabytes in arguments.piped.iter().filter(|megabytes| **megabytes > 0) {
        let packets = Traffic::packets_of(megabytes * 1_000_000, PIPED_PAYLOAD);
        let traffic = Traffic {
            seed: arguments.seed,
            connections: PIPED_CONNECTIONS,
            payload: PIPED_PAYLOAD,
            packets,
        };
        for name in ["decode", "check"] {
            let mut feed = |pipe: &mut dyn Write| traffic.write(&mut BufWriter::with_capacity(1 << 20, pipe));
            let run = measure(arguments.itself(name)?.arg("-"), Some(&mut feed)).map_err(CallError::Jobs)?;
            if !run.status.success() {
                verdict = Verdict::Differed;
            }
            let words = format!("{megabytes} MB through a pipe");
            console.line(&row(&words, &format!("hca {name}"), packets, &run, None))?;
        }
    }
    if verdict != Verdict::Held {
        console.line("a sound capture was not read to its end, or a rule of it was called broken")?;
    }
    Ok(verdict)
}

impl Arguments {
    /// Returns a command that runs this program with one of its subcommands.
    fn itself(&self, command: &str) -> Result<Command, CallError> {
        let mut program = Command::new(std::env::current_exe().map_err(CallError::Jobs)?);
        program.arg(command);
        if let Some(jobs) = self.jobs {
            program.arg("--jobs").arg(jobs.to_string());
        }
        Ok(program)
    }
}

fn temporary(folder: &Path, source: io::Error) -> CallError {
    CallError::Temporary {
        folder: folder.to_owned(),
        source,
    }
}

fn row(capture: &str, program: &str, packets: u64, run: &Measured, beside: Option<&Measured>) -> String {
    let rate = packets as f64 / run.took.as_secs_f64().max(1e-9);
    let memory = run
        .memory
        .map_or("?".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
    let ratio = beside.map_or(String::new(), |beside| {
        format!(
            "{:.1}",
            beside.took.as_secs_f64() / run.took.as_secs_f64().max(1e-9)
        )
    });
    let line = format!("{capture:<30} {program:<16} {rate:>13.0}   {memory:>12}   {ratio:>13}");
    line.trim_end().to_owned()
}
