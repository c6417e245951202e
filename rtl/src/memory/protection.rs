//! The checks that an access to memory has to pass.
use super::RegionRow;
use hca_hdl::prelude::*;

/// Value of `right` for a local read: any valid region may be read locally.
pub const RIGHT_LOCAL_READ: usize = 0;
/// Value of `right` for a local write.
pub const RIGHT_LOCAL_WRITE: usize = 1;
/// Value of `right` for a remote write. From this value on the key is an R_Key.
pub const RIGHT_REMOTE_WRITE: usize = 2;
/// Value of `right` for a remote read.
pub const RIGHT_REMOTE_READ: usize = 3;
/// Value of `right` for a remote atomic.
pub const RIGHT_REMOTE_ATOMIC: usize = 4;
/// Value of `right` for an invalidation of the R_Key: no bytes are touched, so bounds do not matter.
pub const RIGHT_INVALIDATE: usize = 5;

/// Checks one access a cycle (`protocol/responder.md` section 1 steps 14 and 15; CF085 to CF088, CF091).
///
/// In cycle n the access and the row of its key come in, in cycle n + 2 `allowed` and `real_address` go out. Software
/// that registers a region keeps its base + length within 2^64.
#[derive(LogicBlock, SmartDefault)]
pub struct Protection {
    pub clock: Signal<In, Clock>,

    /// The row that the key of the access names ([`super::KeyTable`]).
    pub row: Signal<In, RegionRow>,
    /// High if the access is checked; if low, it is allowed as it is, and its address is one of host memory.
    pub checked: Signal<In, Bit>,
    /// L_Key or R_Key of the access.
    pub key: Signal<In, Bits<32>>,
    /// Address of the access, as its region counts addresses.
    pub address: Signal<In, Bits<64>>,
    /// Number of bytes of the access.
    pub length: Signal<In, Bits<32>>,
    /// `RIGHT_*`.
    pub right: Signal<In, Bits<3>>,
    /// Protection domain of the access.
    pub pd: Signal<In, Bits<24>>,

    /// High if the access of two cycles earlier is allowed.
    pub allowed: Signal<Out, Bit>,
    /// Byte address of that access in host memory.
    pub real_address: Signal<Out, Bits<64>>,

    // The access and its region, in the same clock.
    checked_row: Register<RegionRow>,
    checked_key: Register<Bits<32>>,
    checked_address: Register<Bits<64>>,
    checked_length: Register<Bits<32>>,
    checked_right: Register<Bits<3>>,
    checked_pd: Register<Bits<24>>,
    checked_at_all: Register<Bit>,
    named_key: Signal<Local, Bits<32>>,
    names_region: Signal<Local, Bit>,
    in_domain: Signal<Local, Bit>,
    has_right: Signal<Local, Bit>,
    lower: Signal<Local, Bits<64>>,
    offset: Signal<Local, Bits<64>>,

    // The bounds are compared a clock after they are added up.
    exempt: Register<Bit>,
    entitled: Register<Bit>,
    unbounded: Register<Bit>,
    starts_inside: Register<Bit>,
    end: Register<Bits<65>>,
    limit: Register<Bits<65>>,
    real: Register<Bits<64>>,
    ends_inside: Signal<Local, Bit>,
    wraps: Signal<Local, Bit>,

    #[default(constant(RIGHT_LOCAL_WRITE))]
    local_write: Constant<Bits<3>>,
    #[default(constant(RIGHT_REMOTE_WRITE))]
    remote_write: Constant<Bits<3>>,
    #[default(constant(RIGHT_REMOTE_READ))]
    remote_read: Constant<Bits<3>>,
    #[default(constant(RIGHT_REMOTE_ATOMIC))]
    remote_atomic: Constant<Bits<3>>,
    #[default(constant(RIGHT_INVALIDATE))]
    invalidate: Constant<Bits<3>>,
}

#[kernel]
impl Logic for Protection {
    fn update(&mut self) {
        // The region arrives with its access.
        self.checked_row.d.next = self.row.val();
        self.checked_at_all.d.next = self.checked.val();
        self.checked_key.d.next = self.key.val();
        self.checked_address.d.next = self.address.val();
        self.checked_length.d.next = self.length.val();
        self.checked_right.d.next = self.right.val();
        self.checked_pd.d.next = self.pd.val();

        // An L_Key or R_Key of a valid region, tag included (CF085, CF091).
        self.named_key.next = self.checked_row.q.val().l_key;
        if self.checked_right.q.val() >= self.remote_write.val() {
            self.named_key.next = self.checked_row.q.val().r_key;
        }
        self.names_region.next =
            self.checked_row.q.val().valid && (self.checked_key.q.val() == self.named_key.val());
        // The QP's protection domain (CF088).
        self.in_domain.next = self.checked_pd.q.val() == self.checked_row.q.val().pd;
        // The right for this kind of access (CF086).
        self.has_right.next = true;
        if self.checked_right.q.val() == self.local_write.val() {
            self.has_right.next = self.checked_row.q.val().local_write;
        }
        if self.checked_right.q.val() == self.remote_write.val() {
            self.has_right.next = self.checked_row.q.val().remote_write;
        }
        if self.checked_right.q.val() == self.remote_read.val() {
            self.has_right.next = self.checked_row.q.val().remote_read;
        }
        if self.checked_right.q.val() == self.remote_atomic.val() {
            self.has_right.next = self.checked_row.q.val().remote_atomic;
        }
        self.exempt.d.next = !self.checked_at_all.q.val();
        self.unbounded.d.next = self.checked_right.q.val() == self.invalidate.val();
        self.entitled.d.next = self.names_region.val() && self.in_domain.val() && self.has_right.val();

        // Bounds (CF087): a zero-based region's addresses are offsets.
        self.lower.next = self.checked_row.q.val().base;
        self.offset.next = bits::<64>(0);
        if self.checked_row.q.val().zero_based {
            self.lower.next = bits::<64>(0);
            self.offset.next = self.checked_row.q.val().base;
        }
        if !self.checked_at_all.q.val() {
            self.offset.next = bits::<64>(0);
        }
        self.starts_inside.d.next = self.checked_address.q.val() >= self.lower.val();
        self.end.d.next = bit_cast::<65, 64>(self.checked_address.q.val())
            + bit_cast::<65, 32>(self.checked_length.q.val());
        self.limit.d.next =
            bit_cast::<65, 64>(self.lower.val()) + bit_cast::<65, 64>(self.checked_row.q.val().length);
        self.real.d.next = self.checked_address.q.val() + self.offset.val();

        self.ends_inside.next = self.end.q.val() <= self.limit.q.val();
        // The byte after the last one may be 2^64, no more.
        self.wraps.next = self.end.q.val().get_bit(64) && self.end.q.val().get_bits::<64>(0).any();
        self.allowed.next = self.exempt.q.val()
            || (self.entitled.q.val()
                && (self.unbounded.q.val()
                    || (self.starts_inside.q.val() && self.ends_inside.val() && !self.wraps.val())));
        self.real_address.next = self.real.q.val();
    }
}
