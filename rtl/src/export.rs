//! The hardware of a profile as Verilog.
use crate::hca::{Line, Mid, Pair, Small, SmallRoce};
use crate::wire::{LinkReceive, PacketBuilder};
use hca_hdl::prelude::*;
use hca_hdl::verilog::{export, Design, ExportError};
use hca_host::designs::{Designs, TOP};
use hca_host::profile::{Link, Profile, LINE, MID, PAIR, SMALL};

/// The project's own adapter.
pub const DESIGNS: Designs = Designs {
    hca,
    link_receive,
    packet_builder,
    decision: crate::decision::design,
};

/// The block of a whole HCA is larger than the stack of a thread usually is, in bytes.
const STACK: usize = 64 << 20;

/// Elaborates and exports the HCA of `profile`.
///
/// # Errors
/// [`ExportError::NoDesign`] for a profile that is not one of [`hca_host::profile::ALL`], and whatever [`export`]
/// refuses.
///
/// # Panics
/// On a machine that starts no more threads.
pub fn hca(profile: &Profile) -> Result<Design, ExportError> {
    let Profile { name, link, .. } = *profile;
    if !profile.is_known() {
        return Err(ExportError::NoDesign {
            asked: format!("{profile:?}; take a profile of `hca_host::profile::ALL` as it is"),
        });
    }
    let (small, pair, mid, line) = (SMALL.name, PAIR.name, MID.name, LINE.name);
    let elaborate = move || match link {
        Link::InfiniBand if name == small => elaborated(&mut Small::default(), TOP),
        Link::Roce if name == small => elaborated(&mut SmallRoce::default(), TOP),
        Link::InfiniBand if name == pair => elaborated(&mut Pair::default(), TOP),
        Link::Roce if name == pair => elaborated(&mut SmallRoce::default(), TOP),
        Link::InfiniBand if name == mid => elaborated(&mut Mid::<1, 0>::default(), TOP),
        Link::Roce if name == mid => elaborated(&mut Mid::<0, 1>::default(), TOP),
        Link::InfiniBand if name == line => elaborated(&mut Line::<1, 0>::default(), TOP),
        Link::Roce if name == line => elaborated(&mut Line::<0, 1>::default(), TOP),
        _ => panic!("profile `{name}` has no hardware type"),
    };
    on_a_large_stack(elaborate)
}

/// Blocks are large values, and come into being on the stack.
fn on_a_large_stack(
    elaborate: impl FnOnce() -> Result<Design, ExportError> + Send + 'static,
) -> Result<Design, ExportError> {
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(elaborate)
        .expect("a thread can be started")
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Elaborates and exports the packet builder of a framing, `packet_builder`.
///
/// # Errors
/// [`ExportError::NoDesign`] for another width than 64, 128, 256 or 512, and whatever [`export`] refuses.
pub fn packet_builder(stream_bits: usize, link: Link) -> Result<Design, ExportError> {
    match stream_bits {
        64 => builder::<64, 8>(link),
        128 => builder::<128, 16>(link),
        256 => builder::<256, 32>(link),
        512 => builder::<512, 64>(link),
        bits => Err(no_width(bits)),
    }
}

fn builder<const W: usize, const K: usize>(link: Link) -> Result<Design, ExportError> {
    match link {
        Link::InfiniBand => elaborated(&mut PacketBuilder::<W, K, 0>::default(), "packet_builder"),
        Link::Roce => elaborated(&mut PacketBuilder::<W, K, 1>::default(), "packet_builder"),
    }
}

/// The link's receive side by itself, as module `link_receive`.
///
/// # Errors
/// [`ExportError::NoDesign`] for another width than 64, 128, 256 or 512, and whatever [`export`] refuses.
///
/// # Panics
/// On a machine that starts no more threads.
pub fn link_receive(stream_bits: usize, link: Link) -> Result<Design, ExportError> {
    let top = "link_receive";
    on_a_large_stack(move || match (stream_bits, link) {
        (64, Link::InfiniBand) => elaborated(&mut LinkReceive::<64, 8, 15, 11, 0, 1, 0>::default(), top),
        (128, Link::InfiniBand) => elaborated(&mut LinkReceive::<128, 16, 8, 10, 0, 1, 0>::default(), top),
        (256, Link::InfiniBand) => elaborated(&mut LinkReceive::<256, 32, 4, 9, 0, 1, 0>::default(), top),
        (512, Link::InfiniBand) => elaborated(&mut LinkReceive::<512, 64, 2, 8, 0, 1, 0>::default(), top),
        (64, Link::Roce) => elaborated(&mut LinkReceive::<64, 8, 15, 11, 0, 0, 1>::default(), top),
        (128, Link::Roce) => elaborated(&mut LinkReceive::<128, 16, 8, 10, 0, 0, 1>::default(), top),
        (256, Link::Roce) => elaborated(&mut LinkReceive::<256, 32, 4, 9, 0, 0, 1>::default(), top),
        (512, Link::Roce) => elaborated(&mut LinkReceive::<512, 64, 2, 8, 0, 0, 1>::default(), top),
        (bits, _) => Err(no_width(bits)),
    })
}

fn no_width(bits: usize) -> ExportError {
    ExportError::NoDesign {
        asked: format!("streams of {bits} bits; take 64, 128, 256 or 512"),
    }
}

fn elaborated<B: Block>(top: &mut B, name: &str) -> Result<Design, ExportError> {
    top.connect_all();
    export(top, name)
}
