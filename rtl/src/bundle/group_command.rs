//! Commands about multicast groups, and what the table of groups answers.
use super::bundle;
use crate::datagram::GroupFacts;
use rust_hdl_core::prelude::*;

bundle!(
    /// From the commands to the table of groups ([`crate::receive::Multicast`]).
    GroupCommandSource to GroupCommandSink {
        /// High while no packet for a group may begin.
        hold: Out Bit,
        /// High if no packet for a group is undecided.
        still: In Bit,
        /// High for one cycle, with `hold` and `still`, to find the queue pair in the group.
        search: Out Bit,
        /// High for one cycle when `facts` are known.
        searched: In Bit,
        /// What was found.
        facts: In GroupFacts,
        /// High for one cycle, with `hold`, to attach the queue pair.
        attaches: Out Bit,
        /// High for one cycle, with `hold`, to detach it.
        detaches: Out Bit,
        /// The queue pair.
        qpn: Out Bits<24>,
        /// The group.
        mgid: Out Bits<128>,
        /// Its LID; 0 over Ethernet.
        mlid: Out Bits<16>,
    }
);
