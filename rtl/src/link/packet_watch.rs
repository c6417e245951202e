//! Sees the packets that leave for the link.
use hca_hdl::prelude::*;

/// Reads the length of each packet, and what it is for, in its first beat. `W`: stream bits. All outputs come a clock
/// after their beat.
#[derive(LogicBlock, Default)]
pub struct PacketWatch<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each beat that leaves, those of link packets not counted.
    pub taken: Signal<In, Bit>,
    /// The beat: byte 0 of the packet in bits 7:0 of the first.
    pub data: Signal<In, Bits<W>>,
    /// High with the last beat of a packet.
    pub last: Signal<In, Bit>,
    /// High for one cycle for each packet whose last beat has left.
    pub ends: Signal<Out, Bit>,
    /// With `ends`: words of the packet, from the LRH to the ICRC, 32 bits each: PktLen.
    pub words: Signal<Out, Bits<11>>,
    /// With `ends`: high for a multicast packet: its DLID is one of C000h to FFFEh.
    pub multicast: Signal<Out, Bit>,
    open: Register<Bit>,
    ended: Register<Bit>,
    length: Register<Bits<11>>,
    to_group: Register<Bit>,
    dlid: Signal<Local, Bits<16>>,
}

#[kernel]
impl<const W: usize> Logic for PacketWatch<W> {
    fn update(&mut self) {
        self.ended.d.next = self.taken.val() && self.last.val();
        if self.taken.val() {
            self.open.d.next = !self.last.val();
        }
        self.dlid.next = (bit_cast::<16, 8>(self.data.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.data.val().get_bits::<8>(24));
        if self.taken.val() && !self.open.q.val() {
            self.to_group.d.next = self.dlid.val().get_bits::<2>(14).all() && !self.dlid.val().all();
            self.length.d.next = (bit_cast::<11, 3>(self.data.val().get_bits::<3>(32)) << 8)
                | bit_cast::<11, 8>(self.data.val().get_bits::<8>(40));
        }
        self.ends.next = self.ended.q.val();
        self.words.next = self.length.q.val();
        self.multicast.next = self.to_group.q.val();
        if self.reset.val() {
            clear!(self, open, ended);
        }
    }
}
