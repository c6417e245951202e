//! `hca subnet --serve` on its sockets, with a client that is no program of others, recordings and their replay, and
//! calls that it refuses.
use assert_cmd::cargo::cargo_bin;
use hca_testbench::subnet::recording::{Entry, Recording, What};
use hca_testbench::subnet::socket::{Control, Data, Kind};
use predicates::prelude::*;
use std::io::{BufRead, BufReader};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The longest that an answer takes.
const LIMIT: Duration = Duration::from_secs(30);

/// A server that does not outlive its test.
struct Server {
    child: Child,
    name: String,
}

impl Server {
    fn start(test: &str) -> Server {
        let name = format!("hca-test-{}-{test}", std::process::id());
        let mut child = Command::new(cargo_bin("hca"))
            .args([
                "subnet", "--serve", &name, "--repeat-after", "50", "--cable", "memory",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // It has its sockets once it has said how to reach them.
        let out = child.stdout.take().unwrap();
        let last = format!("IBSIM_SOCKNAME={name}");
        let mut lines = BufReader::new(out).lines();
        assert!(lines.any(|line| line.unwrap() == last));
        Server { child, name }
    }

    fn address(&self, end: &str) -> SocketAddr {
        SocketAddr::from_abstract_name(format!("{}:{end}\0", self.name)).unwrap()
    }

    fn socket(&self, end: &str) -> UnixDatagram {
        let socket = UnixDatagram::bind_addr(&self.address(end)).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        socket
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client with the sockets of a process of this number.
struct Client {
    control: UnixDatagram,
    data: UnixDatagram,
    number: u32,
}

impl Client {
    fn connect(server: &Server, pid: u32, node: &str) -> Client {
        let control = server.socket(&format!("ctl{pid}"));
        let data = server.socket(&format!("in{pid}"));
        control.connect_addr(&server.address("ctl")).unwrap();
        let mut client = Client {
            control,
            data,
            number: 0,
        };
        let mut name = [0; 64];
        name[12..12 + node.len()].copy_from_slice(node.as_bytes());
        let mut request = Control::new(0, Kind::Connect, name);
        request.set_word(0, pid);
        let reply = client.ask(&request);
        assert!(!reply.is_refused());
        client.number = reply.word(0);
        let own = server.address(&format!("out{}", client.number));
        client.data.connect_addr(&own).unwrap();
        client
    }

    fn ask(&self, request: &Control) -> Control {
        self.control.send(&request.bytes()).unwrap();
        let mut bytes = [0; 100];
        let length = self.control.recv(&mut bytes).unwrap();
        Control::parse(&bytes[..length]).unwrap()
    }

    /// Sends a Get of NodeInfo to the neighbour.
    fn send(&self) {
        let mut mad = [0; 256];
        mad[..8].copy_from_slice(&[1, 0x81, 1, 1, 0, 0, 0, 1]);
        mad[15] = 7;
        mad[17] = 0x11;
        mad[32..36].fill(0xFF);
        mad[129] = 1;
        let data = Data {
            dlid: 0xFFFF,
            slid: 0xFFFF,
            destination_qpn: 0,
            source_qpn: 0,
            status: 0,
            mad,
        };
        self.data.send(&data.bytes()).unwrap();
    }

    fn receive(&self) -> Data {
        let mut bytes = [0; 1000];
        let length = self.data.recv(&mut bytes).unwrap();
        Data::parse(&bytes[..length]).unwrap()
    }
}

#[test]
fn clients_come_ask_and_go() {
    let server = Server::start("clients");
    let alpha = Client::connect(&server, 1001, "alpha");
    let beta = Client::connect(&server, 1002, "beta");
    assert_eq!((alpha.number, beta.number), (0, 1));
    for (client, neighbour) in [(&alpha, 0x20), (&beta, 0x10)] {
        client.send();
        let answer = client.receive();
        assert_eq!(
            (answer.status, answer.mad[3], answer.mad[75]),
            (0, 0x81, neighbour)
        );
        assert_eq!(answer.mad[9], client.number as u8, "of the transaction");
    }
    // Junk is nobody's request, and the next one is answered.
    alpha.control.send(&[7; 80]).unwrap();
    alpha.control.send(&[]).unwrap();
    alpha.data.send(&[7; 100]).unwrap();
    alpha.send();
    assert_eq!(alpha.receive().mad[3], 0x81);
    let gone = alpha.ask(&Control::new(alpha.number, Kind::Disconnect, [0; 64]));
    assert!(!gone.is_refused());
    assert!(alpha
        .ask(&Control::new(alpha.number, Kind::GetNodeInfo, [0; 64]))
        .is_refused());
    assert_eq!(Client::connect(&server, 1003, "beta").number, 0);
}

#[test]
fn a_client_that_was_killed_makes_room() {
    let server = Server::start("killed");
    let all: Vec<Client> = (0..10)
        .map(|n| Client::connect(&server, 2000 + n, "alpha"))
        .collect();
    let refused = {
        let socket = server.socket("ctl2999");
        socket.connect_addr(&server.address("ctl")).unwrap();
        let mut request = Control::new(0, Kind::Connect, [0; 64]);
        request.set_word(0, 2999);
        socket.send(&request.bytes()).unwrap();
        let mut bytes = [0; 100];
        let length = socket.recv(&mut bytes).unwrap();
        Control::parse(&bytes[..length]).unwrap()
    };
    assert!(refused.is_refused());
    let mut all = all;
    drop(all.remove(3));
    assert_eq!(Client::connect(&server, 2010, "beta").number, 3);
    all[0].send();
    assert_eq!(all[0].receive().mad[3], 0x81, "the others live on");
}

#[test]
fn two_subnets_cannot_have_one_name() {
    let server = Server::start("twice");
    assert_cmd::Command::new(cargo_bin("hca"))
        .args(["subnet", "--serve", &server.name])
        .assert()
        .code(2)
        .stderr(predicates::str::contains("another subnet has the socket"));
}

#[test]
fn a_library_that_is_missing_is_named() {
    assert_cmd::Command::new(cargo_bin("hca"))
        .args(["subnet", "sweep", "--library", "/nowhere/libumad2sim.so"])
        .assert()
        .code(2)
        .stderr(
            predicates::str::contains("is not installed").and(predicates::str::contains("scripts/subnet")),
        );
}

#[test]
fn a_port_that_no_node_has_is_refused() {
    for options in [&["--port", "2"][..], &["--port", "2", "--cable", "memory"]] {
        assert_cmd::Command::new(cargo_bin("hca"))
            .args(["subnet", "sweep"])
            .args(options)
            .assert()
            .code(2)
            .stderr(predicates::str::contains("the nodes have no port 2"));
    }
    assert_cmd::Command::new(cargo_bin("hca"))
        .args(["subnet", "sweep", "--profile", "pair", "--port", "3"])
        .assert()
        .code(2);
}

fn replay(files: &[PathBuf]) -> std::process::Output {
    let mut hca = Command::new(cargo_bin("hca"));
    hca.args(["subnet", "replay"]).args(files).output().unwrap()
}

/// What OpenSM did, over two adapters and without it; also at the second ports of two.
#[test]
fn recorded_steps_with_opensm_play_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/recordings/subnet");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let output = replay(&files);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let names = [
        ("cable", "cable"),
        ("policy", "policy"),
        ("second-port", "sweep"),
        ("sweep", "sweep"),
    ];
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), names.len(), "{said}");
    for (line, (name, step)) in lines.into_iter().zip(names) {
        assert!(
            line.starts_with(&format!("HELD: {name}.xz, step {step}: ")),
            "{line}"
        );
    }
}

type Edit = fn(&mut What);

/// A message to a program that is another than the adapters' agents send, one that is too many, and an end that is
/// another.
#[test]
fn an_edited_recording_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/recordings/subnet/sweep.xz");
    let recording = Recording::read(&path).unwrap();
    let sent = |entry: &&mut Entry| matches!(entry.what, What::Sent { .. });
    let edits: [(&str, Edit); 3] = [
        ("not sent the same message", |what| {
            if let What::Sent { message, .. } = what {
                message.0[100] ^= 1;
            }
        }),
        ("not sent the same message", |what| {
            if let What::Sent { client, .. } = what {
                *client += 1;
            }
        }),
        ("reply to", |what| {
            if let What::Control { reply, .. } = what {
                reply.0[40] ^= 1;
            }
        }),
    ];
    for (wrong, edit) in edits {
        let mut edited = recording.clone();
        match wrong {
            "reply to" => edit(&mut edited.entries[0].what),
            _ => edit(&mut edited.entries.iter_mut().find(sent).unwrap().what),
        }
        let file = folder.path().join("edited");
        edited.write(&file).unwrap();
        let output = replay(&[file]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.starts_with("WRONG: edited, step sweep: at ") && said.contains(wrong),
            "{said}"
        );
    }
    let mut edited = recording.clone();
    if let Some(What::End { crossed, .. }) = edited.entries.last_mut().map(|entry| &mut entry.what) {
        *crossed += 1;
    }
    let file = folder.path().join("edited");
    edited.write(&file).unwrap();
    assert_eq!(replay(&[file]).status.code(), Some(1));
}

#[test]
fn what_is_no_recording_of_a_subnet_is_refused() {
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/recordings/agent.xz");
    let output = replay(&[session]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no recording of `hca subnet`"), "{said}");
    assert_cmd::Command::cargo_bin("hca")
        .unwrap()
        .args([
            "subnet", "sweep", "tools", "--record", "file", "--cable", "memory",
        ])
        .assert()
        .code(2)
        .stderr(predicates::str::contains("a recording holds one step"));
    assert!(!Path::new("file").exists());
}
