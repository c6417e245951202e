//! Whatever bytes come: nobody panics, and what is refused changes nothing.
use crate::bench::*;
use hca_sim::subnet::directed_route::{self, Arrived};
use hca_sim::subnet::mad::{MadBytes, PerformanceMad, Smp};
use hca_sim::subnet::{performance, Handled, Record};
use proptest::prelude::*;

/// Bytes that come near an SMP: versions, methods and attributes that exist are likely.
fn near_an_smp() -> impl Strategy<Value = MadBytes> {
    let byte = prop_oneof![Just(0), Just(1), Just(0xFF), any::<u8>()];
    let head = (
        prop_oneof![9 => Just(1u8), 1 => any::<u8>()],
        prop_oneof![Just(0x01u8), Just(0x81)],
        prop_oneof![9 => Just(1u8), 1 => any::<u8>()],
        prop_oneof![4 => Just(GET), 4 => Just(SET), 1 => Just(TRAP_REPRESS), 1 => any::<u8>()],
        prop_oneof![9 => 0x10u16..0x19, 1 => any::<u16>()],
        prop_oneof![Just(0u32), Just(1), (1u32..5).prop_map(|n| n << 16), any::<u32>()],
    );
    (prop::collection::vec(byte, 256), head).prop_map(|(bytes, head)| {
        let mut mad: MadBytes = bytes.try_into().expect("256 of them");
        let (base, class, version, method, attribute, modifier) = head;
        mad[..4].copy_from_slice(&[base, class, version, method]);
        mad[16..18].copy_from_slice(&attribute.to_be_bytes());
        mad[20..24].copy_from_slice(&modifier.to_be_bytes());
        mad
    })
}

/// A Set of PortInfo that differs in two bytes from one that is legal.
fn near_port_info() -> impl Strategy<Value = MadBytes> {
    prop::collection::vec((0..64usize, any::<u8>()), 2).prop_map(|changes| {
        let mut data = port_info();
        changes.into_iter().for_each(|(at, byte)| data[at] = byte);
        smp(SET, PORT_INFO, 0, &data)
    })
}

proptest! {
    #[test]
    fn an_smp_that_is_refused_changes_nothing(
        mads in prop::collection::vec((prop_oneof![near_an_smp(), near_port_info()], 1..3u8), 1..20)
    ) {
        let mut bench = Bench::managed();
        for (mad, port) in mads {
            let mut bytes = mad;
            let mut smp = Smp::decode(&mad);
            if smp.is_directed() {
                let arrived = directed_route::arrive(&mut smp, port);
                bytes = smp.encode();
                if arrived != Arrived::ForAgent {
                    continue;
                }
            }
            let before = bench.ports.clone();
            let agent = bench.agent.clone();
            match bench.handle(port, &bytes) {
                Handled::Reply(reply) => {
                    if reply.header.status & 0x7FFF != 0 {
                        prop_assert_eq!(&bench.ports, &before);
                        prop_assert_eq!(bench.agent.event(), agent.clone().event());
                    }
                    let reply: MadBytes = reply.encode();
                    prop_assert_eq!(&reply[6..64], &bytes[6..64]);
                    prop_assert_eq!(reply[3], GET_RESP);
                }
                Handled::Consumed | Handled::ForManager(_) => prop_assert_eq!(&bench.ports, &before),
            }
            let Ok(()) = bench.agent.reply_left(&mut bench.ports, port);
            bench.trap();
        }
    }

    #[test]
    fn a_performance_mad_that_is_refused_changes_nothing(mad in near_an_smp(), port in 1..3u8) {
        let mut bench = Bench::managed();
        let (counters, _) = bench.ports.counters_mut(port);
        counters.xmit_data = 7;
        let before = bench.ports.clone();
        let Ok(answer) = performance::answer(&mut bench.ports, port, &PerformanceMad::decode(&mad));
        if answer.is_none_or(|answer| answer.header.status != 0) {
            prop_assert_eq!(bench.ports, before);
        }
    }
}
