//! The tokens of Verilator's C++.
use super::unread::Unread;
use std::ops::Range;

/// The kind of a token. Its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Word,
    Number,
    /// A string, with the name that may follow it.
    Text,
    /// One character of punctuation, or an operator of two or three.
    Mark,
}

/// A token and the bytes of the source that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub at: Range<usize>,
}

/// Operators of more than one character.
const LONG: &[&str] = &[
    "<<=", ">>=", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "<<", ">>",
];

/// Line that begins code for debugging builds of Verilator's output.
const DEBUG: &str = "#ifdef VL_DEBUG";
const END: &str = "#endif";

/// Returns the tokens of a source, without comments, directives, and code in `#ifdef VL_DEBUG`.
pub fn tokens(text: &str) -> Result<Vec<Token>, Unread> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            b' ' | b'\n' | b'\t' | b'\r' => 1,
            b'#' => directive(rest)?,
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => {
                let end = rest
                    .find("*/")
                    .ok_or_else(|| Unread::new("a comment without an end"))?;
                end + 2
            }
            first => {
                let (kind, length) = token(first, rest)?;
                let end = at + length;
                tokens.push(Token { kind, at: at..end });
                length
            }
        };
        at += length;
    }
    Ok(tokens)
}

/// Returns the length of a directive, or of a debugging section.
fn directive(rest: &str) -> Result<usize, Unread> {
    let line = rest.find('\n').unwrap_or(rest.len());
    if rest[..line].trim_end() == DEBUG {
        let end = rest
            .find(END)
            .ok_or_else(|| Unread::new("#ifdef without #endif"))?;
        let section = &rest[line..end];
        if section.contains("\n#") {
            return Err(Unread::new("a directive within #ifdef VL_DEBUG"));
        }
        return Ok(end + END.len());
    }
    if rest[..line].trim_end().ends_with('\\') {
        return Err(Unread::new("a directive of several lines"));
    }
    Ok(line)
}

fn token(first: u8, rest: &str) -> Result<(Kind, usize), Unread> {
    let word = |rest: &str| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        end.unwrap_or(rest.len())
    };
    Ok(match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Kind::Word, word(rest)),
        b'0'..=b'9' => (Kind::Number, word(rest)),
        b'"' => {
            let mut escaped = false;
            let close = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let close = close.ok_or_else(|| Unread::new("a string without an end"))? + 2;
            (Kind::Text, close + word(&rest[close..]))
        }
        _ if first.is_ascii_punctuation() => {
            let long = LONG.iter().find(|mark| rest.starts_with(**mark));
            (Kind::Mark, long.map_or(1, |mark| mark.len()))
        }
        _ => return Err(Unread::new(format!("the byte {first:#04x}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        let tokens = tokens(source).unwrap();
        tokens.into_iter().map(|t| &source[t.at]).collect()
    }

    #[test]
    fn comments_and_debugging_sections_are_left_out() {
        let source = "#include \"a.h\"\nCData/*3:0*/ a; // b\n#ifdef VL_DEBUG\n c();\n#endif  // VL_DEBUG\nd->e<<=0x1fU;";
        let expected = ["CData", "a", ";", "d", "->", "e", "<<=", "0x1fU", ";"];
        assert_eq!(texts(source), expected);
    }

    #[test]
    fn a_string_is_one_token() {
        assert_eq!(
            texts(r#"f("a \" b; }"s, 1)"#),
            ["f", "(", r#""a \" b; }"s"#, ",", "1", ")"]
        );
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        for source in ["/* a", "\"a", "#ifdef VL_DEBUG\n", "\u{e9}", "#define a \\\n b"] {
            assert!(tokens(source).is_err(), "{source}");
        }
    }
}
