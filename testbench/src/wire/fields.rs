//! The model's packets as the header records of the hardware. Where both are listed, the names are side by side.
use hca_golden::wire::extension::Extension;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::Network;
use hca_sim::wire::{receive, transmit};

/// A record's fields by name, for comparisons.
pub type Listed = Vec<(&'static str, String)>;

macro_rules! listed {
    ($header:ident: $($field:ident),+) => {
        vec![$((stringify!($field), $header.$field.shown())),+]
    };
}

/// Shows a field's value as in reports.
trait Shown {
    fn shown(&self) -> String;
}

impl Shown for bool {
    fn shown(&self) -> String {
        u8::from(*self).to_string()
    }
}

impl<const N: usize> Shown for [u8; N] {
    fn shown(&self) -> String {
        self.iter().map(|b| format!("{b:02X}")).collect::<String>() + "h"
    }
}

macro_rules! shown_in_hex {
    ($($number:ty),+) => {
        $(impl Shown for $number {
            fn shown(&self) -> String {
                format!("{self:X}h")
            }
        })+
    };
}

shown_in_hex!(u8, u16, u32, u64);

/// Returns the record that the parser has to make of a packet that arrived as `number`.
pub fn received(packet: &Packet, number: u32) -> receive::Header {
    let mut header = receive::Header {
        packet: number,
        opcode: packet.bth.opcode,
        solicited: packet.bth.se,
        migrated: packet.bth.m,
        fecn: packet.bth.f,
        becn: packet.bth.b,
        p_key: packet.bth.p_key,
        dest_qp: packet.bth.dest_qp,
        ack_req: packet.bth.a,
        psn: packet.bth.psn,
        payload: packet.payload.len() as u16,
        ..receive::Header::default()
    };
    match &packet.route {
        Route::Local(lrh) => (header.slid, header.dlid, header.sl) = (lrh.slid, lrh.dlid, lrh.sl),
        Route::Global(lrh, grh) => {
            (header.slid, header.dlid, header.sl) = (lrh.slid, lrh.dlid, lrh.sl);
            header.has_grh = true;
            header.traffic_class = grh.tclass;
            header.flow_label = grh.flow_label;
            header.hop_limit = grh.hop_lmt;
            (header.sgid, header.dgid) = (grh.sgid, grh.dgid);
        }
        Route::Roce(roce) => {
            header.has_grh = true;
            header.ipv4 = matches!(roce.network, Network::Ipv4(_));
            header.traffic_class = roce.network.traffic_class();
            header.flow_label = roce.network.flow_label();
            header.hop_limit = roce.network.hop_limit();
            (header.sgid, header.dgid) = (roce.network.sgid(), roce.network.dgid());
            header.source_mac = roce.ethernet.source;
            header.source_port = roce.udp.source_port;
        }
    }
    for extension in &packet.extensions {
        match *extension {
            Extension::Rdeth(h) => header.ee_context = h.ee_context,
            Extension::Deth(h) => (header.q_key, header.source_qp) = (h.q_key, h.src_qp),
            Extension::Reth(h) => (header.va, header.r_key, header.dma_len) = (h.va, h.r_key, h.dma_len),
            Extension::AtomicEth(h) => {
                (header.va, header.r_key) = (h.va, h.r_key);
                (header.swap_add, header.compare) = (h.swap_dt_add_dt, h.cmp_dt);
            }
            Extension::Aeth(h) => (header.syndrome, header.msn) = (h.syndrome, h.msn),
            Extension::AtomicAckEth(h) => header.original = h.orig_rem_dt,
            Extension::ImmDt(h) => header.immediate = u32::from_be_bytes(h.imm_data),
            Extension::Ieth(h) => header.r_key = h.r_key,
        }
    }
    header
}

/// Returns the record from which the builder makes this packet, whose reserved fields are 0.
pub fn built(packet: &Packet) -> transmit::Header {
    // Both records have a packet's fields; only the ends of the addresses differ.
    let fields = received(packet, 0);
    let mut header = transmit::Header {
        dlid: fields.dlid,
        slid: fields.slid,
        sl: fields.sl,
        has_grh: fields.has_grh,
        ipv4: fields.ipv4,
        traffic_class: fields.traffic_class,
        flow_label: fields.flow_label,
        hop_limit: fields.hop_limit,
        sgid: fields.sgid,
        dgid: fields.dgid,
        source_mac: fields.source_mac,
        source_port: fields.source_port,
        opcode: fields.opcode,
        solicited: fields.solicited,
        migrated: fields.migrated,
        p_key: fields.p_key,
        dest_qp: fields.dest_qp,
        ack_req: fields.ack_req,
        psn: fields.psn,
        ee_context: fields.ee_context,
        q_key: fields.q_key,
        source_qp: fields.source_qp,
        va: fields.va,
        r_key: fields.r_key,
        dma_len: fields.dma_len,
        swap_add: fields.swap_add,
        compare: fields.compare,
        syndrome: fields.syndrome,
        msn: fields.msn,
        original: fields.original,
        immediate: fields.immediate,
        ..transmit::Header::default()
    };
    match &packet.route {
        Route::Local(lrh) | Route::Global(lrh, _) => header.vl = lrh.vl,
        Route::Roce(roce) => header.dest_mac = roce.ethernet.destination,
    }
    header
}

/// Returns a receive record's fields, in order.
pub fn listed(header: &receive::Header) -> Listed {
    listed!(header: slid, dlid, sl, has_grh, ipv4, traffic_class, flow_label, hop_limit, sgid, dgid, source_mac,
        source_port, opcode, solicited, migrated, fecn, becn, p_key, dest_qp, ack_req, psn, ee_context, q_key,
        source_qp, va, r_key, dma_len, swap_add, compare, syndrome, msn, original, immediate, payload)
}
