//! Files of any bytes: nothing panics, hangs, or takes memory because a file claims it.
use super::*;
use proptest::prelude::*;
use proptest::sample::{select, Index};

/// Kilobytes of address space, stacks of all threads included.
const SPACE: &str = "1500000";
const PATIENCE: Duration = Duration::from_secs(20);

/// Captures of each format and link, their bytes changed, cut and repeated.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let names = [
        "rc_cas.pcap", "field/base.pcap", "field/fcslen32.pcapng", "field/mixed_if.pcapng",
        "field/ib247.pcap", "field/rocev1.pcap", "field/erspan2.pcap", "field/nvgre.pcap",
        "field/erf_eth.pcap",
    ];
    let value = prop_oneof![any::<u8>(), select(vec![0, 1, 0x7F, 0x80, 0xFF])];
    let changes = proptest::collection::vec((any::<Index>(), value), 0..30);
    (
        select(names.to_vec()),
        changes,
        any::<Index>(),
        any::<bool>(),
        any::<Index>(),
    )
        .prop_map(|(name, changes, cut, is_cut, repeat)| {
            let mut bytes = std::fs::read(capture(name)).unwrap();
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
                let again = bytes[repeat.index(bytes.len() + 1)..].to_vec();
                bytes.extend(again);
            }
            bytes
        })
}

/// Runs the command on bytes that come through a pipe; it says what is wrong, if anything is.
fn survives(command: &str, bytes: &[u8]) {
    let mut limited = Command::new("sh");
    let line = format!("ulimit -v {SPACE}; exec \"$0\" {command} -");
    limited.args(["-c", &line, env!("CARGO_BIN_EXE_hca")]);
    let ran = limited.write_stdin(bytes).timeout(PATIENCE).assert();
    let output = ran.get_output();
    let code = output.status.code();
    assert!(
        code.is_some_and(|code| code <= 3),
        "{command} ends with {:?}",
        output.status
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(code == Some(2), told.starts_with("error: "), "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_damaged_capture_is_survived(bytes in damaged(), command in select(vec!["check", "decode", "decode --json"])) {
        survives(command, &bytes);
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2000), begin in select(vec![
        &[][..], &[0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0], &[0x0A, 0x0D, 0x0D, 0x0A], &[0x1F, 0x8B, 8, 0],
        &[0x28, 0xB5, 0x2F, 0xFD], &[0xFD, b'7', b'z', b'X', b'Z', 0],
    ])) {
        survives("check", &[begin, &bytes].concat());
    }
}
