//! The RDMA frames of the captures.
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_testbench::capture::Capture;
use hca_testbench::trace::dissection::Dissection;
use std::fs::File;
use std::net::Ipv4Addr;
use std::path::Path;

/// Files and the RDMA packets in each.
const FILES: [(&str, usize); 8] = [
    ("rc_send.pcap", 120),
    ("rc_write.pcap", 120),
    ("rc_read.pcap", 121),
    ("rc_cas.pcap", 40),
    ("ud_cm.pcap", 3),
    ("uc_send.pcap", 18),
    ("uc_write.pcap", 15),
    ("ud_send.pcap", 6),
];

/// Every frame to UDP port 4791, in the order of the files.
pub fn frames() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures");
    let mut frames = Vec::new();
    for (name, rdma) in FILES {
        let before = frames.len();
        for record in Capture::new(File::open(folder.join(name)).unwrap()).unwrap() {
            let bytes = record.unwrap().bytes;
            if Dissection::on(Link::Roce, &bytes).value("udp.dstport") == Some(4791) {
                frames.push(bytes);
            }
        }
        assert_eq!(frames.len() - before, rdma, "{name}");
    }
    frames
}

/// The port that a frame is for.
pub fn port(frame: &[u8]) -> PortConfig {
    let address: [u8; 4] = frame[30..34].try_into().unwrap();
    PortConfig {
        link: Link::Roce,
        gid: Ipv4Addr::from(address).to_ipv6_mapped().octets(),
        mac: frame[..6].try_into().unwrap(),
        ..PortConfig::default()
    }
}
