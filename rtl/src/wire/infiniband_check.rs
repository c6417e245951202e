//! The checks of LRH and GRH.
use super::GidMatch;
use crate::bundle::LinkCountSource;
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

/// Judges the link and network layer of a native packet in four cycles (`protocol/responder.md` section 1 steps 1 and
/// 3).
///
/// `flat`, `ends_bad` and `overran` belong to the first cycle, `total` to the second, `vcrc_ok`, `own` and the state of
/// the port to the fourth; `passes` follows in the fourth, `reason`, `heard` and `counts` in the fifth.
#[derive(LogicBlock, Default)]
pub struct InfiniBandCheck {
    pub clock: Signal<In, Clock>,
    /// The first 120 bytes of the packet, byte 0 at the most significant end.
    pub flat: Signal<In, Bits<960>>,
    /// High if the packet ended as bad (EBP).
    pub ends_bad: Signal<In, Bit>,
    /// High for the stub of a packet that found no room in the buffer of its VL.
    pub overran: Signal<In, Bit>,
    /// Length of the packet in bytes as it arrived, VCRC included.
    pub total: Signal<In, Bits<18>>,
    /// High if the VCRC is correct.
    pub vcrc_ok: Signal<In, Bit>,
    /// Base LID of the port, its low `port_lmc` bits zero.
    pub port_lid: Signal<In, Bits<16>>,
    /// LMC of the port: number of low bits of the LID that name a path.
    pub port_lmc: Signal<In, Bits<3>>,
    /// Entry 0 of the GID table: prefix and GUID.
    pub port_gid: Signal<In, Bits<128>>,
    /// GUIDs of entries 1 to 3 of the GID table ([`crate::control::GuidTable`]).
    pub port_guids: Signal<In, Bits<192>>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub port_mtu: Signal<In, Bits<3>>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// High while the state of the port lets packets on VL 15 in.
    pub accepts_management: Signal<In, Bit>,
    /// High while the state of the port lets packets on data VLs in.
    pub accepts_data: Signal<In, Bit>,
    /// High for the port's own packet, which no state keeps out.
    pub own: Signal<In, Bit>,
    /// High if no check fails, so that `reason` is 0 in the next cycle.
    pub passes: Signal<Out, Bit>,
    /// 0, or the reason to drop the packet, numbered as on the retire port.
    pub reason: Signal<Out, Bits<8>>,
    /// High if the packet came from the link on a data VL and passes the checks of the link: an armed port becomes
    /// Active.
    pub heard: Signal<Out, Bit>,
    /// Events of the packet for the counters of the port.
    pub counts: LinkCountSource,
    lid_mask: Register<Bits<16>>,
    /// Largest PktLen.
    most_words: Register<Bits<16>>,
    // Fields.
    vl: Register<Bits<4>>,
    link_version: Register<Bits<4>>,
    network: Register<Bits<2>>,
    packet_length: Register<Bits<11>>,
    dlid: Register<Bits<16>>,
    dlid_base: Register<Bits<16>>,
    ip_version: Register<Bits<4>>,
    next_header: Register<Bits<8>>,
    payload_length: Register<Bits<16>>,
    gids: GidMatch,
    // Bit 0: ended as bad; bit 1: without room.
    marks: Register<Bits<2>>,
    // Comparisons.
    uneven: Register<Bit>,
    few_words: Register<Bit>,
    few_local: Register<Bit>,
    few_global: Register<Bit>,
    many_words: Register<Bit>,
    other_version: Register<Bit>,
    other_length: Register<Bit>,
    zero_lid: Register<Bit>,
    unusable_vl: Register<Bit>,
    management_vl: Register<Bit>,
    other_lid: Register<Bit>,
    permissive_lid: Register<Bit>,
    group_lid: Register<Bit>,
    has_transport: Register<Bit>,
    has_grh: Register<Bit>,
    other_grh: Register<Bit>,
    other_payload_length: Register<Bit>,
    marks_compared: Register<Bits<2>>,
    words_compared: Register<Bits<11>>,
    // Checks.
    is_bad: Register<Bit>,
    has_no_room: Register<Bit>,
    words_checked: Register<Bits<11>>,
    to_group: Register<Bit>,
    on_management: Register<Bit>,
    runt: Register<Bit>,
    wrong_version: Register<Bit>,
    wrong_length: Register<Bit>,
    no_lid: Register<Bit>,
    wrong_vl: Register<Bit>,
    wrong_management: Register<Bit>,
    wrong_lid: Register<Bit>,
    wrong_network: Register<Bit>,
    wrong_grh: Register<Bit>,
    wrong_payload_length: Register<Bit>,
    wrong_gid: Register<Bit>,
    // Verdict.
    verdict: Register<Bits<8>>,
    hears: Register<Bit>,
    counts_faulty: Register<Bit>,
    counts_bad: Register<Bit>,
    counts_overrun: Register<Bit>,
    counts_management: Register<Bit>,
    counts_received: Register<Bit>,
    words_received: Register<Bits<11>>,
    group_received: Register<Bit>,
    kept_out: Signal<Local, Bit>,
    /// High if the packet came from the link, the state of the port lets it in, and it did not end as bad.
    judged: Signal<Local, Bit>,
    link_fault: Signal<Local, Bit>,
    link_passes: Signal<Local, Bit>,
    words: Signal<Local, Bits<16>>,
    why: DropReasons,
}

#[kernel]
impl Logic for InfiniBandCheck {
    fn update(&mut self) {
        comment!("@module infiniband_check");
        clock!(self, clock, gids);
        // The MTU and 124 bytes; code 1 is 256 bytes.
        self.most_words.d.next = (bits::<16>(32) << self.port_mtu.val()) + 31;
        self.lid_mask.d.next = bits::<16>(0xFFFF) << self.port_lmc.val();

        // Fields: LRH from bit 959 down, GRH from 895.
        self.vl.d.next = self.flat.val().get_bits::<4>(956);
        self.link_version.d.next = self.flat.val().get_bits::<4>(952);
        self.network.d.next = self.flat.val().get_bits::<2>(944);
        self.dlid.d.next = self.flat.val().get_bits::<16>(928);
        self.dlid_base.d.next = self.flat.val().get_bits::<16>(928) & self.lid_mask.q.val();
        self.packet_length.d.next = self.flat.val().get_bits::<11>(912);
        self.ip_version.d.next = self.flat.val().get_bits::<4>(892);
        self.payload_length.d.next = self.flat.val().get_bits::<16>(848);
        self.next_header.d.next = self.flat.val().get_bits::<8>(840);
        self.gids.gid.next = self.flat.val().get_bits::<128>(576);
        inputs!(self.gids, port_gid, port_guids);

        self.marks.d.next =
            (bit_cast::<2, 1>(self.overran.val().into()) << 1) | bit_cast::<2, 1>(self.ends_bad.val().into());

        // Comparisons. The VCRC follows whole words (headers.md section 3).
        self.words.next = self.total.val().get_bits::<16>(2);
        self.uneven.d.next = self.total.val().get_bits::<2>(0) != 2;
        self.few_words.d.next = self.words.val() < 5;
        self.few_local.d.next = self.words.val() < 6;
        self.few_global.d.next = self.words.val() < 16;
        self.many_words.d.next = self.words.val() > self.most_words.q.val();
        self.other_version.d.next = self.link_version.q.val() != 0;
        self.other_length.d.next = bit_cast::<16, 11>(self.packet_length.q.val()) != self.words.val();
        self.other_lid.d.next = self.dlid_base.q.val() != self.port_lid.val();
        self.zero_lid.d.next = self.dlid.q.val() == 0;
        self.permissive_lid.d.next = self.dlid.q.val().all();
        self.group_lid.d.next = (self.dlid.q.val() >= 0xC000) && !self.dlid.q.val().all();
        self.unusable_vl.d.next = (self.vl.q.val() >= self.data_vls.val()) && !self.vl.q.val().all();
        self.management_vl.d.next = self.vl.q.val().all();
        self.has_transport.d.next = self.network.q.val().get_bit(1);
        self.has_grh.d.next = self.network.q.val() == 3;
        self.other_grh.d.next = (self.ip_version.q.val() != 6) || (self.next_header.q.val() != 0x1B);
        self.other_payload_length.d.next = (bit_cast::<17, 16>(self.payload_length.q.val()) + 48)
            != (bit_cast::<17, 11>(self.packet_length.q.val()) << 2);

        self.marks_compared.d.next = self.marks.q.val();
        self.words_compared.d.next = self.packet_length.q.val();

        // Checks. The active MTU and 124 bytes are the largest packet (headers.md section 2, link.md section 9).
        self.on_management.d.next = self.management_vl.q.val();
        self.runt.d.next = self.uneven.q.val() || self.few_words.q.val();
        self.wrong_version.d.next = self.other_version.q.val();
        self.wrong_length.d.next = (self.other_length.q.val() || self.many_words.q.val())
            || ((self.has_transport.q.val() && self.few_local.q.val())
                || (self.has_grh.q.val() && self.few_global.q.val()));
        self.no_lid.d.next = self.zero_lid.q.val();
        self.wrong_vl.d.next =
            self.unusable_vl.q.val() || (self.management_vl.q.val() && self.group_lid.q.val());
        self.wrong_management.d.next =
            self.management_vl.q.val() && (!self.has_transport.q.val() || self.has_grh.q.val());
        // The address of a group is checked behind the link (ud.md section 4).
        self.wrong_lid.d.next = self.other_lid.q.val()
            && !self.group_lid.q.val()
            && !(self.permissive_lid.q.val() && self.management_vl.q.val());
        self.wrong_network.d.next = !self.has_transport.q.val();
        self.wrong_grh.d.next = self.has_grh.q.val() && self.other_grh.q.val();
        self.wrong_payload_length.d.next = self.has_grh.q.val() && self.other_payload_length.q.val();
        self.wrong_gid.d.next = self.has_grh.q.val() && self.gids.differs.val() && !self.group_lid.q.val();

        self.is_bad.d.next = self.marks_compared.q.val().get_bit(0);
        self.has_no_room.d.next = self.marks_compared.q.val().get_bit(1);
        self.words_checked.d.next = self.words_compared.q.val();
        self.to_group.d.next = self.group_lid.q.val();

        // link.md section 1
        self.kept_out.next = !(self.own.val()
            || self.accepts_data.val()
            || (self.accepts_management.val() && self.on_management.q.val()));
        self.link_fault.next = self.runt.q.val()
            || !self.vcrc_ok.val()
            || self.wrong_version.q.val()
            || self.wrong_length.q.val()
            || self.no_lid.q.val()
            || self.wrong_vl.q.val()
            || self.wrong_management.q.val();
        self.link_passes.next = !(self.kept_out.val()
            || self.is_bad.q.val()
            || self.has_no_room.q.val()
            || self.link_fault.val()
            || self.wrong_lid.q.val());
        self.hears.d.next = self.link_passes.val() && !self.on_management.q.val() && !self.own.val();
        self.heard.next = self.hears.q.val();
        self.passes.next = self.link_passes.val()
            && !(self.wrong_network.q.val()
                || self.wrong_grh.q.val()
                || self.wrong_payload_length.q.val()
                || self.wrong_gid.q.val());

        // Counters (link.md section 9). What a packet without room looks like is checked no further: only its stub
        // came.
        self.judged.next = !(self.kept_out.val() || self.own.val() || self.is_bad.q.val());
        self.counts_bad.d.next = !(self.kept_out.val() || self.own.val()) && self.is_bad.q.val();
        self.counts_overrun.d.next =
            self.judged.val() && self.has_no_room.q.val() && !self.on_management.q.val();
        self.counts_management.d.next =
            self.judged.val() && self.has_no_room.q.val() && self.on_management.q.val();
        self.counts_faulty.d.next = self.judged.val()
            && ((self.has_no_room.q.val() && !self.on_management.q.val())
                || (!self.has_no_room.q.val() && self.link_fault.val()));
        self.counts_received.d.next =
            self.judged.val() && !self.has_no_room.q.val() && !self.link_fault.val();
        self.words_received.d.next = self.words_checked.q.val();
        self.group_received.d.next = self.to_group.q.val();
        inputs!(self.counts, faulty: counts_faulty.q, ended_bad: counts_bad.q, overran: counts_overrun.q);
        inputs!(self.counts, management_overran: counts_management.q, received: counts_received.q);
        inputs!(self.counts, words: words_received.q, multicast: group_received.q);

        // Verdict: the first check that fails.
        self.verdict.d.next = 0.into();
        if self.kept_out.val() {
            // link.md section 9
            self.verdict.d.next = self.why.port_state.val();
        } else if self.is_bad.q.val() {
            // link.md section 9
            self.verdict.d.next = self.why.vcrc.val();
        } else if self.has_no_room.q.val() {
            // link.md section 9
            self.verdict.d.next = self.why.overrun.val();
            if self.on_management.q.val() {
                self.verdict.d.next = self.why.vl15.val();
            }
        } else if self.runt.q.val() {
            self.verdict.d.next = self.why.length.val();
        } else if !self.vcrc_ok.val() {
            // crc.md section 4
            self.verdict.d.next = self.why.vcrc.val();
        } else if self.wrong_version.q.val() {
            // headers.md section 5
            self.verdict.d.next = self.why.link_version.val();
        } else if self.wrong_length.q.val() {
            // link.md section 9: PktLen mismatch
            self.verdict.d.next = self.why.length.val();
        } else if self.no_lid.q.val() {
            // link.md section 9
            self.verdict.d.next = self.why.dlid.val();
        } else if self.wrong_vl.q.val() {
            // link.md section 9
            self.verdict.d.next = self.why.vl.val();
        } else if self.wrong_management.q.val() {
            // link.md section 9: LNH 10 on VL 15
            self.verdict.d.next = self.why.vl15.val();
        } else if self.wrong_lid.q.val() {
            // link.md section 2: ours but for the path bits, that of a group, or FFFFh on VL 15
            self.verdict.d.next = self.why.dlid.val();
        } else if self.wrong_network.q.val() {
            // responder.md section 1 step 3
            self.verdict.d.next = self.why.network_header.val();
        } else if self.wrong_grh.q.val() {
            // responder.md section 1 step 3
            self.verdict.d.next = self.why.grh.val();
        } else if self.wrong_payload_length.q.val() {
            // headers.md section 3
            self.verdict.d.next = self.why.length.val();
        } else if self.wrong_gid.q.val() {
            // responder.md section 1 step 3
            self.verdict.d.next = self.why.dgid.val();
        }
        self.reason.next = self.verdict.q.val();
    }
}
