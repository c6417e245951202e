//! Connections that use the same PSNs at the same time.
use super::*;

/// A Send of one packet and its ack, as connection `n` sends them.
fn exchange(captured: &[Packet], n: u32, psn: u32) -> [Packet; 2] {
    let mut send = captured[nth(captured, Operation::Send, 0)].clone();
    // RC_SEND_ONLY.
    send.bth.opcode = 0x04;
    send.bth.a = true;
    send.payload.truncate(8);
    (send.bth.dest_qp, send.bth.psn) = (0x1000 + n, psn);
    let mut ack = captured[nth(captured, Operation::Acknowledge, 0)].clone();
    // One side's QPNs say nothing about the other side's.
    (ack.bth.dest_qp, ack.bth.psn) = (0x10_0000 + n * 7919 % 65_536, psn);
    let msn = psn + 1;
    aeth(&mut ack).syndrome = 0x1F;
    aeth(&mut ack).msn = msn;
    [send, ack]
}

/// In each of so many rounds every connection sends one request, then every one gets its answer. All use the same PSNs.
fn in_lockstep(connections: u32, times: u32) -> Vec<Packet> {
    let captured = packets("rc_send.pcap");
    let round = |psn: u32| {
        let both: Vec<_> = (0..connections).map(|n| exchange(&captured, n, psn)).collect();
        let [asked, answered] = [0, 1].map(|at| both.iter().map(move |pair| pair[at].clone()).collect());
        [asked, answered]
    };
    (0..times)
        .flat_map(round)
        .flat_map(|part: Vec<Packet>| part)
        .collect()
}

/// Every answer fits every connection: no packet is judged, and no finding is printed.
#[test]
fn more_connections_alike_than_can_be_told_apart() {
    let told = contains("1200 packets of connections that are too many alike to be told apart: not judged");
    judged(&in_lockstep(100, 6))
        .code(3)
        .stdout(told.and(contains("nothing was judged")));
}

/// With fewer connections alike each one is paired with its answers, and a fault is found.
#[test]
fn as_many_connections_alike_as_can_be_told_apart() {
    let mut packets = in_lockstep(30, 6);
    judged(&packets).code(0).stdout(contains(
        "360 packets of RC, requests of 30 directions: no rule is broken",
    ));
    aeth(&mut packets[5 * 60 + 45]).msn += 40;
    finds(&packets, 5 * 60 + 46, "CF135");
}

/// Each connection gets its answer before the next one sends a request, so any number of them can be paired.
#[test]
fn connections_alike_one_behind_the_other() {
    let captured = packets("rc_send.pcap");
    let times = (0..100).flat_map(|n| (0..6).map(move |psn| (n * 7919 % 101, psn)));
    let packets: Vec<Packet> = times.flat_map(|(n, psn)| exchange(&captured, n, psn)).collect();
    judged(&packets).code(0).stdout(contains(
        "1200 packets of RC, requests of 100 directions: no rule is broken",
    ));
}

/// Thousands between two hosts from one PSN, in some seconds and in the memory that a process of 256 MB has.
#[test]
fn thousands_of_connections_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alike.pcap");
    let mut writer = PcapWriter::new(File::create(&path).unwrap()).unwrap();
    for (n, packet) in in_lockstep(4000, 4).iter().enumerate() {
        let bytes = packet.encode().unwrap();
        let record = PcapPacket::new(Duration::from_micros(n as u64), bytes.len() as u32, &bytes);
        writer.write_packet(&record).unwrap();
    }
    drop(writer);
    // A thread's arena reserves 64 MB of addresses, whatever it uses of them.
    let script = "ulimit -v 262144 && MALLOC_ARENA_MAX=1 exec \"$0\" check \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_hca")]).arg(&path);
    command
        .timeout(Duration::from_secs(30))
        .assert()
        .code(3)
        .stdout(contains("32000 packets of connections that are too many alike"));
}
