//! The result of a command.
use super::command_decode::CommandName;
use hca_hdl::prelude::*;
use hca_host::command;

record! {
    /// Facts about a command, from its arguments and the tables.
    pub struct CommandFacts {
        /// High if the QPN has 24 bits and its index exists.
        pub qpn_fits: Bit,
        /// High if the CQN of the command is within the limits.
        pub cqn_fits: Bit,
        /// High if both CQNs of `CREATE_QP` are within the limits.
        pub cqns_fit: Bit,
        /// High if L_Key and R_Key name the same entry.
        pub keys_agree: Bit,
        /// High if the size of the completion ring is supported.
        pub cq_size_fits: Bit,
        /// High if the address of the completion ring is a multiple of 64.
        pub cq_aligned: Bit,
        /// High if the sizes and the service of the QP are supported ([`super::argument_check`]).
        pub qp_sizes_fit: Bit,
        /// High if the addresses of both work queues are multiples of 64.
        pub qp_aligned: Bit,
        /// High if there is a QP of this index.
        pub qp_taken: Bit,
        /// High if there is a QP of this QPN.
        pub qp_named: Bit,
        /// High if the CQ exists.
        pub cq_exists: Bit,
        /// High if a QP uses the CQ.
        pub cq_used: Bit,
        /// High if the CQ, or one of those of `CREATE_QP`, has failed.
        pub cq_failed: Bit,
        /// High if the CQEs that software has not polled do not fit the new size.
        pub cq_too_small: Bit,
        /// High if both CQs of `CREATE_QP` exist.
        pub cqs_exist: Bit,
        /// High if one of these CQs belongs to QP0 or QP1 and the QP is neither, or the reverse.
        pub cqs_reserved: Bit,
        /// High if a region is registered at the entry.
        pub region_taken: Bit,
        /// High if a region with this L_Key is registered at the entry.
        pub region_named: Bit,
        /// High if there is no such transition between states.
        pub bad_transition: Bit,
        /// High if a required attribute is not given.
        pub missing_attribute: Bit,
        /// High if a given attribute is neither required nor allowed.
        pub forbidden_attribute: Bit,
        /// High if a given attribute is outside its limits.
        pub bad_attribute: Bit,
        /// High if the address handle is within the limits.
        pub handle_fits: Bit,
        /// High if there is such an address handle.
        pub handle_exists: Bit,
        /// High if the address is legal.
        pub address_legal: Bit,
        /// High if the QP is one of UD, and neither QP0 nor QP1.
        pub qp_multicasts: Bit,
        /// High if the QP is in Reset.
        pub qp_in_reset: Bit,
        /// High if the QP is attached to some group.
        pub qp_attached: Bit,
        /// High if MGID and MLID are those of a group.
        pub group_legal: Bit,
        /// High if the MGID is known with another MLID.
        pub group_elsewhere: Bit,
        /// High if there is no room for the group, or for the QP in it.
        pub group_full: Bit,
        /// High if the QP is a member of the group.
        pub group_member: Bit,
    }
}

/// The first refusal that applies, else OK (`host::command`). Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct CommandJudge {
    /// The command.
    pub name: Signal<In, CommandName>,
    /// Facts about the command's arguments and the tables.
    pub facts: Signal<In, CommandFacts>,
    /// Result of the command.
    pub result: Signal<Out, Bits<8>>,
    #[default(constant(command::OK))]
    ok: Constant<Bits<8>>,
    #[default(constant(command::BAD_COMMAND))]
    bad_command: Constant<Bits<8>>,
    #[default(constant(command::BAD_INDEX))]
    bad_index: Constant<Bits<8>>,
    #[default(constant(command::BAD_SIZE))]
    bad_size: Constant<Bits<8>>,
    #[default(constant(command::IN_USE))]
    in_use: Constant<Bits<8>>,
    #[default(constant(command::NOT_FOUND))]
    not_found: Constant<Bits<8>>,
    #[default(constant(command::BAD_TRANSITION))]
    bad_transition: Constant<Bits<8>>,
    #[default(constant(command::MISSING_ATTRIBUTE))]
    missing_attribute: Constant<Bits<8>>,
    #[default(constant(command::FORBIDDEN_ATTRIBUTE))]
    forbidden_attribute: Constant<Bits<8>>,
    #[default(constant(command::BAD_ATTRIBUTE))]
    bad_attribute: Constant<Bits<8>>,
    #[default(constant(command::CQ_FAILED))]
    cq_failed: Constant<Bits<8>>,
    #[default(constant(command::BAD_ADDRESS))]
    bad_address: Constant<Bits<8>>,
    #[default(constant(command::CQ_RESERVED))]
    cq_reserved: Constant<Bits<8>>,
}

#[kernel]
impl Logic for CommandJudge {
    fn update(&mut self) {
        self.result.next = self.bad_command.val();
        if self.name.val().create_cq {
            self.result.next = self.ok.val();
            if !self.facts.val().cqn_fits {
                self.result.next = self.bad_index.val();
            } else if self.facts.val().cq_exists {
                self.result.next = self.in_use.val();
            } else if !self.facts.val().cq_size_fits {
                self.result.next = self.bad_size.val();
            } else if !self.facts.val().cq_aligned {
                self.result.next = self.bad_address.val();
            }
        }
        if self.name.val().query_cq {
            self.result.next = self.ok.val();
            if !self.facts.val().cqn_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().cq_exists {
                self.result.next = self.not_found.val();
            }
        }
        // Refuse a size below the number of CQEs that software has yet to poll (`protocol/qp_cq.md` section 6, resize).
        if self.name.val().resize_cq {
            self.result.next = self.ok.val();
            if !self.facts.val().cqn_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().cq_exists {
                self.result.next = self.not_found.val();
            } else if self.facts.val().cq_failed {
                self.result.next = self.cq_failed.val();
            } else if !self.facts.val().cq_size_fits || self.facts.val().cq_too_small {
                self.result.next = self.bad_size.val();
            } else if !self.facts.val().cq_aligned {
                self.result.next = self.bad_address.val();
            }
        }
        // Refuse while any SQ or RQ uses the CQ (section 6, destroy).
        if self.name.val().destroy_cq {
            self.result.next = self.ok.val();
            if !self.facts.val().cqn_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().cq_exists {
                self.result.next = self.not_found.val();
            } else if self.facts.val().cq_used {
                self.result.next = self.in_use.val();
            }
        }
        // QP0 and QP1 share CQs with each other only (section 6, sharing; CF253).
        if self.name.val().create_qp {
            self.result.next = self.ok.val();
            if !self.facts.val().qpn_fits || !self.facts.val().cqns_fit {
                self.result.next = self.bad_index.val();
            } else if self.facts.val().qp_taken {
                self.result.next = self.in_use.val();
            } else if !self.facts.val().cqs_exist {
                self.result.next = self.not_found.val();
            } else if self.facts.val().cq_failed {
                self.result.next = self.cq_failed.val();
            } else if self.facts.val().cqs_reserved {
                self.result.next = self.cq_reserved.val();
            } else if !self.facts.val().qp_sizes_fit {
                self.result.next = self.bad_size.val();
            } else if !self.facts.val().qp_aligned {
                self.result.next = self.bad_address.val();
            }
        }
        if self.name.val().query_qp || self.name.val().destroy_qp {
            self.result.next = self.ok.val();
            if !self.facts.val().qpn_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().qp_named {
                self.result.next = self.not_found.val();
            } else if self.name.val().destroy_qp && self.facts.val().qp_attached {
                // `protocol/ud.md` section 4.1.
                self.result.next = self.in_use.val();
            }
        }
        // On any other transition, or a missing or forbidden attribute, nothing changes (section 1).
        if self.name.val().modify_qp {
            self.result.next = self.ok.val();
            if !self.facts.val().qpn_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().qp_named {
                self.result.next = self.not_found.val();
            } else if self.facts.val().bad_transition {
                self.result.next = self.bad_transition.val();
            } else if self.facts.val().missing_attribute {
                self.result.next = self.missing_attribute.val();
            } else if self.facts.val().forbidden_attribute {
                self.result.next = self.forbidden_attribute.val();
            } else if self.facts.val().bad_attribute {
                self.result.next = self.bad_attribute.val();
            }
        }
        if self.name.val().reg_mr {
            self.result.next = self.ok.val();
            if !self.facts.val().keys_agree {
                self.result.next = self.bad_index.val();
            } else if self.facts.val().region_taken {
                self.result.next = self.in_use.val();
            }
        }
        if self.name.val().dereg_mr {
            self.result.next = self.ok.val();
            if !self.facts.val().region_named {
                self.result.next = self.not_found.val();
            }
        }
        if self.name.val().invalidate {
            self.result.next = self.ok.val();
        }
        // `protocol/ud.md` section 1, verbs.
        if self.name.val().create_ah {
            self.result.next = self.ok.val();
            if !self.facts.val().handle_fits {
                self.result.next = self.bad_index.val();
            } else if self.facts.val().handle_exists {
                self.result.next = self.in_use.val();
            } else if !self.facts.val().address_legal {
                self.result.next = self.bad_attribute.val();
            }
        }
        if self.name.val().modify_ah {
            self.result.next = self.ok.val();
            if !self.facts.val().handle_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().handle_exists {
                self.result.next = self.not_found.val();
            } else if !self.facts.val().address_legal {
                self.result.next = self.bad_attribute.val();
            }
        }
        // `protocol/ud.md` section 4.1.
        if self.name.val().attach || self.name.val().detach {
            self.result.next = self.ok.val();
            if !self.facts.val().qpn_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().qp_named {
                self.result.next = self.not_found.val();
            } else if !self.facts.val().qp_multicasts {
                self.result.next = self.bad_attribute.val();
            } else if self.facts.val().qp_in_reset {
                self.result.next = self.bad_transition.val();
            } else if !self.facts.val().group_legal || self.facts.val().group_elsewhere {
                self.result.next = self.bad_attribute.val();
            } else if self.name.val().attach && !self.facts.val().group_member && self.facts.val().group_full
            {
                self.result.next = self.bad_size.val();
            } else if self.name.val().detach && !self.facts.val().group_member {
                self.result.next = self.not_found.val();
            }
        }
        if self.name.val().query_ah || self.name.val().destroy_ah {
            self.result.next = self.ok.val();
            if !self.facts.val().handle_fits {
                self.result.next = self.bad_index.val();
            } else if !self.facts.val().handle_exists {
                self.result.next = self.not_found.val();
            }
        }
    }
}
