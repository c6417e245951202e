//! Describes the first difference in a few words. Failures with the same words count as the same fault.
use crate::scoreboard::failure::{Failure, Kind};
use hca_golden::event::Event;

/// Largest number of characters of a quoted text.
const QUOTED: usize = 80;

/// Returns field or rule, kind of event, and the rule's requirement: nothing that varies between runs.
pub fn differed(failure: &Failure) -> String {
    let mut words = failure.field();
    if let Some(event) = &failure.event {
        words += " at ";
        words += &kind_of(event);
    }
    match &failure.kind {
        Kind::Violation { violation, .. } => {
            let (expected, actual) = (plain(&violation.expected), plain(&violation.actual));
            words += &format!(": expected {expected}, the device {actual}");
            words += &format!(" [{}]", violation.rule.citation());
        }
        Kind::Verb {
            verb,
            expected,
            actual,
        } => {
            let result = |r: &Result<_, String>| match r {
                Ok(_) => "accepted".to_owned(),
                Err(reason) => plain(reason),
            };
            words += &format!(
                ": {}, expected {}, actual {}",
                plain(verb),
                result(expected),
                result(actual)
            );
        }
        Kind::Event { expected, actual } => {
            let (expected, actual) = (format!("{expected:?}"), format!("{actual:?}"));
            words += &format!(": expected {}, actual {}", plain(&expected), plain(&actual));
        }
        Kind::Memory { what, .. } => words += &format!(": {}", plain(what)),
        Kind::Stalled { due, .. } | Kind::Missing { due } => {
            if let Some(first) = due.first() {
                words += &format!(": {}", plain(first));
            }
        }
        Kind::Fault { rule } => words += &format!(": {}", plain(rule)),
        Kind::Packet { .. }
        | Kind::ExtraPacket { .. }
        | Kind::Completion { .. }
        | Kind::Expectation { .. } => {}
    }
    words
}

/// Returns the name of an event, without its numbers.
fn kind_of(event: &Event) -> String {
    let text = format!("{event:?}");
    let end = text.find([' ', '(', '{']).unwrap_or(text.len());
    text[..end].to_owned()
}

/// Replaces numbers by `n`, so that the text names no PSN, QPN, address or cycle, and truncates it.
fn plain(text: &str) -> String {
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || (word.ends_with('h') && word[..word.len() - 1].chars().all(|c| c.is_ascii_hexdigit()))
    };
    let mut words = String::new();
    let mut word = String::new();
    for c in text.chars().take(QUOTED).chain(Some(' ')) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        words += if is_number(&word) { "n" } else { &word };
        word.clear();
        words.push(c);
    }
    words.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_tell_failures_apart() {
        let words = plain("CQE of wr_id 17 in CQ 2 of QP 000A12h, 0x20000000");
        assert_eq!(words, "CQE of wr_id n in CQ n of QP n, n");
        assert_eq!(plain("a bad h"), "a bad h".replace('h', "n"));
    }

    #[test]
    fn an_event_is_named_by_its_kind() {
        let event = Event::RequestEmitted { qpn: 2, psn: 3 };
        assert_eq!(kind_of(&event), "RequestEmitted");
    }
}
