//! The program's own Verilog, kept from run to run. An export takes half a second, and the same program always exports
//! the same.
use super::error::CallError;
use crc::{Crc, CRC_64_XZ};
use hca_host::designs::Designs;
use hca_host::profile::{Link, Profile};
use hca_sim::verilated::target_dir;
use std::fs::{self, Metadata};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// The file that this process runs, even if another file has its name by now.
const PROGRAM: &str = "/proc/self/exe";

/// A module: its name and its text.
pub type Text = (String, String);

/// Returns the modules of a profile's adapter.
pub fn texts(designs: Designs, profile: &Profile) -> Result<Vec<Text>, CallError> {
    let place = Place::of(profile);
    if let Some(texts) = place.as_ref().and_then(Place::load) {
        return Ok(texts);
    }
    let modules = (designs.hca)(profile).map_err(CallError::Export)?.modules;
    let texts: Vec<Text> = modules.into_iter().map(|m| (m.name, m.text)).collect();
    if let Some(place) = &place {
        place.store(&texts);
    }
    Ok(texts)
}

/// The place where a program keeps a design, and how it recognises the design as its own.
struct Place {
    file: PathBuf,
    program: String,
}

impl Place {
    /// Returns the place; `None` if the system does not tell which program this is. Then nothing is kept.
    fn of(profile: &Profile) -> Option<Place> {
        let path = fs::read_link(PROGRAM).ok()?;
        let link = match profile.link {
            Link::InfiniBand => "ib",
            Link::Roce => "roce",
        };
        // There is one file for each path of a program, so that a new build replaces the design of the one before.
        let number = CRC.checksum(path.as_os_str().as_encoded_bytes());
        let name = format!("{}-{link}-{number:016x}", profile.name);
        Some(Place {
            file: target_dir().join("exported").join(name),
            program: identity(&fs::metadata(PROGRAM).ok()?),
        })
    }

    /// Returns what an earlier run of this very program has kept, if it is complete.
    fn load(&self) -> Option<Vec<Text>> {
        let kept = fs::read_to_string(&self.file).ok()?;
        let (crc, rest) = kept.split_once('\n')?;
        if crc != checksum(rest) {
            return None;
        }
        let (program, mut rest) = rest.split_once('\n')?;
        if program != self.program {
            return None;
        }
        let mut texts = Vec::new();
        while let Some((head, behind)) = rest.split_once('\n') {
            let (name, length) = head.split_once(' ')?;
            let (text, next) = behind.split_at_checked(length.parse().ok()?)?;
            texts.push((name.to_owned(), text.to_owned()));
            rest = next;
        }
        Some(texts)
    }

    /// Keeps the design for the next run. If that fails, only time is lost.
    fn store(&self, texts: &[Text]) {
        let mut kept = format!("{}\n", self.program);
        for (name, text) in texts {
            kept += &format!("{name} {}\n{text}", text.len());
        }
        let _ = write_whole(&self.file, &format!("{}\n{kept}", checksum(&kept)));
    }
}

/// Returns a text that distinguishes a program's file from every other, including an earlier one in its place: a file
/// that is written anew has another change time, which nobody can set.
fn identity(program: &Metadata) -> String {
    format!(
        "{} {} {} {}.{:09} {}.{:09}",
        program.dev(),
        program.ino(),
        program.size(),
        program.mtime(),
        program.mtime_nsec(),
        program.ctime(),
        program.ctime_nsec()
    )
}

fn checksum(text: &str) -> String {
    format!("{:016x}", CRC.checksum(text.as_bytes()))
}

/// Writes a file so that no reader sees an incomplete one.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hca_host::profile::SMALL;
    use hca_rtl::export::DESIGNS;

    fn place(folder: &Path, program: &str) -> Place {
        Place {
            file: folder.join("exported").join("small"),
            program: program.to_owned(),
        }
    }

    #[test]
    fn a_program_finds_what_it_has_kept_and_no_other_does() {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<Text> = [("a", "module a;\nendmodule\n"), ("b", ""), ("c", "é\n")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into();
        assert_eq!(place(folder.path(), "1 2 3").load(), None);
        place(folder.path(), "1 2 3").store(&texts);
        assert_eq!(place(folder.path(), "1 2 3").load().unwrap(), texts);
        assert_eq!(place(folder.path(), "1 2 4").load(), None);
    }

    #[test]
    fn what_is_not_whole_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path(), "1 2 3");
        place.store(&[("a".to_owned(), "module a;\nendmodule\n".to_owned())]);
        let whole = fs::read_to_string(&place.file).unwrap();
        for damaged in [
            &whole[..whole.len() - 1],
            "",
            "no checksum\n",
            &whole.replace("module a", "module b"),
        ] {
            fs::write(&place.file, damaged).unwrap();
            assert_eq!(place.load(), None, "{damaged}");
        }
    }

    #[test]
    fn a_file_that_is_written_anew_is_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        let written = || {
            fs::write(&file, "the same").unwrap();
            identity(&fs::metadata(&file).unwrap())
        };
        let first = written();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_ne!(first, written());
    }

    #[test]
    fn the_texts_are_those_of_the_design() {
        let modules = hca_rtl::export::hca(&SMALL).unwrap().modules;
        let expected: Vec<Text> = modules.into_iter().map(|m| (m.name, m.text)).collect();
        for _ in 0..2 {
            assert_eq!(texts(DESIGNS, &SMALL).unwrap(), expected);
        }
    }
}
