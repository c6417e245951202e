//! The output of `hca check`: a line for each finding and one for the totals, a JSON document, or one JSON document a
//! line.
use super::running::Running;
use super::summary::lines;
use crate::capture::fault::Fault;
use crate::check::Finding;
use crate::cli::console::Console;
use crate::cli::error::CallError;
use crate::cli::intake::Written;
use crate::trace::output::{OutputError, OutputFile};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The part of the JSON document beside the findings.
#[derive(Serialize)]
struct Totals {
    /// True if any packet was judged by a rule.
    judged: bool,
    packets: u64,
    unasked_answers: u64,
    answers_in_other_networks: u64,
    answers_of_queue_pairs_made_anew: u64,
    packets_too_many_alike: u64,
    cut_short: u64,
    other_services: u64,
    newer_opcodes: u64,
    not_rdma: u64,
    other_link_types: BTreeMap<u32, u64>,
    packets_twice: u64,
    psns_the_capture_lacks: u64,
    acks_overtaken: u64,
    directions_without_answers: u64,
    icrc_not_made: u64,
    left_out: u64,
    directions: usize,
    packets_of_uc: u64,
    datagrams: u64,
    link_packets: u64,
    psns_of_uc_lost: u64,
    messages_of_uc_begun_before: u64,
    messages_of_uc_with_losses: u64,
    messages_of_uc_not_ended: u64,
    q_keys_not_shown: u64,
    q_keys_not_shown_and_differing: u64,
    q_keys_unlike_those_shown: u64,
    own_q_keys_changed: u64,
    /// Number of MADs by name.
    mads: BTreeMap<String, u64>,
}

impl Totals {
    fn of(running: &Running<'_>) -> Totals {
        let counts = running.counts();
        Totals {
            judged: running.is_judged(),
            packets: counts.packets,
            unasked_answers: counts.unasked - counts.elsewhere,
            answers_in_other_networks: counts.elsewhere,
            answers_of_queue_pairs_made_anew: counts.held,
            packets_too_many_alike: counts.alike,
            cut_short: running.cut(),
            other_services: counts.others,
            newer_opcodes: counts.newer,
            not_rdma: running.not_rdma,
            other_link_types: running.other_links.clone(),
            packets_twice: running.twice(),
            psns_the_capture_lacks: counts.lacks,
            acks_overtaken: counts.overtaken,
            directions_without_answers: counts.unanswered,
            icrc_not_made: running.unprotected,
            left_out: running.left_out + counts.left_out,
            directions: counts.directions,
            packets_of_uc: counts.unreliable,
            datagrams: counts.datagrams,
            link_packets: running.link_packets,
            psns_of_uc_lost: counts.lost,
            messages_of_uc_begun_before: counts.headless,
            messages_of_uc_with_losses: counts.broken,
            messages_of_uc_not_ended: counts.unfinished,
            q_keys_not_shown: counts.q_keys_unknown,
            q_keys_not_shown_and_differing: counts.q_keys_differing,
            q_keys_unlike_those_shown: counts.q_keys_refused,
            own_q_keys_changed: counts.q_keys_changed,
            mads: counts.mads.iter().map(|(mad, n)| (mad.name(), *n)).collect(),
        }
    }
}

/// The format on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for people.
    Lines,
    /// A JSON document a line.
    Stream,
    /// Nothing, or the one JSON document.
    Nothing,
}

/// The destination of findings.
struct Output {
    console: Console,
    format: Format,
    document: Option<Document>,
}

/// A JSON document that is being written.
struct Document {
    path: PathBuf,
    /// The file; `None` for standard output.
    file: Option<OutputFile>,
    findings: u64,
}

/// Writes findings once they are final, and then the totals.
pub struct Report {
    output: Output,
    /// Findings are shown before they are final.
    follow: bool,
}

impl Document {
    fn begin(path: &Path, console: &mut Console) -> Result<Document, OutputError> {
        let file = (path != Path::new("-")).then(|| OutputFile::create(path));
        let mut document = Document {
            path: path.to_owned(),
            file: file.transpose()?,
            findings: 0,
        };
        document.line(console, "{\n\"findings\": [")?;
        Ok(document)
    }

    fn line(&mut self, console: &mut Console, text: &str) -> Result<(), OutputError> {
        match &mut self.file {
            None => console.line(text),
            Some(file) => writeln!(file, "{text}").map_err(|e| OutputFile::error(&self.path, e)),
        }
    }

    fn finding(&mut self, console: &mut Console, finding: &Finding) -> Result<(), OutputError> {
        let comma = if self.findings == 0 { " " } else { "," };
        self.findings += 1;
        self.line(console, &format!("{comma}{}", json(finding)))
    }

    fn end(mut self, console: &mut Console, totals: &Totals) -> Result<(), OutputError> {
        let totals = json(totals);
        self.line(console, &format!("],\n{}", totals.trim_start_matches('{')))?;
        let Some(mut file) = self.file else { return Ok(()) };
        file.flush()
            .map_err(|e: io::Error| OutputFile::error(&self.path, e))?;
        file.finish()
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names are text and numbers are finite")
}

impl Output {
    fn finding(&mut self, finding: &Finding) -> Result<(), OutputError> {
        match self.format {
            Format::Lines => self.console.line(&finding.to_string())?,
            Format::Stream => self.console.line(&json(finding))?,
            Format::Nothing => {}
        }
        match &mut self.document {
            Some(document) => document.finding(&mut self.console, finding),
            None => Ok(()),
        }
    }

    /// Reports that a finding which was shown is withdrawn.
    fn withdrawn(&mut self, finding: &Finding) -> Result<(), OutputError> {
        let (packet, row) = (finding.packet, finding.rule.requirement());
        match self.format {
            Format::Lines => self.console.line(&format!(
                "{packet:>7}  {row}  withdrawn: what came since explains it"
            )),
            Format::Stream => self.console.line(&format!(
                "{{\"withdrawn\": {{\"packet\": {packet}, \"requirement\": \"{row}\"}}}}"
            )),
            Format::Nothing => Ok(()),
        }
    }
}

impl Report {
    /// Begins the report. `document` is the path of the JSON document; `-` is standard output. With `follow`, findings
    /// are shown as they come.
    pub fn new(format: Format, document: Option<&Path>, follow: bool) -> Result<Report, OutputError> {
        let mut console = match follow {
            true => Console::new(),
            false => Console::gathering(),
        };
        let format = match document {
            Some(path) if path == Path::new("-") => Format::Nothing,
            _ => format,
        };
        let document = document.map(|path| Document::begin(path, &mut console));
        Ok(Report {
            output: Output {
                document: document.transpose()?,
                console,
                format,
            },
            follow,
        })
    }

    /// Writes the findings that are final; of a growing capture, those that are old enough.
    pub fn progress(&mut self, running: &mut Running<'_>) -> Result<Written, OutputError> {
        let mut written = Written::Nothing;
        if self.follow {
            let before = running.passed;
            let found = running.found();
            for finding in found.take_withdrawn() {
                self.output.withdrawn(&finding)?;
                written = Written::Lines;
            }
            while let Some(finding) = found.show(before) {
                self.output.finding(finding)?;
                written = Written::Lines;
            }
        }
        match self.close(running, false)? {
            Written::Nothing => Ok(written),
            lines => Ok(lines),
        }
    }

    fn close(&mut self, running: &mut Running<'_>, last: bool) -> Result<Written, OutputError> {
        let mut written = Written::Nothing;
        while let Some(finding) = running.found().close(last) {
            self.output.finding(&finding)?;
            written = Written::Lines;
        }
        Ok(written)
    }

    /// Ends the report with the totals. An error of the file is part of the stream; for people it is printed on
    /// standard error.
    pub fn end(mut self, running: &mut Running<'_>, fault: Option<&Fault>) -> Result<(), CallError> {
        self.progress(running)?;
        self.close(running, true)?;
        let Output {
            mut console,
            format,
            document,
        } = self.output;
        match format {
            Format::Lines => {
                for line in lines(running, fault) {
                    console.line(&line)?;
                }
            }
            Format::Stream => {
                let fault = json(&fault.map(Fault::to_string));
                let totals = json(&Totals::of(running));
                console.line(&format!("{{\"totals\": {totals}, \"fault\": {fault}}}"))?;
            }
            Format::Nothing => {}
        }
        if let Some(document) = document {
            document.end(&mut console, &Totals::of(running))?;
        }
        Ok(console.flush()?)
    }
}
