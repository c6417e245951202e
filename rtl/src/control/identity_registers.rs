//! The identity and the limits of the adapter.
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers of group `IDENTITY`.
#[derive(LogicBlock)]
pub struct IdentityRegisters {
    /// Byte address of the register that is read.
    pub read_address: Signal<In, Bits<20>>,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    id: Constant<Bits<32>>,
    version: Constant<Bits<32>>,
    limits: Constant<Bits<32>>,
    queue_limits: Constant<Bits<32>>,
    work_limits: Constant<Bits<32>>,
    capabilities: Constant<Bits<32>>,
    datagram_limits: Constant<Bits<32>>,
    a_id: Constant<Bits<20>>,
    a_version: Constant<Bits<20>>,
    a_limits: Constant<Bits<20>>,
    a_queue_limits: Constant<Bits<20>>,
    a_work_limits: Constant<Bits<20>>,
    a_capabilities: Constant<Bits<20>>,
    a_datagram_limits: Constant<Bits<20>>,
}

impl IdentityRegisters {
    /// `limits` and `datagram_limits` are the values of the registers of these names; `roce` is true for a RoCEv2 port;
    /// `ports`: number of ports.
    pub fn new(limits: u32, datagram_limits: u32, roce: bool, ports: u32) -> Self {
        let value = |value: u32| constant(value);
        let address = |offset: u32| constant(offset);
        IdentityRegisters {
            read_address: Default::default(),
            read_data: Default::default(),
            id: value(map::ID_VALUE),
            version: value(map::VERSION_VALUE),
            limits: value(limits),
            queue_limits: value(map::QUEUE_LIMITS_VALUE),
            work_limits: value(map::WORK_LIMITS_VALUE | u32::from(roce) << 24 | ports << map::PORTS_SHIFT),
            capabilities: value(map::CAPABILITIES_VALUE | ports << map::PORTS_SHIFT),
            datagram_limits: value(datagram_limits),
            a_id: address(map::ID),
            a_version: address(map::VERSION),
            a_limits: address(map::LIMITS),
            a_queue_limits: address(map::QUEUE_LIMITS),
            a_work_limits: address(map::WORK_LIMITS),
            a_capabilities: address(map::CAPABILITIES),
            a_datagram_limits: address(map::DATAGRAM_LIMITS),
        }
    }
}

#[kernel]
impl Logic for IdentityRegisters {
    fn update(&mut self) {
        self.read_data.next = bits::<32>(0);
        if self.read_address.val() == self.a_id.val() {
            self.read_data.next = self.id.val();
        }
        if self.read_address.val() == self.a_version.val() {
            self.read_data.next = self.version.val();
        }
        if self.read_address.val() == self.a_limits.val() {
            self.read_data.next = self.limits.val();
        }
        if self.read_address.val() == self.a_queue_limits.val() {
            self.read_data.next = self.queue_limits.val();
        }
        if self.read_address.val() == self.a_work_limits.val() {
            self.read_data.next = self.work_limits.val();
        }
        if self.read_address.val() == self.a_capabilities.val() {
            self.read_data.next = self.capabilities.val();
        }
        if self.read_address.val() == self.a_datagram_limits.val() {
            self.read_data.next = self.datagram_limits.val();
        }
    }
}
