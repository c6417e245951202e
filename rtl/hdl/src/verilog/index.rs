//! Array indices in signal names: `lane[i * 2 + 1]`.
//!
//! rust-hdl passes the indices of arrays on as source text.

/// Loop variables in scope with their values, innermost last.
pub(super) type Loops = [(String, usize)];

/// Returns the name with each `[expression]` replaced by `$value`.
///
/// # Errors
/// Returns the part that is neither a number nor a loop variable.
pub(super) fn resolve(name: &str, loops: &Loops) -> Result<String, String> {
    let mut resolved = String::new();
    let mut rest = name;
    while let Some(open) = rest.find('[') {
        let close = matching(&rest[open..]).ok_or_else(|| rest.to_string())? + open;
        let value = Parser {
            text: &rest.as_bytes()[open + 1..close],
            at: 0,
            loops,
        }
        .whole()?;
        resolved.push_str(&format!("{}${value}", &rest[..open]));
        rest = &rest[close + 1..];
    }
    resolved.push_str(rest);
    Ok(resolved)
}

fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    loops: &'a Loops,
}

impl Parser<'_> {
    fn whole(mut self) -> Result<usize, String> {
        let value = self.sum()?;
        self.skip();
        if self.at != self.text.len() || value < 0 {
            return Err(String::from_utf8_lossy(self.text).into_owned());
        }
        Ok(value as usize)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            let op = self.peek();
            if !matches!(op, Some(b'+' | b'-')) {
                return Ok(value);
            }
            let right = self.after()?.product()?;
            let result = match op {
                Some(b'+') => value.checked_add(right),
                _ => value.checked_sub(right),
            };
            value = self.checked(result)?;
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.term()?;
        loop {
            let op = self.peek();
            if !matches!(op, Some(b'*' | b'/' | b'%')) {
                return Ok(value);
            }
            let right = self.after()?.term()?;
            let result = match op {
                Some(b'*') => value.checked_mul(right),
                Some(b'/') => value.checked_div(right),
                _ => value.checked_rem(right),
            };
            value = self.checked(result)?;
        }
    }

    fn term(&mut self) -> Result<i64, String> {
        if self.peek() == Some(b'(') {
            let value = self.after()?.sum()?;
            return match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    Ok(value)
                }
                _ => Err(String::from_utf8_lossy(self.text).into_owned()),
            };
        }
        self.skip();
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
        {
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        if let Some((_, value)) = self.loops.iter().rev().find(|(name, _)| *name == word) {
            return Ok(*value as i64);
        }
        let digits = word.trim_end_matches("usize").replace('_', "");
        digits
            .parse()
            .map_err(|_| if word.is_empty() { "[]".into() } else { word })
    }

    fn checked(&self, value: Option<i64>) -> Result<i64, String> {
        value.ok_or_else(|| String::from_utf8_lossy(self.text).into_owned())
    }

    fn after(&mut self) -> Result<&mut Self, String> {
        self.at += 1;
        Ok(self)
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.get(self.at).copied()
    }

    fn skip(&mut self) {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_computed() {
        let loops = [("i".to_string(), 3)];
        assert_eq!(resolve("a[i]$d", &loops).as_deref(), Ok("a$3$d"));
        assert_eq!(resolve("a[(i+1)*2-1][0]", &loops).as_deref(), Ok("a$7$0"));
        assert_eq!(resolve("a[N-1]", &loops), Err("N".into()));
        assert_eq!(resolve("a[i-4]", &loops), Err("i-4".into()));
        assert_eq!(
            resolve("a[9223372036854775807+1]", &[]),
            Err("9223372036854775807+1".into())
        );
        assert_eq!(resolve("a[i/0]", &loops), Err("i/0".into()));
    }
}
