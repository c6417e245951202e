//! A case in which the hardware and the model differ.
use super::framing::Framing;
use crate::report::side_by_side::{single, table, telling_field, Row};
use hca_golden::wire::header::Unencodable;
use hca_sim::verilated::Error;

/// A differing case at one stream width.
#[derive(Debug)]
pub struct Mismatch {
    pub case: u64,
    /// Stream width in bits.
    pub width: usize,
    pub framing: Framing,
    /// The mutation of the packet before it arrived; `None` if it was to be built.
    pub mutation: Option<String>,
    /// The frame as it arrived, or as it should have left.
    pub frame: Vec<u8>,
    pub difference: Difference,
}

/// The difference.
#[derive(Debug)]
pub enum Difference {
    /// The model's fields beside the hardware's.
    Rows(Vec<Row>),
    /// A broken rule of the ports, in words.
    Rule(String),
}

/// Why a run ends early.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    #[error("the hardware differs in case {}", .0.case)]
    Mismatch(Box<Mismatch>),
    #[error(transparent)]
    Build(#[from] Error),
    #[error("a case is no packet: {0}")]
    Unencodable(#[from] Unencodable),
}

impl From<Mismatch> for Stop {
    fn from(mismatch: Mismatch) -> Stop {
        Stop::Mismatch(Box::new(mismatch))
    }
}

impl Mismatch {
    /// Returns the most informative field.
    pub fn field(&self) -> String {
        match &self.difference {
            Difference::Rows(rows) => telling_field(rows).unwrap_or("packet").to_owned(),
            Difference::Rule(rule) => rule.clone(),
        }
    }

    /// Returns the text for people: the differences, the packet, its bytes, and the command that repeats the case.
    pub fn render(&self, seed: u64, replay: &str) -> String {
        let Mismatch { case, width, .. } = self;
        let block = match self.mutation {
            Some(_) => "link receive",
            None => "packet builder",
        };
        let mut text = format!(
            "DIFFERS: wire, seed {seed}, case {case}: {block} at {width} bits, {}: {}\n\n",
            self.framing,
            self.field()
        );
        if let Difference::Rows(rows) = &self.difference {
            text += &table(rows, ["model", "hardware"]);
            text += "\n";
        }
        if let Some(mutation) = &self.mutation {
            text += &format!(
                "The packet that arrived, {} bytes, {mutation}:\n",
                self.frame.len()
            );
            text += &table(&single(self.framing.link(), &self.frame), ["value", ""]);
        }
        for line in self.frame.chunks(32) {
            text += "   ";
            for byte in line {
                text += &format!(" {byte:02x}");
            }
            text += "\n";
        }
        text + &format!("\nAgain: {replay}\n")
    }
}
