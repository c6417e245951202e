//! A case in which the hardware did not do what the model says.
use super::framing::Framing;
use crate::report::side_by_side::{single, table, telling_field, Row};
use hca_golden::wire::header::Unencodable;
use hca_sim::verilated::Error;

/// One case at one width.
#[derive(Debug)]
pub struct Mismatch {
    pub case: u64,
    /// Stream width in bits.
    pub width: usize,
    pub framing: Framing,
    /// What was done to the packet before it arrived; none if it was to be built.
    pub mutation: Option<String>,
    /// As it arrived, or should have left.
    pub frame: Vec<u8>,
    pub difference: Difference,
}

/// In what the two differ.
#[derive(Debug)]
pub enum Difference {
    /// The model's beside the hardware's.
    Rows(Vec<Row>),
    /// A rule of the ports, in words.
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
    /// The field that tells most.
    pub fn field(&self) -> String {
        match &self.difference {
            Difference::Rows(rows) => telling_field(rows).unwrap_or("packet").to_owned(),
            Difference::Rule(rule) => rule.clone(),
        }
    }

    /// For people: what differs, the packet, its bytes, and the command that does it again.
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
