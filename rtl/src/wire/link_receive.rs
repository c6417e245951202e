//! The link's receive side.
use super::crc_check::CrcCheck;
use super::header_capture::HeaderCapture;
use super::header_pick::HeaderPick;
use super::header_store::HeaderStore;
use super::ingress::Ingress;
use super::network_store::NetworkStore;
use super::packet_buffer::PacketBuffer;
use super::packet_check::PacketCheck;
use super::payload_align::PayloadAlign;
use super::payload_place::PayloadPlace;
use super::payload_reader::PayloadReader;
use super::route::Route;
use crate::bundle::{HeaderSource, LinkCountSource, PayloadBeatSource, PayloadCommandSink};
use hca_hdl::prelude::*;

/// Takes packets from the stream, checks and stores them, and hands out headers and payload, a beat and a packet a
/// cycle.
///
/// `K` = `W` / 8; `NB` beats hold the first 120 bytes; the buffer has 2^`A` beats; `SP`: 1 if there is a second port,
/// else 0. One of `IB` and `ROCE` is 1: native InfiniBand, or RoCEv2 in Ethernet frames without FCS. A packet that
/// fails a check (`protocol/responder.md` section 1 steps 1 to 4) is reported by `drop_valid` for one cycle, in order
/// of arrival, and leaves nothing else. For every other packet a header comes out; the receiver of the header gives one
/// payload command.
#[derive(LogicBlock, SmartDefault)]
pub struct LinkReceive<
    const W: usize,
    const K: usize,
    const NB: usize,
    const A: usize,
    const SP: usize,
    const IB: usize,
    const ROCE: usize,
> {
    #[default(provided(K * 8 == W && NB * W >= 960 && IB + ROCE == 1, "the generics contradict each other"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The stream of the link, byte 0 of a packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// High with the beats of a packet of the port itself ([`super::Loopback`]). It has no arrival number, and is not
    /// reported if it is dropped.
    pub own: Signal<In, Bit>,
    /// High with the last beat of a packet that ended as bad (EBP); ignored over Ethernet.
    pub ends_bad: Signal<In, Bit>,
    /// High with the only beat of the stub of a packet that found no room in the buffer of its VL; ignored over
    /// Ethernet.
    pub overran: Signal<In, Bit>,
    /// High while the packets that come, and those whose checks are under way, came by port 2
    /// ([`crate::ports::PortSet`]).
    pub port: Signal<In, Bit>,
    /// Base LID of that port, its low `port_lmc` bits zero.
    pub port_lid: Signal<In, Bits<16>>,
    /// LMC of the port: number of low bits of the LID that name a path.
    pub port_lmc: Signal<In, Bits<3>>,
    /// Entry 0 of the GID table: prefix and GUID; over Ethernet the IP address.
    pub port_gid: Signal<In, Bits<128>>,
    /// GUIDs of entries 1 to 3 of the GID table ([`crate::control::GuidTable`]); without meaning over Ethernet.
    pub port_guids: Signal<In, Bits<192>>,
    /// MAC address of the port; checked in frames only.
    pub port_mac: Signal<In, Bits<48>>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub port_mtu: Signal<In, Bits<3>>,
    /// Number of data VLs that are operational, from VL 0 on; ignored over Ethernet.
    pub data_vls: Signal<In, Bits<4>>,
    /// High while the state of the port lets packets on VL 15 in; ignored over Ethernet.
    pub accepts_management: Signal<In, Bit>,
    /// High while the state of the port lets packets on data VLs in; ignored over Ethernet.
    pub accepts_data: Signal<In, Bit>,
    /// High for one cycle when a packet from the link has passed the checks of the link on a data VL; low over
    /// Ethernet.
    pub heard: Signal<Out, Bit>,
    /// Events for the counters of a native port.
    pub counts: LinkCountSource,
    /// High while no beat is taken; the input must come from registers.
    pub hold: Signal<In, Bit>,
    /// High in a cycle in which no packet is checked against the state of its port. Packets that were
    /// checked earlier are dropped or passed on within three cycles.
    pub free: Signal<Out, Bit>,
    /// Headers of the accepted packets.
    pub header: HeaderSource,
    /// Commands that move the payload of the oldest packet on, or drop it.
    pub payload_command: PayloadCommandSink,
    /// The payload that was requested: ceil(payload / `K`) beats.
    pub payload: PayloadBeatSource<W>,
    /// High for one cycle when a packet is dropped.
    pub drop_valid: Signal<Out, Bit>,
    /// With `drop_valid`: reason to drop the packet, numbered as on the retire port.
    pub drop_reason: Signal<Out, Bits<8>>,
    /// With `drop_valid`: arrival number of the packet.
    pub drop_packet: Signal<Out, Bits<32>>,
    /// High for one cycle when a packet of the port itself is dropped.
    pub own_dropped: Signal<Out, Bit>,
    ingress: Ingress<W, K, IB, ROCE>,
    #[default(Route::new(ROCE == 1))]
    route: Route<W>,
    crc: CrcCheck<W, IB, ROCE>,
    capture: HeaderCapture<W, NB>,
    /// Picks from the headers as they come in, for the checks.
    early: HeaderPick<IB, ROCE>,
    pick: HeaderPick<IB, ROCE>,
    place: PayloadPlace<W, ROCE>,
    align: PayloadAlign<W>,
    check: PacketCheck<W, SP, IB, ROCE>,
    store: HeaderStore<SP, IB, ROCE>,
    networks: NetworkStore<W, IB, ROCE>,
    buffer: PacketBuffer<W, A>,
    reader: PayloadReader<W, A>,
    ended: Register<Bit>,
    ended_own: Register<Bit>,
    #[default(array_init::array_init(|_| Default::default()))]
    is_bad: [Register<Bit>; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    has_overrun: [Register<Bit>; IB],
    ends: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
}

#[kernel]
impl<
        const W: usize,
        const K: usize,
        const NB: usize,
        const A: usize,
        const SP: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for LinkReceive<W, K, NB, A, SP, IB, ROCE>
{
    fn update(&mut self) {
        clock_and_reset!(self, ingress, place, align, check, store, networks, buffer, reader);
        clock!(self, clock, route, crc, capture);

        StreamSink::<W, K>::link(&mut self.s_axis, &mut self.ingress.s_axis);
        self.open.next = self.buffer.open.val()
            && self.store.open.val()
            && self.networks.open.val()
            && self.reader.open.val()
            && !self.hold.val();
        inputs!(self.ingress, open, own);

        wires!(self.ingress, self.route, upcoming, next_valid, next_body);
        wires!(self.ingress, self.crc, valid, first, upcoming, data, body, end_word);
        self.crc.long.next = self.route.long.val();
        wires!(self.ingress, self.capture, valid, beat, body);
        wires!(self.ingress, self.place, valid, last, beat, body);
        self.place.long.next = self.route.long.val();

        // Checks, from the last beat on, and headers, a clock later.
        self.ends.next = self.ingress.valid.val() && self.ingress.last.val() && !self.reset.val();
        self.ended.d.next = self.ends.val();
        self.ended_own.d.next = self.ingress.taken_own.val();
        inputs!(self.pick, flat: capture.flat, long: route.settled);
        inputs!(self.early, flat: capture.early, long: route.long);
        inputs!(self.check, ended: ends, own: ingress.taken_own);
        // With the beat that `ingress` has taken.
        for i in 0..IB {
            clock!(self, clock, is_bad[i], has_overrun[i]);
            self.is_bad[i].d.next = self.ends_bad.val();
            self.has_overrun[i].d.next = self.overran.val();
            inputs!(self.check, ends_bad: is_bad[i].q, overran: has_overrun[i].q);
        }
        for _i in 0..ROCE {
            self.check.ends_bad.next = false;
            self.check.overran.next = false;
        }
        self.check.flat.next = self.capture.early.val();
        self.check.transport.next = self.early.raw.val().transport;
        inputs!(self.check, long: route.long, beats: ingress.beat, count: ingress.count);
        wires!(self.place, self.check, known, headers, start);
        wires!(self.crc, self.check, vcrc_ok, icrc_ok);
        inputs!(
            self.check, port, port_lid, port_lmc, port_gid, port_guids, port_mac, port_mtu, data_vls,
            accepts_management, accepts_data
        );
        self.heard.next = self.check.judged.val() && self.check.heard.val();
        LinkCountSource::link(&mut self.counts, &mut self.check.counts);
        self.free.next = !self.check.checked.val();
        self.kept.next = self.check.done.val() && self.check.accepted.val();
        self.drop_valid.next =
            self.check.done.val() && !self.check.accepted.val() && !self.check.done_own.val();
        self.own_dropped.next =
            self.check.done.val() && !self.check.accepted.val() && self.check.done_own.val();
        outputs!(self.check, drop_reason: reason, drop_packet: done_packet);

        inputs!(self.store, ended: ended.q, raw: pick.raw);
        self.store.raw.next.own = self.ended_own.q.val();
        self.store.raw.next.port = self.port.val();
        wires!(self.check, self.store, checked, checked_has, judged, accept, packet, payload, has);
        HeaderSource::link(&mut self.header, &mut self.store.header);

        wires!(self.ingress, self.networks, valid, beat);
        inputs!(self.networks, ended: ended.q, flat: capture.flat, long: route.settled, judged: check.done);
        inputs!(self.networks, waits: reader.waits, oldest: reader.oldest_slot);
        self.reader.slot.next = self.networks.slot.val();
        self.networks.part.next = self.reader.network_part.val();
        self.reader.network.next = self.networks.word.val();

        // Payload; the verdict comes with the beat that may follow a packet's last.
        inputs!(self.align, valid: place.placed_valid, last: place.placed_last, body: place.placed_body);
        inputs!(self.align, start: place.placed_start, carries: place.placed_carries);
        inputs!(self.buffer, valid: align.aligned_valid, data: align.aligned, judged: check.done);
        inputs!(self.buffer, accept: check.accepted, beats: check.payload_beats);
        wires!(self.reader, self.buffer, read_address, oldest);
        inputs!(self.reader, read_data: buffer.read_data, accepted: kept, beats: check.payload_beats);
        PayloadCommandSink::link(&mut self.payload_command, &mut self.reader.command);
        PayloadBeatSource::<W>::link(&mut self.payload, &mut self.reader.payload);
    }
}
