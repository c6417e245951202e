//! The interrupt line, the packet counters and the pins of the physical link of the hardware.
use super::bench::{alone, attributes, hardware, packet, profile, request, response, BUFFER, QPN};
use hca_host::profile::Link;
use hca_host::register::{self, Access, Register};
use hca_host::retire;
use hca_host::wqe::Segment;
use hca_sim::driver::{AddressVector, Event, QpInit, ReceiveWork, Service};
use hca_sim::hca::SimHca;
use hca_sim::verbs::Connection;
use hca_testbench::cli::hardware::config;
use hca_testbench::device::software::request::region;
use hca_testbench::scenario::region::{all_memory, L_KEY};
use hca_testbench::Side;

/// Clock cycles in which everything that a step asks for happens.
const ENOUGH: u64 = 3_000;

fn run(hca: &mut SimHca) {
    for _ in 0..ENOUGH {
        hca.clock().unwrap();
    }
}

fn read(hca: &mut SimHca, addr: u32) -> u32 {
    let ticket = hca.driver().read_register(addr);
    run(hca);
    hca.outcome(ticket).unwrap().unwrap()
}

fn write(hca: &mut SimHca, addr: u32, value: u32) {
    let ticket = hca.driver().write_register(addr, value);
    run(hca);
    hca.outcome(ticket).unwrap().unwrap();
}

/// A QP in RTS that expects PSN 100 and has two receive WQEs.
fn connected() -> SimHca {
    let mut hca = SimHca::new(
        hardware().library(),
        &hardware().selected(&config(&profile(), 1, Side::Y)),
    )
    .unwrap();
    hca.activate_ports().unwrap();
    hca.driver().set_port(2, 0);
    hca.driver().set_p_keys(&[0xFFFF, 0, 0, 0]);
    let a = attributes(100);
    for cqn in [a.send_cq, a.receive_cq] {
        hca.create_cq(cqn, 32).unwrap();
    }
    hca.reg_mr(&region(&all_memory())).unwrap();
    let init = QpInit {
        service: Service::Rc,
        qpn: QPN,
        send_cq: a.send_cq,
        receive_cq: a.receive_cq,
        send_entries: 16,
        receive_entries: 16,
        pd: 0,
        dry_event: false,
    };
    let connection = Connection {
        address: AddressVector {
            dlid: a.dlid,
            ..AddressVector::default()
        },
        dest_qpn: a.dest_qpn,
        pmtu: 256,
        sq_psn: a.sq_psn,
        rq_psn: a.rq_psn,
        ..Connection::default()
    };
    let created = hca.driver().create_qp(&init).unwrap();
    run(&mut hca);
    assert_eq!(hca.outcome(created), Some(Ok(0)));
    for (state, changes) in connection.transitions() {
        let moved = hca.driver().modify_qp(QPN, state, &changes).unwrap();
        run(&mut hca);
        assert_eq!(hca.outcome(moved), Some(Ok(0)));
    }
    for wr_id in 0..2 {
        let segments = vec![Segment {
            addr: BUFFER,
            length: 64,
            l_key: L_KEY,
        }];
        hca.post_receive(QPN, &ReceiveWork { wr_id, segments }).unwrap();
    }
    run(&mut hca);
    hca
}

/// The receive CQ asks for an event.
fn arm(hca: &mut SimHca) {
    let cqn = attributes(100).receive_cq;
    hca.driver().request_notify(cqn, false).unwrap();
    run(hca);
}

#[test]
fn the_line_rises_with_an_event_when_enabled() {
    let _alone = alone();
    let mut hca = connected();
    hca.start_events(16).unwrap();
    run(&mut hca);
    if profile().link == Link::InfiniBand {
        // What happened before the event queue stood.
        assert_eq!(hca.poll_event(), Ok(Some(Event::PortActive { port: 1 })));
        assert_eq!(read(&mut hca, register::IRQ_STATUS), 1);
        write(&mut hca, register::IRQ_STATUS, 1);
    }
    assert_eq!(read(&mut hca, register::IRQ_STATUS), 0);
    hca.send_packet(packet(0x04, 100, &[1; 4]));
    run(&mut hca);
    assert_eq!(
        read(&mut hca, register::IRQ_STATUS),
        0,
        "a completion is no event"
    );
    arm(&mut hca);
    assert_eq!(
        read(&mut hca, register::IRQ_STATUS),
        0,
        "what was there before brings none"
    );
    hca.send_packet(packet(0x04, 101, &[1; 4]));
    run(&mut hca);
    assert!(!hca.irq(), "not enabled");
    assert_eq!(read(&mut hca, register::IRQ_STATUS), 1);
    write(&mut hca, register::IRQ_ENABLE, 1);
    assert!(hca.irq(), "a level, not an edge");
    write(&mut hca, register::IRQ_STATUS, 0);
    assert!(hca.irq(), "writing 0 clears nothing");
    write(&mut hca, register::IRQ_STATUS, 1);
    assert!(!hca.irq());
    assert!(hca.poll_event().unwrap().is_some());
    assert_eq!(hca.poll_event().unwrap(), None);
}

#[test]
fn packets_are_counted() {
    let _alone = alone();
    let mut hca = connected();
    let counters = [
        register::PACKETS_RECEIVED,
        register::PACKETS_SENT,
        register::PACKETS_DROPPED,
    ];
    let count = |hca: &mut SimHca| counters.map(|c| read(hca, c));
    assert_eq!(count(&mut hca), [0, 0, 0]);
    hca.send_packet(packet(0x04, 100, &[1; 4]));
    run(&mut hca);
    assert_eq!(count(&mut hca), [1, 1, 0], "executed and acknowledged");
    let mut bad = packet(0x04, 101, &[1; 4]);
    bad[22] ^= 1;
    hca.send_packet(bad);
    let mut stranger = request(0x04, 101, &[1; 4]);
    stranger.bth.dest_qp = 0x00_0B24;
    hca.send_packet(stranger.encode().unwrap());
    hca.send_packet(response(2000, 0x1F, 0));
    run(&mut hca);
    assert_eq!(count(&mut hca), [4, 1, 3], "bad VCRC, no such QP, ghost");
    hca.send_packet(packet(0x04, 102, &[1; 4]));
    hca.send_packet(packet(0x04, 103, &[1; 4]));
    run(&mut hca);
    assert_eq!(
        count(&mut hca),
        [6, 2, 4],
        "a NAK for the first, none for the second"
    );
    let reasons: Vec<(u32, u32)> = (0..register::DROPPED_COUNT)
        .map(|reason| (reason, read(&mut hca, register::DROPPED + 4 * reason)))
        .filter(|&(_, packets)| packets != 0)
        .collect();
    let once = [
        retire::drop::VCRC,
        retire::drop::DEST_QP,
        retire::drop::NAK_OUTSTANDING,
        retire::drop::GHOST_RESPONSE,
    ];
    assert_eq!(reasons, once.map(|reason| (u32::from(reason), 1)));
}

#[test]
fn the_port_keeps_its_addresses_and_p_keys() {
    let _alone = alone();
    let mut hca = SimHca::new(
        hardware().library(),
        &hardware().selected(&config(&profile(), 1, Side::Y)),
    )
    .unwrap();
    let words = [
        (register::PORT, 0x0003_1230, 0x0003_1230),
        (register::PORT_MAC_HIGH, 0xABCD_0A0B, 0x0A0B),
        (register::PORT_MAC_LOW, 0x0C0D_0E0F, 0x0C0D_0E0F),
        (register::PORT_GID, 0xFE80_0000, 0xFE80_0000),
        (register::PORT_GID + 4, 0x0000_0001, 0x0000_0001),
        (register::PORT_GID + 8, 0x1234_5678, 0x1234_5678),
        (register::PORT_GID + 12, 0x9ABC_DEF0, 0x9ABC_DEF0),
        (register::PORT_P_KEY, 0xABCD_FFFF, 0xFFFF),
        (register::PORT_P_KEY + 4, 0x9234, 0x9234),
        (register::PORT_P_KEY + 8, 0x1235, 0x1235),
        (register::PORT_P_KEY + 12, 0x8001, 0x8001),
    ];
    for (addr, _, _) in words {
        assert_eq!(read(&mut hca, addr), 0, "{addr:04X}h after reset");
    }
    for (addr, value, _) in words {
        write(&mut hca, addr, value);
    }
    for (addr, _, kept) in words {
        assert_eq!(read(&mut hca, addr), kept, "{addr:04X}h");
    }
}

/// CF434, CF435: a cable that is pulled, and software that disables the port.
#[test]
fn the_port_follows_the_pins_of_its_link() {
    use register::port_state::{ACTIVE, ACTIVE_DEFER, DISABLED, DOWN, INIT, LINK_UP};
    use register::{LINK_DOWNED, LINK_ERROR_RECOVERY, PORT_STATE};
    let _alone = alone();
    let mut hca = connected();
    let mut step = |cable: bool, asked: u32| {
        hca.port(1).set_cable(cable);
        run(&mut hca);
        write(&mut hca, PORT_STATE, asked);
        let [state, recoveries, losses] =
            [PORT_STATE, LINK_ERROR_RECOVERY, LINK_DOWNED].map(|address| read(&mut hca, address));
        // What arrives.
        hca.send_packet(packet(0x04, 100, &[1; 4]));
        run(&mut hca);
        let kept_out = read(
            &mut hca,
            register::DROPPED + 4 * u32::from(retire::drop::PORT_STATE),
        );
        (hca.link_enable(1), state, recoveries, losses, kept_out)
    };
    assert_eq!(step(true, 0), (true, ACTIVE | LINK_UP, 0, 0, 0));
    assert_eq!(step(false, 0), (true, ACTIVE_DEFER, 0, 0, 1));
    assert_eq!(step(true, 0), (true, ACTIVE | LINK_UP, 1, 0, 1));
    assert_eq!(step(true, DOWN | DISABLED), (false, DOWN | DISABLED, 1, 0, 2));
    assert_eq!(step(true, DOWN), (true, INIT | LINK_UP, 1, 0, 3));
    assert_eq!(step(false, 0), (true, DOWN, 1, 1, 4));
}

/// What hardware keeps is what the map says: whatever is written, the bits of fields, and of nothing else.
#[test]
fn every_register_is_as_the_map_says() {
    let _alone = alone();
    let mut hca = SimHca::new(
        hardware().library(),
        &hardware().selected(&config(&profile(), 1, Side::Y)),
    )
    .unwrap();
    let places = |r: &Register| {
        let (offset, stride) = (r.offset, r.stride);
        (0..r.count.min(32)).map(move |n| offset + n * stride)
    };
    for r in register::all().filter(|r| r.access != Access::WriteOnly) {
        for addr in places(r) {
            let value = read(&mut hca, addr);
            assert_eq!(
                value,
                r.reset.unwrap_or(value & r.mask()),
                "{} after reset",
                r.name
            );
        }
    }
    // A write of the port's state, of its VLs, or of its MTU, is a request, and one of the violation's register a
    // release; a part of the high limit's register says what there is.
    let others = [
        register::PORT_STATE,
        register::PORT_VLS,
        register::PORT_MTU,
        register::VL_HIGH_LIMIT,
        register::VIOLATION,
    ];
    let keeps = |r: &&Register| r.access == Access::ReadWrite && !others.contains(&r.offset);
    for r in register::all().filter(keeps) {
        for addr in places(r) {
            write(&mut hca, addr, u32::MAX);
            assert_eq!(read(&mut hca, addr), r.mask(), "{} of ones", r.name);
            write(&mut hca, addr, 0);
            assert_eq!(read(&mut hca, addr), 0, "{} of zeros", r.name);
        }
    }
    let taken: Vec<u32> = register::all().flat_map(places).collect();
    for addr in (0..0x400).step_by(4).filter(|addr| !taken.contains(addr)) {
        assert_eq!(read(&mut hca, addr), 0, "nothing stands at {addr:04X}h");
    }
}
