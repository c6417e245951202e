//! The checks of a packet before any engine sees it.
use super::infiniband_check::InfiniBandCheck;
use super::management_check::ManagementCheck;
use super::roce_check::RoceCheck;
use super::transport_check::TransportCheck;
use crate::bundle::LinkCountSource;
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;
use hca_host::retire::SECOND_PORT;

/// Judges a packet (`protocol/responder.md` section 1 steps 1 to 4, `special_qps.md` section 3 steps 1 to 5), one a
/// cycle, in a pipeline: fields, comparisons, checks, verdict, reason.
///
/// `ended` is high in the first cycle, in which `flat`, `transport`, `beats` and `count` describe the whole packet;
/// `known`, `headers` and `start` belong to the third, the CRCs to the fourth. `checked` is high in the fourth,
/// `judged` in the fifth, `done` in the seventh: when the payload is stored. `SP`: 1 if there is a second port, else 0.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketCheck<const W: usize, const SP: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet has ended.
    pub ended: Signal<In, Bit>,
    /// With `ended`: high for the port's own packet, which has no arrival number.
    pub own: Signal<In, Bit>,
    /// With `ended`: high if the packet ended as bad (EBP).
    pub ends_bad: Signal<In, Bit>,
    /// With `ended`: high for the stub of a packet that found no room in the buffer of its VL.
    pub overran: Signal<In, Bit>,
    /// The first 120 bytes of the packet, byte 0 at the most significant end.
    pub flat: Signal<In, Bits<960>>,
    /// BTH and the ten words behind it.
    pub transport: Signal<In, Bits<416>>,
    /// High if the packet has the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// Number of the last beat, from 0.
    pub beats: Signal<In, Bits<11>>,
    /// Number of bytes of the last beat as it arrived.
    pub count: Signal<In, Bits<7>>,
    /// High if the opcode is known.
    pub known: Signal<In, Bit>,
    /// Extended headers that the packet has, as in `HeaderDecode::has`.
    pub headers: Signal<In, Bits<8>>,
    /// 32-bit words before the payload, from the packet's first.
    pub start: Signal<In, Bits<5>>,
    /// High if the VCRC is correct.
    pub vcrc_ok: Signal<In, Bit>,
    /// High if the ICRC is correct.
    pub icrc_ok: Signal<In, Bit>,
    /// High while the packets under way came by port 2. It changes only while none is under way.
    pub port: Signal<In, Bit>,
    /// Base LID of the port, its low `port_lmc` bits zero.
    pub port_lid: Signal<In, Bits<16>>,
    /// LMC of the port: number of low bits of the LID that name a path.
    pub port_lmc: Signal<In, Bits<3>>,
    /// Entry 0 of the GID table: prefix and GUID; over Ethernet the IP address.
    pub port_gid: Signal<In, Bits<128>>,
    /// GUIDs of entries 1 to 3 of the GID table ([`crate::control::GuidTable`]); without meaning over Ethernet.
    pub port_guids: Signal<In, Bits<192>>,
    /// MAC address of the port.
    pub port_mac: Signal<In, Bits<48>>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub port_mtu: Signal<In, Bits<3>>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// High while the state of the port lets packets on VL 15 in; it belongs to the fourth cycle.
    pub accepts_management: Signal<In, Bit>,
    /// High while the state of the port lets packets on data VLs in; it belongs to the fourth cycle.
    pub accepts_data: Signal<In, Bit>,
    /// With `judged`: high if the packet came from the link on a data VL and passes its checks.
    pub heard: Signal<Out, Bit>,
    /// Events of the packet for the counters of the port, with `judged`; low otherwise, and over Ethernet.
    pub counts: LinkCountSource,
    /// High for one cycle in the cycle before `judged`.
    pub checked: Signal<Out, Bit>,
    /// With `checked`: extended headers that the packet has, as in `HeaderDecode::has`.
    pub checked_has: Signal<Out, Bits<8>>,
    /// High for one cycle with the verdict on the packet.
    pub judged: Signal<Out, Bit>,
    /// With `judged`: high if the packet is accepted.
    pub accept: Signal<Out, Bit>,
    /// With `judged`: arrival number of the packet.
    pub packet: Signal<Out, Bits<32>>,
    /// With `judged`: bytes of payload of the packet, pad not counted.
    pub payload: Signal<Out, Bits<13>>,
    /// With `judged`: extended headers that the packet has, as in `HeaderDecode::has`.
    pub has: Signal<Out, Bits<8>>,
    /// High for one cycle when the payload of the packet is stored, two cycles after `judged`.
    pub done: Signal<Out, Bit>,
    /// With `done`: high if the packet was accepted.
    pub accepted: Signal<Out, Bit>,
    /// With `done`: high for the port's own packet.
    pub done_own: Signal<Out, Bit>,
    /// With `done`: 0, or the reason to drop the packet, numbered as on the retire port.
    pub reason: Signal<Out, Bits<8>>,
    /// With `done`: number of beats of payload.
    pub payload_beats: Signal<Out, Bits<10>>,
    /// With `done`: arrival number of the packet.
    pub done_packet: Signal<Out, Bits<32>>,
    #[default(array_init::array_init(|_| Default::default()))]
    infiniband: [InfiniBandCheck; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    roce: [RoceCheck; ROCE],
    transports: TransportCheck<W>,
    #[default(array_init::array_init(|_| Default::default()))]
    management: [ManagementCheck; IB],
    total: Register<Bits<18>>,
    words: Register<Bits<11>>,
    at_fields: Register<Bit>,
    at_comparisons: Register<Bit>,
    at_checks: Register<Bit>,
    at_verdicts: Register<Bit>,
    at_reason: Register<Bit>,
    at_end: Register<Bit>,
    own_fields: Register<Bit>,
    own_comparisons: Register<Bit>,
    own_checks: Register<Bit>,
    own_verdicts: Register<Bit>,
    own_reason: Register<Bit>,
    own_end: Register<Bit>,
    headers_checked: Register<Bits<8>>,
    headers_judged: Register<Bits<8>>,
    icrc_held: Register<Bit>,
    accepts: Register<Bit>,
    number: Register<Bits<32>>,
    // With the reason, and behind it.
    decided: Register<Bit>,
    verdict: Register<Bits<8>>,
    verdict_beats: Register<Bits<10>>,
    end_accepted: Register<Bit>,
    end_reason: Register<Bits<8>>,
    end_beats: Register<Bits<10>>,
    end_number: Register<Bits<32>>,
    // The counts of the port whose packets are not under way, and whether that is port 1.
    #[default(array_init::array_init(|_| Default::default()))]
    other_number: [Register<Bits<32>>; SP],
    #[default(array_init::array_init(|_| Default::default()))]
    other_end: [Register<Bits<32>>; SP],
    #[default(array_init::array_init(|_| Default::default()))]
    was_second: [Register<Bit>; SP],
    link_passes: Signal<Local, Bit>,
    link_reason: Signal<Local, Bits<8>>,
    management_passes: Signal<Local, Bit>,
    management_reason: Signal<Local, Bits<8>>,
    final_reason: Signal<Local, Bits<8>>,
    #[default(constant((W / 8).trailing_zeros()))]
    byte_shift: Constant<Bits<3>>,
    /// First arrival number of port 2.
    #[default(constant(SECOND_PORT))]
    second_port: Constant<Bits<32>>,
    why: DropReasons,
}

#[kernel]
impl<const W: usize, const SP: usize, const IB: usize, const ROCE: usize> Logic
    for PacketCheck<W, SP, IB, ROCE>
{
    fn update(&mut self) {
        clock!(self, clock, transports);
        self.at_fields.d.next = self.ended.val();
        self.at_comparisons.d.next = self.at_fields.q.val();
        self.at_checks.d.next = self.at_comparisons.q.val();
        self.at_verdicts.d.next = self.at_checks.q.val();
        self.at_reason.d.next = self.at_verdicts.q.val();
        self.at_end.d.next = self.at_reason.q.val();
        self.own_fields.d.next = self.own.val();
        self.own_comparisons.d.next = self.own_fields.q.val();
        self.own_checks.d.next = self.own_comparisons.q.val();
        self.own_verdicts.d.next = self.own_checks.q.val();
        self.own_reason.d.next = self.own_verdicts.q.val();
        self.own_end.d.next = self.own_reason.q.val();

        // Lengths. A frame starts two bytes further back.
        self.total.d.next = (bit_cast::<18, 11>(self.beats.val()) << self.byte_shift.val())
            + bit_cast::<18, 7>(self.count.val());
        for _i in 0..IB {
            self.words.d.next = self.total.q.val().get_bits::<11>(2);
        }
        for _i in 0..ROCE {
            self.words.d.next = (self.total.q.val() + 2).get_bits::<11>(2);
        }

        for i in 0..IB {
            inputs!(self.management[i], clock, flat, transport);
            outputs!(self.management[i], management_passes: passes, management_reason: reason);
            inputs!(
                self.infiniband[i], clock, flat, ends_bad, overran, vcrc_ok, port_lid, port_lmc, port_gid,
                port_guids, port_mtu, data_vls, accepts_management, accepts_data
            );
            inputs!(self.infiniband[i], total: total.q, own: own_checks.q);
            self.heard.next = self.infiniband[i].heard.val();
            self.counts.faulty.next = self.at_verdicts.q.val() && self.infiniband[i].counts.faulty.val();
            self.counts.ended_bad.next =
                self.at_verdicts.q.val() && self.infiniband[i].counts.ended_bad.val();
            self.counts.overran.next = self.at_verdicts.q.val() && self.infiniband[i].counts.overran.val();
            self.counts.management_overran.next =
                self.at_verdicts.q.val() && self.infiniband[i].counts.management_overran.val();
            self.counts.received.next = self.at_verdicts.q.val() && self.infiniband[i].counts.received.val();
            self.counts.words.next = self.infiniband[i].counts.words.val();
            self.counts.multicast.next = self.infiniband[i].counts.multicast.val();
            outputs!(self.infiniband[i], link_passes: passes, link_reason: reason);
        }
        for i in 0..ROCE {
            self.heard.next = false;
            self.counts.faulty.next = false;
            self.counts.ended_bad.next = false;
            self.counts.overran.next = false;
            self.counts.management_overran.next = false;
            self.counts.received.next = false;
            self.counts.words.next = bits::<11>(0);
            self.counts.multicast.next = false;
            self.management_passes.next = true;
            self.management_reason.next = 0.into();
            inputs!(self.roce[i], clock, flat, long, port_gid, port_mac, port_mtu, total: total.q);
            outputs!(self.roce[i], link_passes: passes, link_reason: reason);
        }
        self.icrc_held.d.next = self.icrc_ok.val();
        inputs!(self.transports, transport, known, start, port_mtu, words: words.q);
        self.headers_checked.d.next = self.headers.val();
        self.headers_judged.d.next = self.headers_checked.q.val();

        // Verdict.
        self.accepts.d.next = self.link_passes.val()
            && self.icrc_ok.val()
            && self.transports.passes.val()
            && self.management_passes.val();

        // Reason: the first check that fails. LNH, GRH or IP say whether there is an ICRC (crc.md section 1, presence).
        self.final_reason.next = self.management_reason.val();
        if self.transports.reason.val() != 0 {
            self.final_reason.next = self.transports.reason.val();
        }
        if self.link_reason.val() != 0 {
            self.final_reason.next = self.link_reason.val();
        } else if !self.icrc_held.q.val() {
            self.final_reason.next = self.why.icrc.val();
        }
        self.verdict.d.next = self.final_reason.val();
        self.decided.d.next = self.accepts.q.val();
        self.verdict_beats.d.next = self.transports.beats.val();
        self.end_accepted.d.next = self.decided.q.val();
        self.end_reason.d.next = self.verdict.q.val();
        self.end_beats.d.next = self.verdict_beats.q.val();
        if self.at_verdicts.q.val() && !self.own_verdicts.q.val() {
            self.number.d.next = self.number.q.val() + 1;
        }
        if self.at_end.q.val() && !self.own_end.q.val() {
            self.end_number.d.next = self.end_number.q.val() + 1;
        }
        for i in 0..SP {
            dff_setup!(self, clock, other_number[i], other_end[i], was_second[i]);
            if self.reset.val() {
                self.was_second[i].d.next = false;
                self.other_number[i].d.next = self.second_port.val();
                self.other_end[i].d.next = self.second_port.val();
            } else if self.port.val() != self.was_second[i].q.val() {
                self.was_second[i].d.next = self.port.val();
                self.number.d.next = self.other_number[i].q.val();
                self.other_number[i].d.next = self.number.q.val();
                self.end_number.d.next = self.other_end[i].q.val();
                self.other_end[i].d.next = self.end_number.q.val();
            }
        }
        if self.reset.val() {
            self.number.d.next = 0.into();
            self.end_number.d.next = 0.into();
            clear!(self, at_fields, at_comparisons, at_checks, at_verdicts, at_reason, at_end);
        }
        self.checked.next = self.at_checks.q.val();
        self.checked_has.next = self.headers_checked.q.val();
        self.judged.next = self.at_verdicts.q.val();
        self.accept.next = self.accepts.q.val();
        self.packet.next = self.number.q.val();
        self.payload.next = self.transports.payload.val();
        self.has.next = self.headers_judged.q.val();
        self.done.next = self.at_end.q.val();
        self.accepted.next = self.end_accepted.q.val();
        self.done_own.next = self.own_end.q.val();
        self.reason.next = self.end_reason.q.val();
        self.payload_beats.next = self.end_beats.q.val();
        self.done_packet.next = self.end_number.q.val();
    }
}
