//! The range of seeds of `hca cosim --seeds`.
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The seeds of a range, including the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(pub(super) RangeInclusive<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let ends = text.split_once("..");
        let numbers = ends.and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        match numbers {
            None => Err("expected FIRST..LAST, two numbers such as 1..100".to_owned()),
            Some((first, last)) if first > last => Err(format!(
                "the first seed is above the last; {last}..{first} would do"
            )),
            Some((first, last)) => Ok(Seeds(first..=last)),
        }
    }
}

impl Seeds {
    /// Returns the number of seeds.
    pub(super) fn count(&self) -> u64 {
        (self.0.end() - self.0.start()).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_seeds() {
        let seeds: Seeds = "3..5".parse().unwrap();
        assert_eq!(seeds.0.clone().collect::<Vec<u64>>(), [3, 4, 5]);
        assert_eq!(seeds.count(), 3);
        assert_eq!("7..7".parse::<Seeds>().unwrap().count(), 1);
        let all = format!("0..{}", u64::MAX);
        assert_eq!(all.parse::<Seeds>().unwrap().count(), u64::MAX);
    }

    #[test]
    fn what_is_no_range_of_seeds_is_refused() {
        for text in ["", "5", "1..", "..5", "1..=5", "a..b", "-1..5"] {
            assert!(
                text.parse::<Seeds>().unwrap_err().contains("FIRST..LAST"),
                "{text}"
            );
        }
        assert!("9..3".parse::<Seeds>().unwrap_err().contains("3..9"));
    }
}
