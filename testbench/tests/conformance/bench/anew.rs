//! Another life of the QP, so that a case can try many things on one device.
use super::requester::all_rights;
use super::{Bench, BUFFER, BUFFER_BYTES, QPN, UNTOUCHED};
use hca_golden::verbs::QpAttributes;
use hca_testbench::device::Verb;
use hca_testbench::station::Station;

impl Bench {
    /// [`connect_with`](Bench::connect_with). If the QP exists it is destroyed before, and the buffer is untouched
    /// again.
    pub fn renew(&mut self, change: impl FnOnce(&mut QpAttributes)) {
        if self.station.model().query(QPN).is_err() {
            self.connect_with(change);
            return;
        }
        let mut attributes = all_rights();
        change(&mut attributes);
        self.submit(Verb::DestroyQp { qpn: QPN });
        self.write_buffer(0, &[UNTOUCHED; BUFFER_BYTES]);
        self.create_another(&attributes);
        self.enter_rts();
    }

    /// Software writes the buffer, so many bytes in.
    pub fn write_buffer(&mut self, offset: u64, bytes: &[u8]) {
        self.station.write_memory(BUFFER + offset, bytes);
    }
}
