//! The settings of a campaign. They decide which case a number stands for and what it runs on, and are the same in
//! every shard.
use super::draw::{draw_on, Drawn};
use crate::case::frame::{Devices, Frame};
use crate::life::Area;
use crc::{Crc, Table, CRC_64_XZ};
use hca_golden::port::Link;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// A campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    pub seed: u64,
    pub focus: Area,
    pub devices: Devices,
    /// The profile, instead of a drawn one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Digest of the Verilog that runs instead of the project's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dut: Option<String>,
    /// Number of the active variant of that Verilog.
    #[serde(default, skip_serializing_if = "is_default")]
    pub select: u64,
}

fn is_default(select: &u64) -> bool {
    *select == 0
}

impl Campaign {
    /// Returns the case with this number.
    pub fn draw(&self, index: u64) -> Drawn {
        draw_on(self.seed, index, self.focus, |frame| Frame {
            devices: self.devices,
            profile: self.profile.clone().unwrap_or(frame.profile),
            link: self.link.unwrap_or(frame.link),
            ..frame
        })
    }
}

/// Returns a digest of the files of a folder: names and contents, sorted by name.
pub fn digest_of_folder(folder: &Path) -> io::Result<String> {
    let crc = Crc::<u64>::new(&CRC_64_XZ);
    let mut digest = crc.digest();
    let mut paths = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths.iter().filter(|path| path.is_file()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        digest.update(name.as_bytes());
        digest.update(&std::fs::read(path)?);
    }
    Ok(format!("{:016x}", digest.finalize()))
}

/// Returns a digest of a file.
pub fn digest_of_file(file: &Path) -> io::Result<String> {
    // The program itself is such a file, of more than a hundred megabytes. Sixteen tables take a quarter of the time.
    let crc = Crc::<u64, Table<16>>::new(&CRC_64_XZ);
    Ok(format!("{:016x}", crc.checksum(&std::fs::read(file)?)))
}
