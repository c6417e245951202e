//! `hca replay FILE`: repeats a case bit for bit.
use super::super::console::Console;
use super::super::error::CallError;
use super::super::recorder::Recorder;
use super::super::variant::Variant;
use super::super::waves::{supervise, Waves};
use super::super::words::{program, quoted};
use super::super::Verdict;
use super::devices::Devices;
use crate::case::frame;
use crate::case::Case;
use crate::fuzz::{differed, run_case};
use crate::report::{self, Context};
use crate::Side;
use clap::Args;
use hca_host::designs::Designs;
use hca_host::profile;
use std::path::{Path, PathBuf};

/// Options of `hca replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A case as `hca fuzz` writes it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    #[command(flatten)]
    variant: Variant,
    /// Two golden models, whatever the case ran on; needs no Verilator
    #[arg(long)]
    golden_only: bool,
    /// Write the packets for Wireshark
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Write waves: FILE shows the device that differed (X if none did), a file beside it the other one
    #[arg(long, value_name = "FILE")]
    fst: Option<PathBuf>,
}

/// Returns the command that repeats the case of a file. `program` is the name under which the program was called.
pub fn command(
    program: &str,
    file: &Path,
    dut: Option<&Path>,
    select: u64,
    devices: frame::Devices,
) -> String {
    let mut words = format!("{program} replay {}", quoted(file));
    if let Some(dut) = dut {
        words += &format!(" --dut {}", quoted(dut));
    }
    if select != 0 {
        words += &format!(" --select {select}");
    }
    if devices == frame::Devices::Hardware {
        words += " --fst waves.fst";
    }
    words
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let mut case = Case::read(&arguments.file).map_err(|source| CallError::Case {
        path: arguments.file.clone(),
        source,
    })?;
    if arguments.golden_only {
        case.frame.devices = frame::Devices::Models;
    }
    let on_models = case.frame.devices == frame::Devices::Models;
    let of_hardware = [
        (arguments.dut.is_some(), "--dut"),
        (arguments.fst.is_some(), "--fst"),
    ];
    if let Some((_, option)) = of_hardware.into_iter().find(|(given, _)| *given && on_models) {
        return Err(match arguments.golden_only {
            true => CallError::NeedsHardware { option },
            false => CallError::CaseOfModels { option },
        });
    }
    let waves = arguments.fst.as_deref().map(Waves::of_this_process);
    if let (Some(None), Some(file)) = (&waves, &arguments.fst) {
        return supervise(file);
    }
    replay(designs, arguments, &case, waves.flatten().as_ref())
}

fn replay(
    designs: Designs,
    arguments: &Arguments,
    case: &Case,
    waves: Option<&Waves>,
) -> Result<Verdict, CallError> {
    let mut devices = Devices::new(
        designs,
        arguments.dut.clone(),
        arguments.variant.select,
        waves.is_some(),
    );
    let fresh = devices.of(&case.frame, waves)?;
    let clock_hz = profile::by_name(&case.frame.profile)
        .unwrap_or(&profile::SMALL)
        .clock_hz;
    let link = case.frame.link;
    let mut recorder = Recorder::new(
        arguments.pcap.as_deref(),
        link,
        false,
        clock_hz,
        "--pcap has all packets",
    )?;
    let on = match case.frame.devices {
        frame::Devices::Models => "two golden models".to_owned(),
        frame::Devices::Hardware => format!(
            "two Verilated HCAs (profile {}), each beside its golden model",
            case.frame.profile
        ),
    };
    let (name, steps) = (case.name(), case.steps.len());
    recorder.line(&format!("{name}, seed {}: {steps} steps on {on}", case.seed))?;
    if let Some(cycles) = case.frame.reset {
        recorder.line(&format!(
            "after a reset {cycles} clock cycles into the same life, or at its end; only waves show that life"
        ))?;
    }
    let run = run_case(case, fresh, &mut recorder)?;
    recorder.finish()?;
    let mut console = Console::new();
    if let Some(waves) = waves {
        let side = run.failure.as_ref().and_then(|f| f.side).unwrap_or(Side::X);
        console.line(&waves.settle(side)?)?;
    }
    let Some(failure) = &run.failure else {
        if let Some(words) = &case.differed {
            console.line(&format!(
                "what differed when the case was written does not now: {words}"
            ))?;
        }
        console.line(&format!(
            "HELD: {} packets, {} completions, {} decisions in {} cycles; nothing differed",
            run.packets, run.completions, run.decisions, run.cycles
        ))?;
        return Ok(Verdict::Held);
    };
    let command = command(
        &program(),
        &arguments.file,
        arguments.dut.as_deref(),
        arguments.variant.select,
        case.frame.devices,
    );
    let context = Context {
        scenario: &name,
        seed: case.seed,
        replay: &command,
    };
    console.line(&format!("\n{}", report::render(failure, &context)))?;
    let words = differed(failure);
    console.line(&match &case.differed {
        Some(before) if *before == words => format!("as the case tells: {words}"),
        Some(before) => format!("{words}\nwhile the case tells: {before}"),
        None => words,
    })?;
    Ok(Verdict::Differed)
}
