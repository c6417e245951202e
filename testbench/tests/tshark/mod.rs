//! What `tshark` shows of a capture.
use std::path::Path;
use std::process::Command;

/// The options of `docs/captures.md`: Wireshark guesses what payloads are, and runs off the end of some.
pub const OPTIONS: [&str; 8] = [
    "-o",
    "infiniband.identify_payload:FALSE",
    "--disable-protocol",
    "rpcordma",
    "--disable-protocol",
    "infiniband.eoib",
    "--disable-protocol",
    "fcoib",
];

/// Returns the values of these fields in each packet of the capture, the first of those with the same name, and empty
/// ones for fields that the packet does not have. `more` are options beside [`OPTIONS`]. Returns nothing, with a note,
/// if `tshark` is not installed.
#[allow(dead_code)] // One of the programs with this module needs the options alone.
pub fn fields(capture: &Path, more: &[&str], names: &[&str]) -> Option<Vec<Vec<String>>> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(capture)
        .args(OPTIONS)
        .args(more)
        .args(["-T", "fields", "-E", "separator=;", "-E", "occurrence=f"])
        .args(names.iter().flat_map(|name| ["-e", name]))
        .output();
    let Ok(output) = output else {
        eprintln!("tshark is not installed: the capture is not checked");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let values = |line: &str| line.split(';').map(str::to_owned).collect();
    Some(text.lines().map(values).collect())
}
