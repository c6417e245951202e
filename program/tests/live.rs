//! `hca live` on the command line: two adapters on one socket, recordings and their replay, and sessions that fail.
use assert_cmd::cargo::cargo_bin;
use std::io::{ErrorKind, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest that any of these takes: the hardware may have to be built first.
const LIMIT: Duration = Duration::from_secs(900);

/// A process that does not outlive its test.
struct Live(Option<Child>);

impl Live {
    fn start(arguments: &[&str]) -> Live {
        let child = Command::new(cargo_bin("hca"))
            .arg("live")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Live(Some(child))
    }

    fn interrupt(&self) {
        let id = self.0.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success());
    }

    fn output(mut self) -> Output {
        let start = Instant::now();
        while self.0.as_mut().unwrap().try_wait().unwrap().is_none() {
            assert!(start.elapsed() < LIMIT, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A folder with the name of a socket in it.
struct Wire {
    folder: TempDir,
}

impl Wire {
    fn new() -> Wire {
        Wire {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn path(&self) -> String {
        self.file("wire").display().to_string()
    }

    fn start(&self, more: &[&str]) -> Live {
        let path = self.path();
        Live::start(&[&["--peer", &path], more].concat())
    }

    /// The first of two, once its socket has its name.
    fn first(&self, more: &[&str]) -> Live {
        let first = self.start(more);
        let start = Instant::now();
        while !self.file("wire").exists() {
            assert!(start.elapsed() < LIMIT, "it does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        first
    }

    /// A peer of the first. The socket may have its name before it listens.
    fn peer(&self) -> UnixStream {
        let start = Instant::now();
        loop {
            match UnixStream::connect(self.path()) {
                Err(e) if e.kind() == ErrorKind::ConnectionRefused && start.elapsed() < LIMIT => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                connected => return connected.unwrap(),
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn held(output: &Output) -> String {
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(said.contains("HELD: "), "{said}");
    said
}

/// Exit status 2, and one message that says this.
fn refused(output: &Output, what: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}{said}", text(&output.stdout));
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(said.contains(what), "{said}");
}

fn replay(file: &Path) -> Output {
    Live::start(&["replay", &file.display().to_string()]).output()
}

#[test]
fn two_models_play_ping_pong_and_the_recordings_play_back_alike() {
    let wire = Wire::new();
    let (x, y) = (wire.file("x"), wire.file("y"));
    let (x, y) = (x.display().to_string(), y.display().to_string());
    let first = wire.first(&["--golden-only", "--messages", "20", "--record", &x]);
    let second = wire.start(&["--golden-only", "--messages", "20", "--record", &y]);
    let (first, second) = (held(&first.output()), held(&second.output()));
    for said in [&first, &second] {
        for case in ["RC as", "UC as", "UD as"] {
            assert!(said.contains(case), "{said}");
        }
    }
    assert!(!wire.file("wire").exists(), "the socket goes with who listened");
    for file in [&x, &y] {
        let played = held(&replay(Path::new(file)));
        assert!(played.contains("all as recorded"), "{played}");
        assert_eq!(held(&replay(Path::new(file))), played);
    }
}

#[test]
fn a_faulty_wire_is_mended_by_the_transport() {
    let wire = Wire::new();
    let faulty = [
        "--golden-only", "--drop", "20", "--duplicate", "20", "--swap", "20", "--messages", "30",
    ];
    let first = wire.first(&faulty);
    let second = wire.start(&[&faulty[..], &["--seed", "5"]].concat());
    let said = held(&first.output());
    assert!(
        said.contains("on the wire: ") && !said.contains("UD as"),
        "{said}"
    );
    held(&second.output());
}

#[test]
fn hardware_and_model_play_ping_pong_and_its_recording_plays_back_alike() {
    let wire = Wire::new();
    let (record, pcap) = (wire.file("session"), wire.file("session.pcap"));
    let (record, pcap) = (record.display().to_string(), pcap.display().to_string());
    // The build comes before the wire.
    let first = wire.first(&["--messages", "10", "--record", &record, "--pcap", &pcap]);
    let second = wire.start(&["--golden-only", "--messages", "10"]);
    let said = held(&first.output());
    assert!(
        said.contains("Verilated adapter (profile small) beside its golden model"),
        "{said}"
    );
    held(&second.output());
    let played = held(&replay(Path::new(&record)));
    assert!(played.contains("all as recorded"), "{played}");
    let checked = Command::new(cargo_bin("hca"))
        .args(["check", &pcap])
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", text(&checked.stdout));
}

/// Each is small, and what Linux did in it is a fact that a change of the adapter or of the model must bear.
#[test]
fn recorded_sessions_with_linux_play_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/recordings");
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|e| e == "xz"))
        .collect();
    files.sort();
    assert!(files.len() >= 2, "{files:?}");
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut arguments = vec!["replay"];
    arguments.extend(names.iter().map(String::as_str));
    let said = held(&Live::start(&arguments).output());
    assert_eq!(said.matches("HELD: ").count(), files.len(), "{said}");
}

#[test]
fn an_interrupted_session_says_what_it_came_to() {
    let wire = Wire::new();
    let file = wire.file("session");
    let first = wire.first(&["--golden-only", "--record", &file.display().to_string()]);
    // A peer that says nothing.
    let peer = wire.peer();
    std::thread::sleep(Duration::from_millis(500));
    first.interrupt();
    let output = first.output();
    assert!(held(&output).contains("interrupted"));
    drop(peer);
    held(&replay(&file));
    assert!(!wire.file("wire").exists());
}

#[test]
fn an_interrupt_before_the_peer_comes_leaves_nothing() {
    let wire = Wire::new();
    let first = wire.first(&["--golden-only"]);
    std::thread::sleep(Duration::from_millis(200));
    first.interrupt();
    let output = first.output();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("interrupted before the peer came"));
    assert!(!wire.file("wire").exists());
}

#[test]
fn a_peer_that_closes_the_socket_is_reported() {
    let wire = Wire::new();
    let first = wire.first(&["--golden-only"]);
    drop(wire.peer());
    refused(&first.output(), "the peer closed the socket");
    assert!(!wire.file("wire").exists());
}

#[test]
fn a_peer_that_stays_silent_is_reported() {
    let wire = Wire::new();
    let first = wire.first(&["--golden-only", "--patience", "1"]);
    let _peer = wire.peer();
    refused(
        &first.output(),
        "a TCP connection to port 18515 did not come within 1 s: the peer is silent",
    );
}

#[test]
fn a_peer_that_never_comes_is_reported() {
    let wire = Wire::new();
    let first = wire.first(&["--golden-only", "--patience", "1"]);
    refused(&first.output(), "nobody came to the socket");
    assert!(!wire.file("wire").exists());
}

#[test]
fn a_peer_that_speaks_something_else_is_reported() {
    use std::io::Write;
    let wire = Wire::new();
    let first = wire.first(&["--golden-only"]);
    let mut peer = wire.peer();
    peer.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    refused(&first.output(), "its end is no `-netdev stream`");
    // What was sent before, if anything, ends.
    let mut rest = Vec::new();
    let _ = peer.read_to_end(&mut rest);
}

#[test]
fn a_taken_name_is_left_alone() {
    let wire = Wire::new();
    std::fs::write(wire.path(), "mine").unwrap();
    refused(&wire.start(&["--golden-only"]).output(), "is no socket");
    assert_eq!(std::fs::read(wire.path()).unwrap(), b"mine");
    let other = wire.file("other");
    drop(UnixListener::bind(&other).unwrap());
    let name = other.display().to_string();
    let live = Live::start(&["--golden-only", "--peer", &name, "--patience", "1"]);
    refused(&live.output(), "nobody came");
}

#[test]
fn calls_that_make_no_sense_are_refused() {
    refused(&Live::start(&["--golden-only"]).output(), "none of `--peer`,");
    refused(
        &Live::start(&["--golden-only", "--tap", "hca-no-such-0"]).output(),
        "no network interface `hca-no-such-0`",
    );
    let wire = Wire::new();
    let none = wire.file("none");
    refused(&replay(&none), "cannot read the recording");
    std::fs::write(&none, "no recording").unwrap();
    refused(&replay(&none), "is no recording");
    refused(
        &wire.start(&["--golden-only", "--profile", "huge"]).output(),
        "huge",
    );
}
