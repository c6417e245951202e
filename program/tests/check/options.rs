//! Options of `hca check` and `hca decode` that choose packets, and how they are read and shown.
use super::*;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;

fn hca(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments).assert()
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().unwrap()
}

fn field(name: &str) -> PathBuf {
    capture("field").join(name)
}

/// Some captures one behind the other: packets of several batches, sound ones and others.
fn long() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.pcap");
    let mut writer = PcapWriter::new(File::create(&path).unwrap()).unwrap();
    let names = [
        "rc_send.pcap",
        "rc_read.pcap",
        "field/nak_twice_hidden.pcap",
        "field/icrc_zero.pcap",
    ];
    for name in names.repeat(5) {
        for record in Capture::new(File::open(capture(name)).unwrap()).unwrap() {
            let record = record.unwrap();
            let packet = PcapPacket::new(record.time, record.wire_length as u32, &record.bytes);
            writer.write_packet(&packet).unwrap();
        }
    }
    (folder, path)
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (_folder, path) = long();
    for command in [
        &["check"][..],
        &["check", "--json", "-"],
        &["decode"],
        &["decode", "--ndjson"],
    ] {
        let shown = |jobs| {
            let arguments = [command, &["--jobs", jobs, text(&path)]].concat();
            let output = hca(&arguments).code(1).get_output().clone();
            String::from_utf8(output.stdout).unwrap()
        };
        let one = shown("1");
        assert!(one.lines().count() > 2, "{one}");
        for jobs in ["2", "3", "8"] {
            assert_eq!(shown(jobs), one, "{command:?}");
        }
    }
}

#[test]
fn packets_by_place() {
    let file = field("base.pcap");
    let of = |arguments: &[&str], packets: &str| {
        let all = [&["check", text(&file)], arguments].concat();
        hca(&all).code(0).stdout(starts_with(packets.to_owned()));
    };
    of(&[], "15 packets of RC");
    of(&["--to", "5"], "5 packets of RC");
    of(&["--from", "2", "--to", "6"], "5 packets of RC");
    of(&["--from", "0s", "--to", "1h"], "15 packets of RC");
    hca(&["decode", text(&file), "--from", "16"]).code(3);
    hca(&["check", text(&file), "--from", "soon"])
        .code(2)
        .stderr(contains("write the number of a packet"));
}

#[test]
fn packets_by_address() {
    let file = capture("rc_send.pcap");
    let packets = packets("rc_send.pcap");
    let [Some(from), _] = ["sgid", "dgid"].map(|_| packets[0].sgid()) else {
        panic!("it has addresses");
    };
    let address = std::net::IpAddr::from(from).to_canonical().to_string();
    hca(&["check", text(&file), "--ip", &address])
        .code(0)
        .stdout(starts_with("120 packets of RC"));
    hca(&["check", text(&file), "--ip", "203.0.113.9"])
        .code(3)
        .stdout(contains("120 packets that were not asked for"));
    hca(&["decode", text(&file), "--ip", "203.0.113.9"]).code(3);
}

#[test]
fn packets_by_queue_pair() {
    let file = capture("rc_send.pcap");
    let packets = packets("rc_send.pcap");
    let ack = nth(&packets, Operation::Acknowledge, 0);
    // Either end stands for the connection.
    for qp in [packets[0].bth.dest_qp, packets[ack].bth.dest_qp] {
        let names = [qp.to_string(), format!("{qp:#x}"), format!("{qp:X}h")];
        for name in &names {
            hca(&["check", text(&file), "--qp", name])
                .code(0)
                .stdout(starts_with("120 packets of RC"));
        }
    }
    hca(&["check", text(&file), "--qp", "FFFFFEh"])
        .code(3)
        .stdout(contains("120 packets that were not asked for"));
    hca(&["decode", text(&file), "--qp", "FFFFFEh"])
        .code(3)
        .stdout(contains("170 packets: 0 RDMA, 50 others passed over"));
}

#[test]
fn a_document_a_line() {
    let output = hca(&["check", "--ndjson", text(&field("implied_nak.pcap"))]);
    let output = String::from_utf8(output.code(1).get_output().stdout.clone()).unwrap();
    let lines: Vec<serde_json::Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert_eq!(lines[0]["requirement"], "CF133");
    assert_eq!(lines[1]["totals"]["packets"], 3);
    assert_eq!(lines[1]["fault"], serde_json::Value::Null);
}

#[test]
fn nothing_to_decode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arp.pcap");
    let mut writer = PcapWriter::new(File::create(&path).unwrap()).unwrap();
    let frame = [&[2; 12][..], &[0x08, 0x06], &[0; 28]].concat();
    writer
        .write_packet(&PcapPacket::new(Duration::ZERO, 42, &frame))
        .unwrap();
    drop(writer);
    hca(&["decode", text(&path)])
        .code(3)
        .stdout(contains("1 packets: 0 RDMA"));
}

/// A FIFO in a folder of its own.
fn fifo() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo")
        .arg(&path)
        .status()
        .unwrap()
        .success());
    (folder, path)
}

#[test]
fn a_capture_through_a_fifo() {
    for command in ["check", "decode"] {
        let (_folder, path) = fifo();
        let writing = {
            let path = path.clone();
            thread::spawn(move || std::fs::write(path, std::fs::read(field("base.pcap")).unwrap()).unwrap())
        };
        hca(&[command, text(&path)])
            .code(0)
            .stdout(contains("15 packets"));
        writing.join().unwrap();
    }
}

/// Starts `hca check --follow` on a file.
fn following(path: &std::path::Path) -> Child {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hca"));
    command.args(["check", "--follow"]).arg(path);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

/// The next line that it prints.
fn line(child: &mut std::io::BufReader<std::process::ChildStdout>) -> String {
    let mut line = String::new();
    std::io::BufRead::read_line(child, &mut line).unwrap();
    line
}

/// A finding is shown while the file grows, and Ctrl-C ends it with the totals.
#[test]
fn a_file_that_grows() {
    let whole = std::fs::read(field("implied_nak.pcap")).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let (begin, rest) = whole.split_at(100);
    file.write_all(begin).unwrap();
    let mut child = following(file.path());
    let mut shown = std::io::BufReader::new(child.stdout.take().unwrap());
    thread::sleep(Duration::from_millis(300));
    file.write_all(rest).unwrap();
    assert!(line(&mut shown).starts_with("      3  CF133  "));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap()
        .success());
    let mut totals = String::new();
    std::io::Read::read_to_string(&mut shown, &mut totals).unwrap();
    assert!(
        totals.ends_with("3 packets of RC, requests of 1 direction: 1 finding\n"),
        "{totals}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// The end of what is written to a FIFO is the end.
#[test]
fn a_fifo_that_is_followed() {
    let (_folder, path) = fifo();
    let mut child = following(&path);
    std::fs::write(&path, std::fs::read(field("base.pcap")).unwrap()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
