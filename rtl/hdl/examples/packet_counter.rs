//! Two blocks joined by a bundle, printed as Verilog: `cargo run -p hca-hdl --example packet_counter`.
use hca_hdl::bundle::{StreamSink, StreamSource};
use hca_hdl::primitive::{clock, comment, dff_setup, Register};
use hca_hdl::verilog::{export, ExportError};
use rust_hdl_core::prelude::*;

/// Counts packets as they pass.
#[derive(LogicBlock, Default)]
struct Counter {
    clock: Signal<In, Clock>,
    arriving: StreamSink<64, 8>,
    leaving: StreamSource<64, 8>,
    /// Packets whose last beat has passed, modulo 2^16.
    packets: Signal<Out, Bits<16>>,

    count: Register<Bits<16>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module counter");
        dff_setup!(self, clock, count);
        self.leaving.tdata.next = self.arriving.tdata.val();
        self.leaving.tkeep.next = self.arriving.tkeep.val();
        self.leaving.tlast.next = self.arriving.tlast.val();
        self.leaving.tvalid.next = self.arriving.tvalid.val();
        self.arriving.tready.next = self.leaving.tready.val();
        if self.arriving.tvalid.val() & self.leaving.tready.val() & self.arriving.tlast.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.packets.next = self.count.q.val();
    }
}

/// Two counters in a row, which always count the same.
#[derive(LogicBlock, Default)]
struct TwoCounters {
    clock: Signal<In, Clock>,
    arriving: StreamSink<64, 8>,
    leaving: StreamSource<64, 8>,
    first_packets: Signal<Out, Bits<16>>,
    second_packets: Signal<Out, Bits<16>>,

    first: Counter,
    second: Counter,
}

impl Logic for TwoCounters {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module two_counters");
        clock!(self, clock, first, second);
        StreamSink::<64, 8>::link(&mut self.arriving, &mut self.first.arriving);
        StreamSource::<64, 8>::join(&mut self.first.leaving, &mut self.second.arriving);
        StreamSource::<64, 8>::link(&mut self.leaving, &mut self.second.leaving);
        self.first_packets.next = self.first.packets.val();
        self.second_packets.next = self.second.packets.val();
    }
}

fn main() -> Result<(), ExportError> {
    let mut top = TwoCounters::default();
    top.connect_all();
    for module in export(&top, "two_counters")?.modules {
        println!("{}", module.text);
    }
    Ok(())
}
