//! Commands about multicast groups, and the answers of the table of groups.
use super::bundle;
use crate::datagram::GroupFacts;
use hca_hdl::prelude::*;

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
        /// Facts about the group and the queue pair.
        facts: In GroupFacts,
        /// High for one cycle, with `hold`, to attach the queue pair.
        attaches: Out Bit,
        /// High for one cycle, with `hold`, to detach the queue pair.
        detaches: Out Bit,
        /// QPN of the queue pair.
        qpn: Out Bits<24>,
        /// High if the queue pair, and with it the group, is of port 2.
        port: Out Bit,
        /// GID of the group.
        mgid: Out Bits<128>,
        /// LID of the group; 0 over Ethernet.
        mlid: Out Bits<16>,
    }
);
