//! The verbs on one HCA whose packets the caller carries.
use hca_host::profile::{Link, Profile, SMALL};
use hca_sim::driver::{Operation, SendWork};
use hca_sim::verbs::{Connection, MrAttributes, Port, QpInitAttributes, Single};
use hca_sim::verilated::Library;
use hca_sim::{SimConfig, SimError, SimHca};

const BUFFER: u64 = 0x2000_0000;
const ROCE: Profile = SMALL.over(Link::Roce);

fn library(profile: &Profile) -> Library {
    hca_sim::design::library(&hca_rtl::export::hca(profile).unwrap()).unwrap()
}

fn config(profile: Profile) -> SimConfig {
    SimConfig {
        profile,
        ..SimConfig::default()
    }
}

/// Runs both for so many clock cycles and carries what they send.
fn carry(ends: &mut [Single; 2], cycles: u64) {
    for _ in 0..cycles {
        ends.iter_mut().for_each(|end| end.clock().unwrap());
        for from in [0, 1] {
            while let Some(packet) = ends[from].sent() {
                ends[1 - from].receive(packet.bytes);
            }
        }
    }
}

#[test]
fn two_that_the_caller_joins_write_to_each_other() {
    let library = library(&ROCE);
    let mut ends = [0, 1].map(|side| Single::new(&library, &config(ROCE), &Port::of(side)).unwrap());
    let mut objects = Vec::new();
    for end in &mut ends {
        let mut host = end.host();
        let (cq, _) = host.create_cq(16).unwrap();
        let mr = host.reg_mr(&MrAttributes::shared(BUFFER, 1 << 16)).unwrap();
        objects.push((cq, mr, host.create_qp(&QpInitAttributes::new(cq, cq)).unwrap()));
    }
    for side in [0, 1] {
        let peer = objects[1 - side].2;
        let connection = Connection::default().with_peer(&Port::of(1 - side), peer, true);
        ends[side].host().connect(objects[side].2, &connection).unwrap();
    }
    let message: Vec<u8> = (0..9000u32).map(|n| (n * 7 / 8) as u8).collect();
    let [(cq, mr, qp), (_, peer, _)] = objects[..] else {
        unreachable!("one of each side")
    };
    let va = BUFFER + 5;
    ends[0].host().write(BUFFER, &message);
    let operation = Operation::Write {
        va,
        r_key: peer.r_key,
    };
    let work = SendWork::signaled(7, operation, vec![mr.sge(BUFFER, message.len())]);
    ends[0].host().post_send(qp, &work).unwrap();
    carry(&mut ends, 6000);
    let completion = ends[0]
        .host()
        .poll_cq(cq)
        .unwrap()
        .expect("the write is acknowledged");
    assert_eq!((completion.wr_id, completion.status), (Some(7), 0));
    ends[1].host().settle().unwrap();
    assert_eq!(ends[1].host().read(va, message.len()), message);
}

#[test]
fn a_profile_that_no_hardware_has_is_refused() {
    let faster = Profile {
        clock_hz: 250_000_000,
        ..ROCE
    };
    assert!(hca_rtl::export::hca(&faster).is_err());
    let refused = SimHca::new(&library(&ROCE), &config(faster)).err();
    assert!(matches!(refused, Some(SimError::UnknownProfile(p)) if p == faster));
}
