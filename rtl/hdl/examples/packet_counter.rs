//! Two blocks joined by a bundle, printed as Verilog: `cargo run -p hca-hdl --example packet_counter`.
use hca_hdl::prelude::*;
use hca_hdl::verilog::{export, ExportError};

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

#[kernel]
impl Logic for Counter {
    fn update(&mut self) {
        wires!(self.arriving, self.leaving, tdata, tkeep, tlast, tvalid);
        wires!(self.leaving, self.arriving, tready);
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

#[kernel]
impl Logic for TwoCounters {
    fn update(&mut self) {
        clock!(self, clock, first, second);
        StreamSink::<64, 8>::link(&mut self.arriving, &mut self.first.arriving);
        StreamSource::<64, 8>::join(&mut self.first.leaving, &mut self.second.arriving);
        StreamSource::<64, 8>::link(&mut self.leaving, &mut self.second.leaving);
        outputs!(self.first, first_packets: packets);
        outputs!(self.second, second_packets: packets);
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
