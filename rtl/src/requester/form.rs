//! Decodes a response by itself (`protocol/requester.md` section 5, `protocol/aeth.md` section 1).
use super::RequesterRow;
use crate::drop_reasons::DropReasons;
use crate::receive::ResponseArrival;
use hca_hdl::prelude::*;

record! {
    /// Properties of a response, known a clock before the verdict.
    pub struct ResponseForm {
        /// High if admission refused the packet, for a reason that comes before the state of the queue pair.
        pub refused_early: Bit,
        /// High if admission refused the packet.
        pub refused: Bit,
        /// Reason of the drop (`host::retire::drop`).
        pub refused_reason: Bits<8>,
        /// High if the syndrome is reserved.
        pub reserved: Bit,
        /// High if the packet has an AETH.
        pub has_aeth: Bit,
        /// High if the opcode is Acknowledge; a NAK is one too.
        pub acknowledge: Bit,
        /// High if the packet is an Acknowledge that grants credits.
        pub grants: Bit,
        /// High if the packet is an RNR NAK.
        pub rnr_nak: Bit,
        /// High if the packet is a NAK other than an RNR NAK.
        pub nak: Bit,
        /// High if the syndrome is that of a NAK for a PSN sequence error.
        pub sequence: Bit,
        /// High if the syndrome is that of a NAK for an invalid request.
        pub invalid: Bit,
        /// High if the syndrome is that of a NAK for a remote access error.
        pub access: Bit,
        /// High if the packet is a read response.
        pub read: Bit,
        /// High if the packet is a read response First or Only.
        pub begins: Bit,
        /// High if the packet is a read response Last or Only.
        pub finishes: Bit,
        /// High if the packet is no NAK.
        pub positive: Bit,
        /// High if the packet is an atomic acknowledge, and no NAK.
        pub answers_atomic: Bit,
        /// High if the payload is a whole PMTU.
        pub full: Bit,
        /// High if the payload is the remainder of the Read's length divided by PMTU.
        pub rest: Bit,
        /// High if that remainder, not a whole PMTU, is the payload of the Read's last response.
        pub has_rest: Bit,
    }
}

/// Pure function of the response and of the row.
#[derive(LogicBlock, Default)]
pub struct ResponseDecode {
    /// The response.
    pub arrival: Signal<In, ResponseArrival>,
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Properties of the response.
    pub form: Signal<Out, ResponseForm>,

    kind: Signal<Local, Bits<2>>,
    has_aeth: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    acknowledge: Signal<Local, Bit>,
    positive: Signal<Local, Bit>,
    earlier_reason: Signal<Local, Bit>,
    pmtu_bytes: Signal<Local, Bits<13>>,
    rest: Signal<Local, Bits<13>>,
    why: DropReasons,
}

#[kernel]
impl Logic for ResponseDecode {
    fn update(&mut self) {
        // Admission's reasons but the last two come before the state (responder.md section 1).
        self.earlier_reason.next = (self.arrival.val().drop_reason != self.why.source.val())
            && (self.arrival.val().drop_reason != self.why.p_key.val());
        self.form.next.refused = self.arrival.val().drop;
        self.form.next.refused_early = self.arrival.val().drop && self.earlier_reason.val();
        self.form.next.refused_reason = self.arrival.val().drop_reason;

        // protocol/opcodes.csv: Read response first 0Dh, middle 0Eh, last 0Fh, only 10h; Acknowledge 11h; atomic ack
        // 12h.
        self.acknowledge.next = self.arrival.val().opcode == 0x11;
        self.form.next.read = (self.arrival.val().opcode >= 0x0D) && (self.arrival.val().opcode <= 0x10);
        self.form.next.begins = (self.arrival.val().opcode == 0x0D) || (self.arrival.val().opcode == 0x10);
        self.form.next.finishes = (self.arrival.val().opcode == 0x0F) || (self.arrival.val().opcode == 0x10);
        self.has_aeth.next = self.arrival.val().opcode != 0x0E;
        self.kind.next = self.arrival.val().syndrome.get_bits::<2>(5);
        self.reserved.next = self.has_aeth.val()
            && (self.arrival.val().syndrome.get_bit(7)
                || (self.kind.val() == 2)
                || ((self.kind.val() == 3) && (self.arrival.val().syndrome.get_bits::<5>(0) > 3)));
        // A NAK is an Acknowledge, whatever it answers (aeth.md section 1).
        self.positive.next = !self.has_aeth.val() || (self.kind.val() == 0);
        self.form.next.has_aeth = self.has_aeth.val();
        self.form.next.reserved = self.reserved.val();
        self.form.next.acknowledge = self.acknowledge.val();
        self.form.next.grants = self.acknowledge.val() && !self.reserved.val() && (self.kind.val() == 0);
        self.form.next.rnr_nak = self.acknowledge.val() && (self.kind.val() == 1);
        self.form.next.nak = self.acknowledge.val() && (self.kind.val() == 3);
        self.form.next.sequence = self.arrival.val().syndrome == 0x60;
        self.form.next.invalid = self.arrival.val().syndrome == 0x61;
        self.form.next.access = self.arrival.val().syndrome == 0x62;
        self.form.next.positive = self.positive.val();
        self.form.next.answers_atomic = (self.arrival.val().opcode == 0x12) && self.positive.val();

        // protocol/headers.md section 4: all responses of a Read but the last are whole PMTUs.
        self.pmtu_bytes.next = bits::<13>(128) << self.pmtu.val();
        self.rest.next =
            self.row.val().read_length.get_bits::<13>(0) & !(bits::<13>(0x1F80) << self.pmtu.val());
        self.form.next.full = self.arrival.val().payload == self.pmtu_bytes.val();
        self.form.next.rest = self.arrival.val().payload == self.rest.val();
        self.form.next.has_rest = self.rest.val().any() || !self.row.val().read_length.any();
    }
}
