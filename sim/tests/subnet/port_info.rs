//! PortInfo (`portinfo.csv`, `protocol/mad.md` section 5.2).
use crate::bench::*;
use hca_sim::subnet::{Event, Handled, PhysicalState, PortState, Ports};

fn state(bench: &mut Bench) -> PortState {
    let Ok(link) = bench.ports.link(1);
    link.state
}

fn physical(bench: &mut Bench) -> PhysicalState {
    let Ok(link) = bench.ports.link(1);
    link.physical
}

/// PortInfo of a Set with these states.
fn states(port: u8, physical: u8) -> [u8; 64] {
    let mut data = port_info();
    data[32] = 0x10 | port;
    data[33] = physical << 4 | 2;
    data
}

#[test]
fn values_at_reset() {
    let mut bench = Bench::new();
    let mut expected = [0; 64];
    expected[8..10].copy_from_slice(&[0xFE, 0x80]);
    expected[20..24].copy_from_slice(&[0x06, 0x61, 0x08, 0x58]);
    // Port 1; widths 1X and 4X; 2.5 Gb/s and Init; LinkUp and polling; no key and LMC; 2.5 Gb/s active and enabled.
    expected[28..36].copy_from_slice(&[1, 3, 3, 2, 0x12, 0x52, 0x00, 0x11]);
    // MTU 2048, 4 VLs, arbitration tables of 8 and 40 entries, MTUCap 2048, 4 VLs operational.
    expected[36..44].copy_from_slice(&[0x40, 0x30, 0, 8, 40, 0x04, 0, 0x30]);
    // 10 GUIDs, RespTimeValue 16.
    expected[50..53].copy_from_slice(&[10, 0, 16]);
    assert_eq!(bench.data(&smp(GET, PORT_INFO, 0, &[])), expected);
    expected[28] = 2;
    assert_eq!(
        bench.data(&smp(GET, PORT_INFO, 2, &[])),
        expected,
        "of the other port"
    );
    bench.ports.link_lost(1);
    let down = bench.data(&smp(GET, PORT_INFO, 1, &[]));
    assert_eq!(down[32..34], [0x11, 0x22], "Down, polling");
    assert_eq!(bench.status(&smp(GET, PORT_INFO, 3, &[])), 0x001C);
    assert_eq!(bench.status(&smp(GET, PORT_INFO, 0x101, &[])), 0x001C);
}

#[test]
fn a_value_that_is_not_legal_changes_no_field() {
    // Offset, byte: what is wrong with it.
    let illegal: [(usize, u8, &str); 22] = [
        (17, 0x00, "LID 0"),
        (16, 0xC0, "LID C014h"),
        (16, 0xFF, "LID FF14h"),
        (17, 0x16, "LID 16h with LMC 2"),
        (19, 0x00, "MasterSMLID 0"),
        (18, 0xC0, "MasterSMLID C001h"),
        (29, 0x04, "a width that is not supported"),
        (29, 0x07, "a width too many"),
        (35, 0x02, "a speed that is not supported"),
        (33, 0x03, "LinkDownDefaultState 3"),
        (36, 0x00, "MTU code 0"),
        (36, 0x50, "MTU code above MTUCap"),
        (36, 0x60, "MTU code 6"),
        (43, 0x40, "OperationalVLs above VLCap"),
        (32, 0x12, "PortState 2"),
        (32, 0x15, "PortState 5"),
        (32, 0x1F, "PortState 15"),
        (32, 0x14, "Active from Init"),
        (33, 0x42, "PortPhysicalState 4"),
        (33, 0x52, "PortPhysicalState 5"),
        (33, 0xF2, "PortPhysicalState 15"),
        (16, 0xBF, "legal"),
    ];
    for (at, byte, what) in illegal {
        let mut bench = Bench::new();
        let before = (bench.agent.clone(), bench.ports.clone());
        let mut data = port_info();
        data[at] = byte;
        let status = bench.status(&smp(SET, PORT_INFO, 1, &data));
        if what == "legal" {
            assert_eq!(status, 0);
            continue;
        }
        assert_eq!(status, 0x001C, "{what}");
        assert_eq!((bench.agent, bench.ports), before, "{what}");
    }
    // A state of the link together with a step to Armed.
    let mut bench = Bench::new();
    assert_eq!(bench.status(&smp(SET, PORT_INFO, 1, &states(3, 2))), 0x001C);
    assert_eq!(
        bench.status(&smp(SET, PORT_INFO, 2, &port_info())),
        0x001C,
        "another port"
    );
    assert_eq!(state(&mut bench), PortState::Init);
}

#[test]
fn a_set_writes_every_register() {
    let mut bench = Bench::new();
    let mut data = port_info();
    data[8..16].copy_from_slice(&[0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 9]);
    data[18..20].copy_from_slice(&[0xBF, 0xFF]);
    data[26..28].copy_from_slice(&[0x12, 0x34]);
    data[29] = 0x01;
    data[33] = 0x01;
    data[34] = 0x80 | 2;
    data[36] = 0x35;
    data[38] = 0x99;
    data[41] = 0x70;
    data[42] = 0xE5;
    data[43] = 0x2F;
    data[51] = 0x7F;
    data[53] = 0x5A;
    let mut shown = bench.data(&smp(SET, PORT_INFO, 1, &data));
    let settings = bench.ports.settings(1).unwrap();
    assert_eq!(settings.gid_prefix, 0x2001_0DB8_0000_0009);
    assert_eq!((settings.lid, settings.lmc), (0x14, 2));
    assert_eq!(
        (settings.mtu, settings.operational_vls, settings.vl_high_limit),
        (3, 2, 0x99)
    );
    assert_eq!((settings.link_width_enabled, settings.link_speed_enabled), (1, 1));
    assert_eq!(settings.link_down_default_state, 1);
    assert_eq!((settings.local_phy_errors, settings.overrun_errors), (5, 10));
    assert_eq!(shown[8..16], [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 9]);
    assert_eq!(shown[16..20], [0x00, 0x14, 0xBF, 0xFF]);
    assert_eq!(shown[26..28], [0x12, 0x34], "lease period");
    assert_eq!(shown[29..37], [1, 3, 2, 0x12, 0x51, 0x82, 0x11, 0x35]);
    assert_eq!(
        (shown[38], shown[41], shown[42], shown[43]),
        (0x99, 0x74, 0xE5, 0x20)
    );
    assert_eq!(
        (shown[51], shown[53]),
        (0x1F, 0x5A),
        "SubnetTimeOut and thresholds"
    );
    // 0 leaves widths, speeds, the default state and the VLs; FFh and 15 take all.
    for at in [29, 33, 35, 43] {
        data[at] = 0;
    }
    assert_eq!(bench.data(&smp(SET, PORT_INFO, 1, &data)), shown);
    (data[29], data[35]) = (0xFF, 0x0F);
    shown[29] = 3;
    assert_eq!(bench.data(&smp(SET, PORT_INFO, 1, &data)), shown);
}

#[test]
fn read_only_fields_are_ignored() {
    let mut bench = Bench::new();
    let before = bench.data(&smp(SET, PORT_INFO, 1, &port_info()));
    let mut data = port_info();
    for at in [
        20, 21, 22, 23, 24, 25, 28, 30, 31, 39, 40, 50, 52, 54, 55, 57, 58, 59, 60, 61, 62, 63,
    ] {
        data[at] = 0xFF;
    }
    data[37] = 0xFF;
    data[41] |= 0x0F;
    data[43] |= 0x0F;
    data[51] |= 0x60;
    data[32] |= 0xF0;
    data[35] |= 0xF0;
    assert_eq!(bench.data(&smp(SET, PORT_INFO, 1, &data)), before);
}

#[test]
fn violations_of_the_m_key_are_cleared_by_0_alone() {
    let mut bench = Bench::managed();
    let mut data = port_info();
    data[7] = 1;
    bench.data(&smp(SET, PORT_INFO, 1, &data));
    assert_eq!(bench.ask(&smp(SET, PORT_INFO, 1, &data)), None);
    data[45] = 9;
    assert_eq!(
        bench.data(&with_key(smp(SET, PORT_INFO, 1, &data), 1))[44..46],
        [0, 1]
    );
    data[45] = 0;
    assert_eq!(
        bench.data(&with_key(smp(SET, PORT_INFO, 1, &data), 1))[44..46],
        [0, 0]
    );
}

#[test]
fn changes_of_addresses_are_events() {
    let mut bench = Bench::managed();
    let mut data = port_info();
    bench.data(&smp(SET, PORT_INFO, 1, &data));
    assert_eq!(bench.agent.event(), None);
    (data[17], data[19]) = (0x18, 0x02);
    bench.data(&smp(SET, PORT_INFO, 1, &data));
    assert_eq!(bench.agent.event(), Some(Event::LidChange { port: 1 }));
    assert_eq!(bench.agent.event(), Some(Event::SmChange { port: 1 }));
}

#[test]
fn steps_of_the_state_that_do_not_exist_are_refused() {
    for (from, to) in [
        (PortState::Init, 4),
        (PortState::Down, 3),
        (PortState::Down, 4),
        (PortState::Active, 3),
        (PortState::ActiveDefer, 3),
    ] {
        let mut bench = Bench::new();
        bench.ports.set_state(1, from);
        let before = (bench.agent.clone(), bench.ports.clone());
        assert_eq!(
            bench.status(&smp(SET, PORT_INFO, 1, &states(to, 0))),
            0x001C,
            "{from:?} to {to}"
        );
        assert_eq!((bench.agent, bench.ports), before);
    }
}

#[test]
fn a_step_that_was_done_is_done_again() {
    for (code, at) in [(3, PortState::Armed), (4, PortState::Active)] {
        let mut bench = Bench::new();
        bench.ports.set_state(1, at);
        let shown = bench.data(&smp(SET, PORT_INFO, 1, &states(code, 0)));
        assert_eq!(shown[32], 0x10 | code);
        assert_eq!(state(&mut bench), at);
        assert_eq!(shown[16..18], [0x00, 0x14], "other fields are taken");
    }
    // The state of a link that retrains shows as Active.
    let mut bench = Bench::new();
    bench.ports.set_state(1, PortState::ActiveDefer);
    assert_eq!(bench.data(&smp(SET, PORT_INFO, 1, &states(4, 0)))[32], 0x14);
    assert_eq!(state(&mut bench), PortState::ActiveDefer);
}

#[test]
fn init_to_armed_to_active_acts_before_the_reply() {
    let mut bench = Bench::new();
    let mut shown = |code| bench.data(&smp(SET, PORT_INFO, 1, &states(code, 0)))[32];
    assert_eq!((shown(0), shown(3), shown(4)), (0x12, 0x13, 0x14));
    assert_eq!(state(&mut bench), PortState::Active);
}

#[test]
fn down_waits_for_the_reply_to_leave() {
    for (code, asked, then) in [
        (1, 0, PhysicalState::Polling),
        (0, 1, PhysicalState::Polling),
        (0, 2, PhysicalState::Polling),
        (1, 2, PhysicalState::Polling),
        (0, 3, PhysicalState::Disabled),
        (1, 3, PhysicalState::Disabled),
    ] {
        let mut bench = Bench::managed();
        let Handled::Reply(reply) = bench.handle(1, &smp(SET, PORT_INFO, 1, &states(code, asked))) else {
            panic!("no reply");
        };
        assert_eq!(reply.header.status, 0);
        assert_eq!(reply.data[32..34], [0x14, 0x52], "still Active in the reply");
        assert_eq!(state(&mut bench), PortState::Active);
        let Ok(()) = bench.agent.reply_left(&mut bench.ports, 1);
        assert_eq!(state(&mut bench), PortState::Down);
        assert_eq!(physical(&mut bench), then);
        // Once is enough.
        bench.ports.link_up(1);
        let Ok(()) = bench.agent.reply_left(&mut bench.ports, 1);
        let expected = match then {
            PhysicalState::Disabled => PortState::Down,
            _ => PortState::Init,
        };
        assert_eq!(state(&mut bench), expected);
        // Nothing else of the port was reset.
        assert_eq!(bench.ports.settings(1).unwrap().lid, 0x14);
    }
}

#[test]
fn a_disabled_port_is_enabled_by_polling_alone() {
    let mut bench = Bench::managed();
    let disable = |bench: &mut Bench, code, asked| {
        bench.data(&smp(SET, PORT_INFO, 1, &states(code, asked)));
        physical(bench)
    };
    assert_eq!(disable(&mut bench, 0, 3), PhysicalState::Disabled);
    assert_eq!(disable(&mut bench, 1, 0), PhysicalState::Disabled);
    assert_eq!(disable(&mut bench, 0, 2), PhysicalState::Polling);
}
