//! The interrupt line and its two registers, against two plain masks.
use crate::registers::{registers, Host};
use fastrand::Rng;
use hca_host::register::{EQ_CONSUMER, IRQ_ENABLE, IRQ_EVENT, IRQ_HOST_MEMORY, IRQ_STATUS};

const CAUSES: u32 = IRQ_EVENT | IRQ_HOST_MEMORY;

/// In each clock the line is high if, and only if, a cause that is enabled was reported and not acknowledged since; one
/// that is reported in the very clock of an acknowledgement stays.
#[test]
fn the_line_is_high_while_an_enabled_cause_stands() {
    let library = registers();
    for seed in 1..=4 {
        let mut rng = Rng::with_seed(seed);
        let mut host = Host::new(&library, seed);
        let (mut status, mut enable) = (0, 0);
        let (mut rose, mut met) = (0, 0);
        let mut was_high = false;
        let mut writes = false;
        // Causes are rarer than writes, as often, and more often.
        let often = [4, 20, 60][seed as usize % 3];
        for clock in 0..20_000 {
            if !writes && rng.u8(..3) == 0 {
                let address = [IRQ_STATUS, IRQ_STATUS, IRQ_ENABLE, EQ_CONSUMER][rng.usize(..4)];
                host.bench.set("axil_awaddr", address.into());
                host.bench.set("axil_wdata", rng.u32(..).into());
                writes = true;
            }
            host.bench.set("axil_awvalid", writes.into());
            host.bench.set("axil_wvalid", writes.into());
            let events = rng.u8(..100) < often;
            let failures = rng.u8(..100) < often;
            host.bench.set("event_written", events.into());
            host.bench.set("host_memory_failed", failures.into());
            host.bench.settle();
            let high = host.bench.is_set("irq");
            assert_eq!(high, status & enable != 0, "seed {seed}, clock {clock}");
            rose += u32::from(high && !was_high);
            was_high = high;

            writes &= !host.bench.is_set("axil_awready");
            let raised = (u32::from(events) * IRQ_EVENT) | (u32::from(failures) * IRQ_HOST_MEMORY);
            let mut acknowledged = 0;
            if host.bench.is_set("port_bus_write") {
                let written = host.bench.get("port_bus_write_data") as u32 & CAUSES;
                match host.bench.get("port_bus_write_address") as u32 {
                    IRQ_STATUS => acknowledged = written,
                    IRQ_ENABLE => enable = written,
                    _ => {}
                }
            }
            met += u32::from(status & acknowledged & raised != 0);
            status = (status & !acknowledged) | raised;
            host.bench.tick();
        }
        assert!(
            rose > 100 && met > 10,
            "seed {seed}: rose {rose} times, met {met} times"
        );
        host.bench.set("event_written", 0);
        host.bench.set("host_memory_failed", 0);
        while std::mem::take(&mut writes) {
            host.bench.settle();
            writes = !host.bench.is_set("axil_awready");
            host.bench.tick();
        }
        host.bench.set("axil_awvalid", 0);
        host.bench.set("axil_wvalid", 0);
        host.write(IRQ_ENABLE, CAUSES);
        host.write(IRQ_STATUS, CAUSES);
        assert_eq!((host.read(IRQ_STATUS), host.read(IRQ_ENABLE)), (0, CAUSES));
        assert!(!host.bench.is_set("irq"));
    }
}
