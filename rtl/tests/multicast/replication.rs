//! Copies, refusals and own packets, one after the other (`protocol/ud.md` section 4).
use crate::header::{Header, PORT_GID, PORT_LID, PORT_MAC};
use crate::rig::{Facts, Fate, Passed, Rig};

const MGID: u128 = 0xFF12_401B_FFFF_0000_0000_0000_0000_0005;
const MLID: u16 = 0xC005;
/// 224.1.2.3, and its MAC address.
const IPV4: u128 = 0xFFFF_E001_0203;
const IPV4_MAC: u64 = 0x0100_5E01_0203;
const IPV6_MAC: u64 = 0x3333_0000_0005;
const DLID: u8 = 9;
const OPCODE: u8 = 7;
const ADDRESS: u8 = 30;
const SELF: u8 = 31;
const OWN: u32 = 1 << 31;

fn refused(reason: u8) -> Vec<Passed> {
    vec![Passed {
        packet: 5,
        dest_qp: 0xFF_FFFF,
        fate: Fate::Refused(reason),
    }]
}

/// Copies for these, in this order.
fn copies(packet: u32, members: &[u32]) -> Vec<Passed> {
    let last = members.len() - 1;
    let copy = |(n, &dest_qp): (usize, &u32)| Passed {
        packet,
        dest_qp,
        fate: Fate::Copy { keeps: n < last },
    };
    members.iter().enumerate().map(copy).collect()
}

fn facts(elsewhere: bool, full: bool, member: bool) -> Facts {
    Facts {
        elsewhere,
        full,
        member,
    }
}

#[test]
fn what_is_for_no_group_passes_at_once() {
    let mut rig = Rig::native();
    let unicast = Header {
        dest_qp: 0x33,
        ..Header::to(PORT_GID, PORT_LID, 0)
    };
    rig.bench.set_bytes("header", &unicast.bytes());
    rig.bench.set("header_valid", 1);
    for ready in [0, 1] {
        rig.bench.set("passed_ready", ready);
        rig.bench.settle();
        assert!(rig.bench.is_set("passed_valid"));
        assert_eq!(rig.bench.get("header_ready"), ready);
        assert_eq!(rig.bench.get("mark"), 0);
    }
    rig.bench.set("command_hold", 1);
    rig.bench.settle();
    assert!(rig.bench.is_set("passed_valid") && rig.bench.is_set("command_still"));
}

#[test]
fn each_member_gets_a_copy() {
    let mut rig = Rig::native();
    for qpn in [0x11, 0x22, 0x33] {
        assert_eq!(rig.attach(qpn, MGID, MLID), facts(false, false, false));
    }
    assert_eq!(rig.attach(0x22, MGID, MLID), facts(false, false, true));
    let packet = Header::to(MGID, MLID, 0);
    let mut passed = rig.pass(&packet);
    passed.sort_by_key(|p| p.dest_qp);
    let kept = passed.iter().filter(|p| p.fate == Fate::Copy { keeps: true });
    assert_eq!((kept.count(), passed.len()), (2, 3));
    assert!(rig.detach(0x11, MGID, MLID).member && rig.detach(0x33, MGID, MLID).member);
    assert!(!rig.detach(0x33, MGID, MLID).member);
    assert_eq!(rig.pass(&packet), copies(5, &[0x22]));
    assert!(rig.detach(0x22, MGID, MLID).member);
    assert_eq!(rig.pass(&packet), refused(ADDRESS));
}

#[test]
fn the_first_check_that_fails_counts() {
    let mut rig = Rig::native();
    rig.attach(0x11, MGID, MLID);
    let good = Header::to(MGID, MLID, 0);
    let own = PORT_LID + 7;
    let own_source = |header: Header| Header { slid: own, ..header };
    for (header, reason) in [
        (
            Header {
                has_grh: false,
                dgid: 0,
                ..good.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dgid: PORT_GID,
                ..good.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dlid: PORT_LID,
                ..good.clone()
            },
            ADDRESS,
        ),
        (
            own_source(Header {
                dlid: PORT_LID,
                ..good.clone()
            }),
            ADDRESS,
        ),
        (
            own_source(Header {
                dgid: MGID + 1,
                ..good.clone()
            }),
            SELF,
        ),
        (
            own_source(Header {
                opcode: 4,
                ..good.clone()
            }),
            SELF,
        ),
        (
            Header {
                dgid: MGID + 1,
                opcode: 4,
                ..good.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dgid: MGID ^ 1 << 100,
                ..good.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dlid: MLID + 1,
                ..good.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                opcode: 4,
                ..good.clone()
            },
            OPCODE,
        ),
        (
            Header {
                opcode: 0x24,
                ..good.clone()
            },
            OPCODE,
        ),
    ] {
        assert_eq!(rig.pass(&header), refused(reason), "{header:X?}");
    }
    // Another destination QP behind the LID of a group.
    let elsewhere = Header {
        dest_qp: 0x11,
        ..good.clone()
    };
    assert_eq!(rig.pass(&elsewhere)[0].fate, Fate::Refused(ADDRESS));
    assert_eq!(
        rig.pass(&Header {
            slid: PORT_LID + 8,
            ..good
        }),
        copies(5, &[0x11])
    );
}

#[test]
fn the_sender_gets_no_copy_and_what_nobody_gets_vanishes() {
    let mut rig = Rig::native();
    let own = |source_qp| Header {
        own: true,
        slid: PORT_LID,
        source_qp,
        packet: 0x1234,
        ..Header::to(MGID, MLID, 0)
    };
    let gone = |passed: Vec<Passed>| passed.len() == 1 && passed[0].fate == Fate::Refused(0);
    assert!(gone(rig.pass(&own(0x11))));
    rig.attach(0x11, MGID, MLID);
    assert!(gone(rig.pass(&own(0x11))));
    assert_eq!(rig.pass(&own(0x22)), copies(OWN, &[0x11]));
    rig.attach(0x22, MGID, MLID);
    assert_eq!(rig.pass(&own(0x11)), copies(OWN + 1, &[0x22]));
    assert_eq!(rig.pass(&own(0x33)).len(), 2);
    assert!(gone(rig.pass(&Header {
        dlid: PORT_LID,
        ..own(0x33)
    })));
    assert_eq!(rig.pass(&own(0x22)), copies(OWN + 3, &[0x11]));
}

/// A packet is the port's own if its SLID equals the base LID in every bit above the LMC path bits (`protocol/ud.md`
/// section 4.3); it gets no copy.
#[test]
fn a_source_is_own_if_its_lid_is_but_for_path_bits() {
    // Each bit is set in one of the two LIDs.
    for (lid, lmc) in (0..16_u16).map(|n| ([PORT_LID, 0xBFFF ^ PORT_LID][usize::from(n / 8)], n % 8)) {
        let mut rig = Rig::native();
        let base = lid & 0xFFFF << lmc;
        rig.bench.set("port_lid", base.into());
        rig.bench.set("port_lmc", lmc.into());
        rig.clock();
        rig.attach(0x11, MGID, MLID);
        for bit in 0..16 {
            let header = Header {
                slid: base ^ 1 << bit,
                ..Header::to(MGID, MLID, 0)
            };
            let expected = match bit < lmc {
                true => refused(SELF),
                false => copies(header.packet, &[0x11]),
            };
            assert_eq!(
                rig.pass(&header),
                expected,
                "LID {base:04X}h, LMC {lmc}, bit {bit}"
            );
        }
    }
}

/// The MGID of a group and of its packets counts in every bit behind the one that makes it multicast.
#[test]
fn groups_differ_in_every_bit_of_their_mgid() {
    let mut rig = Rig::native();
    for bit in 0..120 {
        let other = MGID ^ 1 << bit;
        assert_eq!(
            rig.attach(0x11, MGID, MLID),
            facts(false, false, false),
            "bit {bit}"
        );
        assert_eq!(
            rig.pass(&Header::to(other, MLID, 0)),
            refused(ADDRESS),
            "bit {bit}"
        );
        assert_eq!(
            rig.attach(0x22, other, MLID),
            facts(false, false, false),
            "bit {bit}"
        );
        assert_eq!(
            rig.pass(&Header::to(MGID, MLID, 0)),
            copies(5, &[0x11]),
            "bit {bit}"
        );
        assert_eq!(
            rig.pass(&Header::to(other, MLID, 0)),
            copies(5, &[0x22]),
            "bit {bit}"
        );
        assert!(rig.detach(0x22, other, MLID).member && rig.detach(0x11, MGID, MLID).member);
    }
}

/// After a reset of a full table a group has no member but its first.
#[test]
fn a_reset_forgets_every_member() {
    let mut rig = Rig::native();
    let group = |n: u32| MGID + u128::from(n);
    for n in 0..8 {
        for qpn in 1..=16 {
            rig.attach(qpn, group(n), MLID);
        }
    }
    rig.reset();
    for n in 0..8 {
        assert_eq!(rig.pass(&Header::to(group(n), MLID, 0)), refused(ADDRESS));
    }
    for n in 0..8 {
        assert_eq!(rig.attach(0x33, group(n), MLID), facts(false, false, false));
        assert_eq!(rig.pass(&Header::to(group(n), MLID, 0)), copies(5, &[0x33]));
    }
}

/// 8 groups of 16 members, each known with one LID.
#[test]
fn the_table_is_limited() {
    let mut rig = Rig::native();
    for n in 0..16 {
        assert_eq!(rig.attach(n, MGID, MLID), facts(false, false, false));
    }
    assert_eq!(rig.attach(16, MGID, MLID), facts(false, true, false));
    assert_eq!(rig.attach(15, MGID, MLID), facts(false, true, true));
    assert_eq!(rig.pass(&Header::to(MGID, MLID, 0)).len(), 16);
    assert!(rig.attach(1, MGID, MLID + 1).elsewhere);
    for n in 1..8 {
        assert_eq!(
            rig.attach(n, MGID + u128::from(n), MLID),
            facts(false, false, false)
        );
    }
    assert!(rig.attach(8, MGID + 8, MLID).full);
    assert!(rig.detach(3, MGID + 3, MLID).member);
    assert_eq!(rig.attach(8, MGID + 8, MLID + 1), facts(false, false, false));
    assert_eq!(rig.pass(&Header::to(MGID + 8, MLID + 1, 0)), copies(5, &[8]));
    assert_eq!(rig.pass(&Header::to(MGID + 3, MLID, 0)), refused(ADDRESS));
}

/// A packet for a group waits while the groups are held, unless an own packet is under way, which may be behind it.
#[test]
fn a_hold_keeps_packets_back() {
    let mut rig = Rig::native();
    rig.attach(0x11, MGID, MLID);
    rig.bench.set_bytes("header", &Header::to(MGID, MLID, 0).bytes());
    rig.bench.set("header_valid", 1);
    rig.bench.set("passed_ready", 1);
    rig.bench.set("command_hold", 1);
    for _ in 0..60 {
        rig.bench.settle();
        assert!(!rig.bench.is_set("passed_valid") && rig.bench.is_set("command_still"));
        rig.clock();
    }
    rig.bench.set("own_under_way", 1);
    let mut passed = false;
    for _ in 0..60 {
        rig.bench.settle();
        assert!(!rig.bench.is_set("command_still"));
        passed |= rig.bench.is_set("passed_valid");
        if passed {
            rig.clock();
            break;
        }
        rig.clock();
    }
    assert!(passed);
    // It is not decided yet.
    rig.bench.set("header_valid", 0);
    rig.bench.set("own_under_way", 0);
    for _ in 0..20 {
        rig.bench.settle();
        assert!(!rig.bench.is_set("command_still"));
        rig.bench.tick();
    }
    rig.bench.set("decided", 1);
    rig.bench.settle();
    rig.bench.tick();
    rig.bench.set("decided", 0);
    rig.bench.settle();
    assert!(rig.bench.is_set("command_still"));
}

#[test]
fn frames_are_known_by_their_mac_address_first() {
    let mut rig = Rig::roce();
    let ipv4 = Header::to(IPV4, 0, IPV4_MAC);
    assert_eq!(rig.pass(&ipv4), refused(DLID));
    rig.attach(0x11, IPV4, 0);
    assert_eq!(rig.pass(&ipv4), copies(5, &[0x11]));
    let from_here = |header: Header| Header {
        source_mac: PORT_MAC,
        sgid: PORT_GID,
        ..header
    };
    for (header, reason) in [
        // 225.129.2.3 has the same MAC address; 224.1.2.4 another.
        (
            Header {
                dgid: 0xFFFF_E181_0203,
                ..ipv4.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dgid: 0xFFFF_E001_0204,
                dest_mac: IPV4_MAC + 1,
                ..ipv4.clone()
            },
            DLID,
        ),
        (
            Header {
                dgid: PORT_GID,
                ..ipv4.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dgid: PORT_GID,
                dest_mac: PORT_MAC,
                ..ipv4.clone()
            },
            ADDRESS,
        ),
        (
            Header {
                dest_mac: 0x3333_5E01_0203,
                ..ipv4.clone()
            },
            DLID,
        ),
        (
            Header {
                dest_mac: IPV4_MAC | 1 << 23,
                ..ipv4.clone()
            },
            DLID,
        ),
        (from_here(ipv4.clone()), SELF),
        (
            Header {
                opcode: 0x0A,
                ..ipv4.clone()
            },
            OPCODE,
        ),
    ] {
        assert_eq!(rig.pass(&header), refused(reason), "{header:X?}");
    }
    for other in [
        Header {
            sgid: 3,
            ..from_here(ipv4.clone())
        },
        Header {
            source_mac: 3,
            ..from_here(ipv4.clone())
        },
    ] {
        assert_eq!(rig.pass(&other), copies(5, &[0x11]));
    }
    let ipv6 = Header::to(MGID, 0, IPV6_MAC);
    assert_eq!(rig.pass(&ipv6), refused(DLID));
    rig.attach(0x22, MGID, 0);
    assert_eq!(rig.pass(&ipv6), copies(5, &[0x22]));
    assert_eq!(
        rig.pass(&Header {
            dest_mac: 0x0100_0000_0005,
            ..ipv6
        }),
        refused(ADDRESS)
    );
}
