//! The ports of the block.
use super::addresses::Addresses;
use super::header::HEADER_BITS;
use crate::chance::Chance;
use crate::verilated::{Direction, Error, Library, Model, Port};

pub(super) struct Ports {
    pub clock: Port,
    pub reset: Port,
    stream_data: Port,
    stream_keep: Port,
    stream_last: Port,
    pub stream_valid: Port,
    pub stream_ready: Port,
    port_lid: Port,
    port_lmc: Port,
    port_gid: Port,
    port_guids: Port,
    port_mac: Port,
    port_mtu: Port,
    data_vls: Port,
    accepts_management: Port,
    accepts_data: Port,
    hold: Port,
    pub heard: Port,
    /// The fields of `LinkCounts` except `words` and `multicast`, in order.
    pub counts: [Port; 5],
    pub words: Port,
    pub multicast: Port,
    pub header: Port,
    pub header_valid: Port,
    pub header_ready: Port,
    pub command_valid: Port,
    pub command_ready: Port,
    pub command_discard: Port,
    pub command_prefix: Port,
    pub command_keeps: Port,
    own: Port,
    port: Port,
    ends_bad: Port,
    overran: Port,
    pub payload_data: Port,
    pub payload_last: Port,
    pub payload_valid: Port,
    pub payload_ready: Port,
    pub drop_valid: Port,
    pub drop_reason: Port,
    pub drop_packet: Port,
    /// Number of bytes of a beat.
    pub lanes: usize,
}

impl Ports {
    pub fn find(library: &Library, stream_bits: u32) -> Result<Ports, Error> {
        let input = |name, bits| library.expect(name, Direction::In, bits);
        let output = |name, bits| library.expect(name, Direction::Out, bits);
        Ok(Ports {
            clock: input("clock", 1)?,
            reset: input("reset", 1)?,
            stream_data: input("s_axis_tdata", stream_bits)?,
            stream_keep: input("s_axis_tkeep", stream_bits / 8)?,
            stream_last: input("s_axis_tlast", 1)?,
            stream_valid: input("s_axis_tvalid", 1)?,
            stream_ready: output("s_axis_tready", 1)?,
            port_lid: input("port_lid", 16)?,
            port_lmc: input("port_lmc", 3)?,
            port_gid: input("port_gid", 128)?,
            port_guids: input("port_guids", 192)?,
            port_mac: input("port_mac", 48)?,
            port_mtu: input("port_mtu", 3)?,
            data_vls: input("data_vls", 4)?,
            accepts_management: input("accepts_management", 1)?,
            accepts_data: input("accepts_data", 1)?,
            hold: input("hold", 1)?,
            heard: output("heard", 1)?,
            counts: [
                output("counts_faulty", 1)?,
                output("counts_ended_bad", 1)?,
                output("counts_overran", 1)?,
                output("counts_management_overran", 1)?,
                output("counts_received", 1)?,
            ],
            words: output("counts_words", 11)?,
            multicast: output("counts_multicast", 1)?,
            header: output("header", HEADER_BITS)?,
            header_valid: output("header_valid", 1)?,
            header_ready: input("header_ready", 1)?,
            command_valid: input("payload_command_valid", 1)?,
            command_ready: output("payload_command_ready", 1)?,
            command_discard: input("payload_command_discard", 1)?,
            command_prefix: input("payload_command_prefix", 1)?,
            command_keeps: input("payload_command_keeps", 1)?,
            own: input("own", 1)?,
            port: input("port", 1)?,
            ends_bad: input("ends_bad", 1)?,
            overran: input("overran", 1)?,
            payload_data: output("payload_data", stream_bits)?,
            payload_last: output("payload_last", 1)?,
            payload_valid: output("payload_valid", 1)?,
            payload_ready: input("payload_ready", 1)?,
            drop_valid: output("drop_valid", 1)?,
            drop_reason: output("drop_reason", 8)?,
            drop_packet: output("drop_packet", 32)?,
            lanes: stream_bits as usize / 8,
        })
    }

    /// Sets the port's VLs and addresses. The first byte of an address is at the most significant end. The port is
    /// Active; no packet is its own, and none came with a fault from below.
    pub fn address(&self, model: &mut Model, addresses: &Addresses) {
        let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
        model.set(self.own, false);
        model.set(self.port, false);
        self.mark(model, false, false);
        model.set(self.hold, false);
        self.accept(model, true, true);
        model.set(self.port_lid, addresses.lid);
        model.set(self.port_lmc, addresses.lmc);
        model.set(self.data_vls, addresses.data_vls);
        model.set(self.port_mtu, addresses.mtu);
        model.set_bytes(self.port_gid, &reversed(&addresses.gid));
        let guids: Vec<u8> = addresses
            .guids
            .iter()
            .rev()
            .flat_map(|guid| guid.to_le_bytes())
            .collect();
        model.set_bytes(self.port_guids, &guids);
        model.set_bytes(self.port_mac, &reversed(&addresses.mac));
    }

    /// Sets whether the state of the port lets packets in on VL 15 and on data VLs.
    pub fn accept(&self, model: &mut Model, management: bool, data: bool) {
        model.set(self.accepts_management, management);
        model.set(self.accepts_data, data);
    }

    /// Sets whether packets end as bad, and whether they are stubs of packets without room.
    pub fn mark(&self, model: &mut Model, ends_bad: bool, overran: bool) {
        model.set(self.ends_bad, ends_bad);
        model.set(self.overran, overran);
    }

    /// Puts the packet's next bytes on the stream, and arbitrary values on the lanes behind its end.
    pub fn offer(&self, model: &mut Model, rest: &[u8], filler: &mut Chance) {
        let used = rest.len().min(self.lanes);
        let mut beat = rest[..used].to_vec();
        beat.resize_with(self.lanes, || filler.pick(&(0..=255)) as u8);
        model.set_bytes(self.stream_data, &beat);
        model.set(self.stream_keep, (1u128 << used).wrapping_sub(1) as u64);
        model.set(self.stream_last, rest.len() <= self.lanes);
    }
}
