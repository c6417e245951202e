//! A share of the cases: those whose number has a given remainder. All shards together are the whole run.
use std::fmt;
use std::str::FromStr;

/// The share of the cases `index` with `index % of == rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shard {
    pub rest: u64,
    pub of: u64,
}

impl Shard {
    /// The shard of all cases.
    pub const WHOLE: Shard = Shard { rest: 0, of: 1 };

    /// Returns part number `part` of `parts` equal parts of the shard.
    pub fn part(self, part: u64, parts: u64) -> Shard {
        Shard {
            rest: self.rest + self.of * part,
            of: self.of * parts,
        }
    }

    /// Returns the cases of the shard in ascending order, without end.
    pub fn indices(self) -> impl Iterator<Item = u64> {
        (self.rest..).step_by(self.of as usize)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.rest, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parsed = text.split_once('/').and_then(|(rest, of)| {
            let (rest, of) = (rest.parse().ok()?, of.parse::<u16>().ok()?.into());
            (rest < of).then_some(Shard { rest, of })
        });
        parsed.ok_or_else(|| "a shard is i/n, 0/4 to 3/4 of four; there are 65535 at most".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn parts_of_shards_share_nothing_and_miss_nothing() {
        let mut all = BTreeSet::new();
        for shard in ["0/3", "1/3", "2/3"] {
            let shard: Shard = shard.parse().unwrap();
            for part in 0..2 {
                let of_part = shard.part(part, 2).indices().take_while(|i| *i < 100);
                of_part.for_each(|index| assert!(all.insert(index), "{index} twice"));
            }
        }
        assert_eq!(all, (0..100).collect());
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "1", "2/2", "1/0", "-1/2", "a/b", "1/2/3", "1/65536"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!("3/7".parse::<Shard>().unwrap().to_string(), "3/7");
    }
}
