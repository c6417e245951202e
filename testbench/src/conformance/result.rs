//! Parses the output of a test program about its cases.
use std::collections::BTreeMap;

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Held,
    Failed {
        /// Output of the case.
        printed: String,
    },
    /// The case did not run.
    Missing {
        why: String,
    },
}

impl Outcome {
    /// Returns true if the case passed.
    pub fn held(&self) -> bool {
        *self == Outcome::Held
    }
}

/// Parses the lines of a test program: `test PATH ... ok`, and after `failures:` the output of each failed case.
#[derive(Default)]
pub struct Reader {
    outcomes: BTreeMap<String, Outcome>,
    /// The failed case whose output follows.
    open: Option<String>,
}

impl Reader {
    /// Takes a line. Returns the case that ended with it.
    pub fn line<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        if let Some((case, result)) = line.strip_prefix("test ").and_then(|l| l.split_once(" ... ")) {
            if let Some(outcome) = outcome(result) {
                self.outcomes.insert(case.to_owned(), outcome);
                return Some(case);
            }
        }
        if let Some(case) = line
            .strip_prefix("---- ")
            .and_then(|l| l.strip_suffix(" stdout ----"))
        {
            self.open = Some(case.to_owned());
        } else if line == "failures:" {
            self.open = None;
        } else if let Some(Outcome::Failed { printed }) =
            self.open.as_ref().and_then(|case| self.outcomes.get_mut(case))
        {
            printed.push_str(line);
            printed.push('\n');
        }
        None
    }

    /// Returns the results of all cases that had one.
    pub fn outcomes(self) -> BTreeMap<String, Outcome> {
        self.outcomes
    }
}

fn outcome(result: &str) -> Option<Outcome> {
    match result {
        "ok" => Some(Outcome::Held),
        "FAILED" => Some(Outcome::Failed {
            printed: String::new(),
        }),
        _ if result.starts_with("ignored") => Some(Outcome::Missing {
            why: "the test program passes it over".to_owned(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "
running 3 tests
test a::model::cf001_x ... ok
test a::hardware::cf001_x ... FAILED
test a::hardware::cf002_y ... ignored, needs a moon

failures:

---- a::hardware::cf001_x stdout ----
thread 'a' panicked
test of nothing ... perhaps


failures:
    a::hardware::cf001_x

test result: FAILED. 1 passed; 1 failed
";

    #[test]
    fn results_and_what_a_failed_case_printed() {
        let mut reader = Reader::default();
        let ended: Vec<&str> = PRINTED.lines().filter_map(|line| reader.line(line)).collect();
        assert_eq!(
            ended,
            ["a::model::cf001_x", "a::hardware::cf001_x", "a::hardware::cf002_y"]
        );
        let outcomes = reader.outcomes();
        assert!(outcomes["a::model::cf001_x"].held());
        let printed = "thread 'a' panicked\ntest of nothing ... perhaps\n\n\n".to_owned();
        assert_eq!(outcomes["a::hardware::cf001_x"], Outcome::Failed { printed });
        assert!(matches!(
            &outcomes["a::hardware::cf002_y"],
            Outcome::Missing { .. }
        ));
    }
}
