//! Y's registers, as its agents read and write them: by verbs.
use crate::bench::verbs::DONE;
use crate::bench::Bench;
use hca_golden::arbitration::{Arbitration, Entry, Table, ENTRIES};
use hca_golden::port::PortState as State;
use hca_golden::verbs::{PortCounter, WrongKey};
use hca_sim::subnet::attribute::{ArbitrationEntry, BadKey, PortCounters, PortCountersExtended, SlToVl};
use hca_sim::subnet::{
    ArbitrationTable, CountedKey, Link, LinkCommand, MemoryPorts, PhysicalState, PortState, Ports, Settings,
};
use hca_testbench::device::{Outcome, Verb};
use std::convert::Infallible;

pub struct Registers<'a> {
    pub y: &'a mut Bench,
    /// What no verb reads, or the adapter does not have; the 64-bit counters as they were when each was cleared.
    pub kept: &'a mut MemoryPorts,
}

impl Registers<'_> {
    fn count(&mut self, port: u8, counter: PortCounter) -> u32 {
        let verb = Verb::QueryPortCounter { counter }.on_port(port);
        match self.y.attempt(verb) {
            Ok(Outcome::PortCounter(count)) => count,
            other => panic!("{other:?}"),
        }
    }

    /// The 64-bit counters since reset.
    fn counted(&mut self, port: u8) -> PortCountersExtended {
        let counted = match self.y.attempt(Verb::QueryExtendedCounters.on_port(port)) {
            Ok(Outcome::ExtendedCounters(counters)) => *counters,
            other => panic!("{other:?}"),
        };
        PortCountersExtended {
            xmit_data: counted.xmit_data,
            rcv_data: counted.rcv_data,
            xmit_pkts: counted.xmit_packets,
            rcv_pkts: counted.rcv_packets,
            unicast_xmit_pkts: counted.unicast_xmit_packets,
            unicast_rcv_pkts: counted.unicast_rcv_packets,
            multicast_xmit_pkts: counted.multicast_xmit_packets,
            multicast_rcv_pkts: counted.multicast_rcv_packets,
            ..PortCountersExtended::default()
        }
    }

    fn state(&mut self, port: u8) -> State {
        match self.y.attempt(Verb::QueryPortState.on_port(port)) {
            Ok(Outcome::PortState(state)) => state,
            other => panic!("{other:?}"),
        }
    }

    fn clear(&mut self, port: u8, counter: PortCounter) {
        self.ask(port, Verb::SetPortCounter { counter, count: 0 });
    }

    /// The GID table has the prefix of the settings and the GUIDs.
    fn set_gids(&mut self, port: u8) -> Result<(), Infallible> {
        let prefix = self.kept.settings(port)?.gid_prefix;
        let guids = self.kept.guids(port)?;
        let gid = u128::from(prefix) << 64 | u128::from(guids[0]);
        self.ask(
            port,
            Verb::SetGids {
                gid: gid.to_be_bytes(),
                guids: [guids[1], guids[2], guids[3]],
            },
        );
        Ok(())
    }

    /// The adapter's tables and limit are those that a manager wrote, if the capabilities offer its tables.
    fn arbitrate(&mut self, port: u8) -> Result<(), Infallible> {
        let table = |entries: Vec<ArbitrationEntry>| -> Option<Table> {
            let entries: Vec<Entry> = entries
                .iter()
                .map(|&ArbitrationEntry { vl, weight }| Entry { vl, weight })
                .collect();
            <[Entry; ENTRIES]>::try_from(entries).ok()
        };
        let high = table(self.kept.vl_arbitration(port, ArbitrationTable::High)?);
        let low = table(self.kept.vl_arbitration(port, ArbitrationTable::Low)?);
        let high_limit = self.kept.settings(port)?.vl_high_limit;
        if let (Some(high), Some(low)) = (high, low) {
            let arbitration = Arbitration {
                high,
                low,
                high_limit,
            };
            self.ask(port, Verb::SetArbitration { arbitration });
        }
        Ok(())
    }

    fn ask(&mut self, port: u8, verb: Verb) {
        assert_eq!(self.y.attempt(verb.on_port(port)), DONE);
        self.y.settle();
    }
}

fn counter_of(key: CountedKey) -> PortCounter {
    match key {
        CountedKey::PKey => PortCounter::PKeyViolations,
        CountedKey::QKey => PortCounter::QKeyViolations,
    }
}

impl Ports for Registers<'_> {
    type Error = Infallible;

    fn link(&mut self, port: u8) -> Result<Link, Infallible> {
        let link = self.kept.link(port)?;
        let (state, physical) = match self.state(port) {
            State::Down => (PortState::Down, link.physical),
            State::Init => (PortState::Init, PhysicalState::LinkUp),
            State::Armed => (PortState::Armed, PhysicalState::LinkUp),
            State::Active => (PortState::Active, PhysicalState::LinkUp),
            State::ActiveDefer => (PortState::ActiveDefer, PhysicalState::Polling),
        };
        Ok(Link {
            state,
            physical,
            ..link
        })
    }

    fn command(&mut self, port: u8, command: LinkCommand) -> Result<(), Infallible> {
        self.kept.command(port, command)?;
        let set = |state| Verb::SetPortState { state };
        self.ask(
            port,
            match command {
                LinkCommand::Arm => set(State::Armed),
                LinkCommand::Activate => set(State::Active),
                LinkCommand::Down | LinkCommand::Poll => set(State::Down),
                LinkCommand::Disable => Verb::DisablePort,
            },
        );
        Ok(())
    }

    fn settings(&mut self, port: u8) -> Result<Settings, Infallible> {
        self.kept.settings(port)
    }

    fn set_settings(&mut self, port: u8, settings: &Settings) -> Result<(), Infallible> {
        let (lid, lmc) = (settings.lid, settings.lmc);
        self.ask(port, Verb::SetLid { lid, lmc });
        // Codes 1, 2, 3 and 4 are 1, 2, 4 and 8 VLs.
        let data_vls = 1 << (settings.operational_vls - 1);
        self.ask(port, Verb::SetDataVls { data_vls });
        self.ask(port, Verb::SetMtu { mtu: settings.mtu });
        self.kept.set_settings(port, settings)?;
        self.arbitrate(port)?;
        self.set_gids(port)
    }

    fn p_keys(&mut self, port: u8) -> Result<Vec<u16>, Infallible> {
        self.kept.p_keys(port)
    }

    fn set_p_keys(&mut self, port: u8, p_keys: &[u16]) -> Result<(), Infallible> {
        for (index, &p_key) in (0..).zip(p_keys) {
            self.ask(port, Verb::SetPKey { index, p_key });
        }
        self.kept.set_p_keys(port, p_keys)
    }

    fn guids(&mut self, port: u8) -> Result<Vec<u64>, Infallible> {
        self.kept.guids(port)
    }

    fn set_guids(&mut self, port: u8, guids: &[u64]) -> Result<(), Infallible> {
        self.kept.set_guids(port, guids)?;
        self.set_gids(port)
    }

    fn sl_to_vl(&mut self, port: u8) -> Result<SlToVl, Infallible> {
        self.kept.sl_to_vl(port)
    }

    fn set_sl_to_vl(&mut self, port: u8, table: &SlToVl) -> Result<(), Infallible> {
        self.ask(port, Verb::SetSlToVl { table: table.vls });
        self.kept.set_sl_to_vl(port, table)
    }

    fn vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
    ) -> Result<Vec<ArbitrationEntry>, Infallible> {
        self.kept.vl_arbitration(port, table)
    }

    fn set_vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
        entries: &[ArbitrationEntry],
    ) -> Result<(), Infallible> {
        self.kept.set_vl_arbitration(port, table, entries)?;
        self.arbitrate(port)
    }

    fn violations(&mut self, port: u8, key: CountedKey) -> Result<u16, Infallible> {
        Ok(self.count(port, counter_of(key)) as u16)
    }

    fn clear_violations(&mut self, port: u8, key: CountedKey) -> Result<(), Infallible> {
        self.clear(port, counter_of(key));
        Ok(())
    }

    fn take_violation(&mut self, port: u8) -> Result<Option<(CountedKey, BadKey)>, Infallible> {
        let Ok(Outcome::Violation(held)) = self.y.attempt(Verb::QueryViolation.on_port(port)) else {
            panic!("the violation latch can be read");
        };
        let Some(held) = held else {
            return Ok(None);
        };
        self.ask(port, Verb::ReleaseViolation);
        let (counted, key) = match held.key {
            WrongKey::PKey(p_key) => (CountedKey::PKey, p_key.into()),
            WrongKey::QKey(q_key) => (CountedKey::QKey, q_key),
        };
        let bad = BadKey {
            slid: held.slid,
            dlid: held.dlid,
            key,
            sl: held.sl,
            source_qpn: held.source_qpn,
            destination_qpn: held.dest_qpn,
            sgid: held.sgid,
            dgid: held.dgid,
        };
        Ok(Some((counted, bad)))
    }

    fn counters(&mut self, port: u8) -> Result<PortCounters, Infallible> {
        let mut count = |counter| self.count(port, counter);
        Ok(PortCounters {
            link_error_recovery: count(PortCounter::LinkErrorRecovery) as u8,
            link_downed: count(PortCounter::LinkDowned) as u8,
            rcv_errors: count(PortCounter::RcvErrors) as u16,
            rcv_remote_physical_errors: count(PortCounter::RcvRemotePhysicalErrors) as u16,
            xmit_discards: count(PortCounter::XmitDiscards) as u16,
            excessive_buffer_overrun_errors: count(PortCounter::BufferOverrun) as u8,
            vl15_dropped: count(PortCounter::Vl15Dropped) as u16,
            xmit_data: count(PortCounter::XmitData),
            rcv_data: count(PortCounter::RcvData),
            xmit_pkts: count(PortCounter::XmitPackets),
            rcv_pkts: count(PortCounter::RcvPackets),
            xmit_wait: count(PortCounter::XmitWait),
            ..PortCounters::default()
        })
    }

    fn clear_counters(&mut self, port: u8, select: u16, select2: u8) -> Result<(), Infallible> {
        use PortCounter::*;
        let selected = [
            (0x0002, LinkErrorRecovery),
            (0x0004, LinkDowned),
            (0x0008, RcvErrors),
            (0x0010, RcvRemotePhysicalErrors),
            (0x0040, XmitDiscards),
            (0x0400, BufferOverrun),
            (0x0800, Vl15Dropped),
            (0x1000, XmitData),
            (0x2000, RcvData),
            (0x4000, XmitPackets),
            (0x8000, RcvPackets),
        ];
        let selected = selected.into_iter().filter(|(bit, _)| select & bit != 0);
        selected.for_each(|(_, counter)| self.clear(port, counter));
        if select2 & 1 != 0 {
            self.clear(port, XmitWait);
        }
        self.kept.clear_counters(port, select, select2)
    }

    fn extended_counters(&mut self, port: u8) -> Result<PortCountersExtended, Infallible> {
        let mut counters = self.counted(port);
        let (_, cleared) = self.kept.counters_mut(port);
        for (count, cleared) in counters.counts().into_iter().zip(cleared.counts()) {
            *count -= *cleared;
        }
        Ok(counters)
    }

    fn clear_extended_counters(&mut self, port: u8, select: u16) -> Result<(), Infallible> {
        let mut counters = self.counted(port);
        let (_, cleared) = self.kept.counters_mut(port);
        let counts = counters.counts().into_iter().zip(cleared.counts());
        for (bit, (count, cleared)) in counts.enumerate() {
            if select >> bit & 1 != 0 {
                *cleared = *count;
            }
        }
        Ok(())
    }
}
