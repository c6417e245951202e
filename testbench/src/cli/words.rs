//! Words of a command line.
use std::env;
use std::path::Path;

/// Returns the path of this program as it was called, quoted for a shell. The path is relative if the program is below
/// the current folder.
pub fn program() -> String {
    let called = env::args_os().next().unwrap_or_else(|| "hca".into());
    let here = env::current_dir().unwrap_or_default();
    as_called(Path::new(&called), &here)
}

fn as_called(program: &Path, here: &Path) -> String {
    match program.strip_prefix(here) {
        Ok(below) if below.components().count() > 1 => quoted(below),
        // A shell would look for a bare name in PATH.
        Ok(below) => quoted(&Path::new(".").join(below)),
        Err(_) => quoted(program),
    }
}

/// Returns a path, quoted for a shell.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let word = shlex::try_quote(&text).expect("the system takes no NUL in a path");
    word.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_as_it_was_called() {
        for (called, here, named) in [
            ("hca", "/home/me", "hca"),
            ("target/release/hca", "/home/me", "target/release/hca"),
            ("../hca", "/home/me", "../hca"),
            ("/home/me/target/release/hca", "/home/me", "target/release/hca"),
            ("/home/me/hca", "/home/me", "./hca"),
            ("/opt/open hca/hca", "/home/me", "'/opt/open hca/hca'"),
        ] {
            assert_eq!(as_called(Path::new(called), Path::new(here)), named);
        }
    }

    #[test]
    fn a_shell_reads_a_quoted_path_as_one_word() {
        for (path, word) in [
            ("found/case-1_a.toml", "found/case-1_a.toml"),
            ("a b", "'a b'"),
            ("", "''"),
            ("it's", "\"it's\""),
            ("$HOME/*", "'$HOME/*'"),
            ("it's $HOME", "\"it's \"'$HOME'"),
        ] {
            assert_eq!(quoted(Path::new(path)), word);
            assert_eq!(shlex::split(word), Some(vec![path.to_owned()]));
        }
    }
}
