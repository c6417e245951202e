//! Compressed captures, through a pipe and from a file.
use super::*;
use assert_cmd::assert::Assert;
use ruzstd::encoding::{compress_to_vec, CompressionLevel};
use std::io::{Read, Write};

/// A capture of 15 packets on which no rule is broken.
fn base() -> Vec<u8> {
    std::fs::read(capture("field/base.pcap")).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::default());
    encoder.read_to_end(&mut packed).unwrap();
    packed
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = liblzma::read::XzEncoder::new(bytes, 6);
    encoder.read_to_end(&mut packed).unwrap();
    packed
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn piped(bytes: Vec<u8>) -> Assert {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["check", "-"]).write_stdin(bytes).assert()
}

#[test]
fn a_compressed_capture_is_known_by_its_first_bytes() {
    for pack in [gzip, xz, zstandard] {
        let packed = pack(&base());
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&packed).unwrap();
        for judged in [piped(packed), check(&file.path().to_owned())] {
            judged.code(0).stdout(contains("15 packets of RC"));
        }
    }
}

#[test]
fn all_members_and_frames_are_read() {
    let (begin, rest) = (base()[..500].to_vec(), base()[500..].to_vec());
    for pack in [gzip, xz, zstandard] {
        let packed = [pack(&begin), pack(&rest)].concat();
        piped(packed).code(0).stdout(contains("15 packets of RC"));
    }
    // A frame without data, before and between.
    let skipped = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let packed = [
        skipped.to_vec(),
        zstandard(&begin),
        skipped.to_vec(),
        zstandard(&rest),
    ];
    piped(packed.concat())
        .code(0)
        .stdout(contains("15 packets of RC"));
}

#[test]
fn a_damaged_one_is_not_called_unreadable() {
    let packed = zstandard(&base());
    for damaged in [packed[..packed.len() / 2].to_vec(), packed[..5].to_vec()] {
        piped(damaged)
            .code(2)
            .stderr(contains("the compressed file is damaged or cut"));
    }
    let packed = gzip(&base());
    piped(packed[..packed.len() / 2].to_vec())
        .code(2)
        .stderr(contains("the end of the file is missing"));
}
