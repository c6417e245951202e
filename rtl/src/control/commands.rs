//! Executes the commands of `host::command`, one at a time. The file is long because all ports and wires are here.
use super::argument_check::ArgumentCheck;
use super::attribute_merge::AttributeMerge;
use super::command_decode::{CommandDecode, CommandName};
use super::command_judge::{CommandFacts, CommandJudge};
use super::command_report::CommandReport;
use super::cq_standing::CqStanding;
use super::cq_table::CqTable;
use super::cq_walk::CqWalk;
use super::group_arguments::GroupArguments;
use super::group_count::GroupCount;
use super::handle_arguments::HandleArguments;
use super::handle_table::HandleTable;
use super::qp_context::QpContext;
use super::qp_failures::QpFailures;
use super::qp_table::QpTable;
use super::region_arguments::RegionArguments;
use super::region_table::RegionTable;
use super::sequence::CommandSequence;
use super::static_rate::StaticRate;
use super::transition_check::TransitionCheck;
use crate::bundle::{
    CqCommandSource, GroupCommandSource, HandleUpdateSource, QpOfferSource, QpPulseSink, ReportSource,
};
use crate::context::{QpConfig, QpLimits, QpRoute, QpStates, Services};
use crate::memory::RegionRow;
use hca_hdl::prelude::*;
use hca_host::command::{self, modify_qp, query_cq};

/// Checks a command, stores the words of QPs, and passes them on to the blocks that use them. The context of a QP goes
/// to the receive side, then to the response engine, then to the requester; each may delay it until work under way is
/// done. A reset is complete when nothing of the QP is under way anywhere.
///
/// `QB`, `CB`, `MB`, `AB`: index bits of a QP, of a CQ, of the protection table and of an address handle; `NQ` =
/// 2^`QB`; `QA` = `QB` + 5; `HA` = `AB` + 4; `SP`: 1 if there is a second port, else 0.
#[derive(LogicBlock, SmartDefault)]
pub struct Commands<
    const QB: usize,
    const NQ: usize,
    const QA: usize,
    const CB: usize,
    const MB: usize,
    const AB: usize,
    const HA: usize,
    const SP: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Code of the command.
    pub command: Signal<In, Bits<32>>,
    /// High while a command waits or is carried out, until `command_done`.
    pub command_valid: Signal<In, Bit>,
    /// High for one cycle when the command is done.
    pub command_done: Signal<Out, Bit>,
    /// Result of the command, valid with `command_done`.
    pub command_result: Signal<Out, Bits<8>>,
    /// Argument registers, as in `Registers`.
    pub arguments: Signal<In, Bits<768>>,
    /// Argument `Q_KEY`.
    pub q_key: Signal<In, Bits<32>>,
    /// High on a RoCEv2 link.
    pub roce: Signal<In, Bit>,
    /// Index of the argument that is read.
    pub argument_index: Signal<Out, Bits<5>>,
    /// The argument that `argument_index` names.
    pub argument: Signal<In, Bits<32>>,
    /// High for one cycle when the command replaces an argument.
    pub answer_valid: Signal<Out, Bit>,
    /// Index of the argument that is replaced.
    pub answer_index: Signal<Out, Bits<5>>,
    /// Value that replaces that argument.
    pub answer: Signal<Out, Bits<32>>,

    /// Commands about CQs.
    pub cq: CqCommandSource<CB>,
    /// Offers a QP that has to move to Error because a CQ that it uses has failed.
    pub fail: QpOfferSource<QB>,
    /// High for one cycle when the responder reports a QP in Error.
    pub responder_failed: QpPulseSink<QB>,
    /// High for one cycle when the requester reports a QP in Error.
    pub requester_failed: QpPulseSink<QB>,
    /// High for one cycle when the requester reports a QP in SQE.
    pub send_failed: QpPulseSink<QB>,

    /// Index of the QP whose context is offered.
    pub qp_index: Signal<Out, Bits<QB>>,
    /// Configuration of that QP.
    pub qp_row: Signal<Out, QpConfig>,
    /// Address of that QP.
    pub qp_route: Signal<Out, QpRoute>,
    /// Words `LIMITS` and `PD` of `host::command::modify_qp`, with these bits beside: 51, the QP supplies credits; 52,
    /// it expects credits; 62, it leaves SQE; 63, an event is wanted once its send queue is drained.
    pub qp_limits: Signal<Out, QpLimits>,
    /// High while the context is offered to the receive side.
    pub to_receive_valid: Signal<Out, Bit>,
    /// High for one cycle when the receive side takes the context.
    pub to_receive_ready: Signal<In, Bit>,
    /// High while the context is offered to the response engine.
    pub to_response_valid: Signal<Out, Bit>,
    /// High for one cycle when the response engine takes the context.
    pub to_response_ready: Signal<In, Bit>,
    /// High while the context is offered to the requester.
    pub to_requester_valid: Signal<Out, Bit>,
    /// High for one cycle when the requester takes the context.
    pub to_requester_ready: Signal<In, Bit>,
    /// High for one cycle when both sides have reset a QP, or when the tables have lost a region: starts the wait for
    /// the work under way.
    pub drain_start: Signal<Out, Bit>,
    /// High while no response's memory look-up may start.
    pub placement_hold: Signal<Out, Bit>,
    /// High if no look-up of a response's memory is unfinished; counts from one cycle after `placement_hold` rises.
    pub placement_still: Signal<In, Bit>,
    /// High for one cycle when no work of the QP or region is under way any more.
    pub drained: Signal<In, Bit>,
    /// High for one cycle when a QP's reset is complete.
    pub forget_valid: Signal<Out, Bit>,

    /// High for one cycle when `region` becomes row `region_index` of the protection table.
    pub region_update_valid: Signal<Out, Bit>,
    /// Row of the protection table that changes.
    pub region_index: Signal<Out, Bits<MB>>,
    /// The new row.
    pub region: Signal<Out, RegionRow>,
    /// High for one cycle when the region with this R_Key is invalidated.
    pub region_invalidate_valid: Signal<Out, Bit>,
    /// R_Key of that region.
    pub region_invalidate_key: Signal<Out, Bits<32>>,

    /// High for one cycle when an address handle is created, modified or destroyed.
    pub handle: HandleUpdateSource<AB>,
    /// Attaches queue pairs to multicast groups, and detaches them.
    pub group: GroupCommandSource,

    /// Retire records of `LANE_COMMAND` in `host::retire`.
    pub retire: ReportSource,

    decode: CommandDecode,
    check: ArgumentCheck<QB, CB, MB, SP>,
    transition: TransitionCheck,
    rate: StaticRate,
    judge: CommandJudge,
    sequence: CommandSequence,
    merge: AttributeMerge,
    qps: QpTable<QB, QA>,
    cqs: CqTable<CB>,
    regions: RegionTable<MB>,
    handles: HandleTable<AB, HA>,
    failures: QpFailures<QB, NQ>,
    walk: CqWalk<QB, CB>,
    /// High for a QP of port 2.
    #[default(array_init::array_init(|_| Default::default()))]
    qp_ports: [LutRam<Bits<1>, QB>; SP],
    #[default(constant(1 + SP))]
    ports: Constant<Bits<8>>,
    region_arguments: RegionArguments<MB>,
    handle_arguments: HandleArguments<AB>,
    group_arguments: GroupArguments,
    group_count: GroupCount<QB>,
    cq_standing: CqStanding,
    context: QpContext<SP>,
    report: CommandReport,

    name: Register<CommandName>,
    facts: Register<CommandFacts>,
    result: Register<Bits<8>>,
    /// High for one cycle if the CQE writer refused the command because the CQ has failed, one cycle after its answer.
    found_failed: Register<Bit>,
    /// High for one cycle if the CQE writer refused the command because the new size is too small, one cycle after its
    /// answer.
    found_small: Register<Bit>,
    /// Argument `ATTRIBUTES` of `MODIFY_QP`; 0 for other commands.
    given: Register<Bits<32>>,
    /// The merged word of the QP.
    merged: Register<Bits<32>>,
    /// High if there is a QP of this index.
    qp_taken: Register<Bit>,
    /// High if there is a QP of this QPN.
    qp_named: Register<Bit>,
    /// State of the QP that software has set.
    qp_state: Register<Bits<3>>,
    /// Service of the QP.
    qp_service: Register<Bits<3>>,
    /// High if the QP was in SQE when the command was judged.
    qp_stopped: Register<Bit>,
    /// High if an engine had moved the QP to Error when the command was judged.
    qp_failed: Register<Bit>,
    /// CQNs of the QP.
    cqns: Register<Bits<32>>,
    /// High if the facts have changed since they were gathered.
    crossed: Register<Bit>,
    /// High if a CQ of the command has failed.
    cq_failed: Register<Bit>,
    /// Clears the tables after reset: index 12 | word `CQNS` rather than `QPN` 1.
    clear: Register<Bits<13>>,
    /// Protection domain of the address handle, in the last word that is read.
    handle_pd: Register<Bits<24>>,
    /// Index of the context, one cycle before the context is offered.
    index: Register<Bits<QB>>,

    qpn: Signal<Local, Bits<32>>,
    new_state: Signal<Local, Bits<3>>,
    state_now: Signal<Local, Bits<3>>,
    in_sqe: Signal<Local, Bit>,
    leaves_sqe: Signal<Local, Bit>,
    own_cqn: Signal<Local, Bits<CB>>,
    receive_cqn: Signal<Local, Bits<CB>>,
    resets: Signal<Local, Bit>,
    crosses: Signal<Local, Bit>,
    cq_crosses: Signal<Local, Bit>,
    cq_taken: Signal<Local, Bit>,
    reported_result: Signal<Local, Bits<8>>,
    /// High if the command is one about an address handle that has words.
    of_handle: Signal<Local, Bit>,
    changes_address: Signal<Local, Bit>,
    attaches: Signal<Local, Bit>,
    detaches: Signal<Local, Bit>,

    states: QpStates,
    services: Services,
    #[default(constant(command::OK))]
    ok: Constant<Bits<8>>,
    #[default(constant(command::BAD_SIZE))]
    bad_size: Constant<Bits<8>>,
    #[default(constant(command::CQ_FAILED))]
    failed_cq: Constant<Bits<8>>,
    #[default(constant(modify_qp::PD))]
    pd_word: Constant<Bits<5>>,
    /// The last word.
    #[default(constant(modify_qp::Q_KEY))]
    q_key_word: Constant<Bits<5>>,
    #[default(constant(modify_qp::ATTRIBUTES))]
    attributes_word: Constant<Bits<5>>,
    #[default(constant(query_cq::COUNTS))]
    counts_word: Constant<Bits<5>>,
    #[default(constant(2 * (1usize << QB.max(CB).max(MB).max(AB))))]
    last_clear: Constant<Bits<13>>,
    /// The part of `last_clear` that queue pairs and CQs need.
    #[default(constant(2usize << QB.max(CB)))]
    kept_below: Constant<Bits<13>>,
}

impl<
        const QB: usize,
        const NQ: usize,
        const QA: usize,
        const CB: usize,
        const MB: usize,
        const AB: usize,
        const HA: usize,
        const SP: usize,
    > Commands<QB, NQ, QA, CB, MB, AB, HA, SP>
{
    /// For ports of this rate, in units of 2.5 Gb/s; 0 if no packet is paced.
    pub fn new(port_rate: usize) -> Self {
        Self {
            rate: StaticRate::new(port_rate),
            ..Self::default()
        }
    }
}

#[kernel]
impl<
        const QB: usize,
        const NQ: usize,
        const QA: usize,
        const CB: usize,
        const MB: usize,
        const AB: usize,
        const HA: usize,
        const SP: usize,
    > Logic for Commands<QB, NQ, QA, CB, MB, AB, HA, SP>
{
    fn update(&mut self) {
        clock_and_reset!(self, sequence, failures, walk);
        clock!(self, clock, qps, cqs, cq_standing, regions, handles, group_count, context);
        self.decode.code.next = self.command.val();
        self.name.d.next = self.decode.name.val();
        self.of_handle.next =
            self.name.q.val().create_ah || self.name.q.val().modify_ah || self.name.q.val().query_ah;
        inputs!(self.check, arguments, roce);
        // Argument n is at bit 32 * (23 - n): host::command.
        self.qpn.next = self.arguments.val().get_bits::<32>(736);
        self.new_state.next = bits::<3>(0);
        if self.name.q.val().modify_qp {
            self.new_state.next = self.arguments.val().get_bits::<3>(704);
        }
        self.resets.next =
            (self.name.q.val().modify_qp && !self.new_state.val().any()) || self.name.q.val().destroy_qp;

        self.own_cqn.next = self.arguments.val().get_bits::<CB>(736);
        self.receive_cqn.next = self.arguments.val().get_bits::<CB>(528);
        if self.name.q.val().create_qp {
            self.own_cqn.next = self.arguments.val().get_bits::<CB>(512);
        }
        if self.name.q.val().destroy_qp {
            self.own_cqn.next = self.cqns.q.val().get_bits::<CB>(0);
            self.receive_cqn.next = self.cqns.q.val().get_bits::<CB>(16);
        }
        // If the facts change before the record, they are gathered again.
        self.cq_crosses.next = self.cq.failed_valid.val()
            && ((self.cq.failed_index.val() == self.own_cqn.val())
                || (self.name.q.val().create_qp && (self.cq.failed_index.val() == self.receive_cqn.val())));
        self.failures.index.next = self.qpn.val().get_bits::<QB>(0);
        QpPulseSink::<QB>::link(&mut self.responder_failed, &mut self.failures.responder);
        QpPulseSink::<QB>::link(&mut self.requester_failed, &mut self.failures.requester);
        QpPulseSink::<QB>::link(&mut self.send_failed, &mut self.failures.send_queue);
        self.crosses.next = self.failures.fails.val() || self.cq_crosses.val();

        inputs!(self.sequence, command_valid, resets, crosses, drained, placement_still, name: name.q);
        self.sequence.accepted.next =
            (self.result.q.val() == self.ok.val()) && !self.found_failed.q.val() && !self.found_small.q.val();
        self.sequence.crossed.next = self.crossed.q.val();
        self.sequence.cleared.next = self.clear.q.val() == self.last_clear.val();
        self.sequence.kept.next =
            !self.clear.q.val().get_bit(0) && (self.clear.q.val() < self.kept_below.val());
        inputs!(self.sequence, walk_wanted: walk.wants, walk_done: walk.done, cq_ready: cq.ready);
        inputs!(self.sequence, receive_ready: to_receive_ready, response_ready: to_response_ready);
        self.sequence.requester_ready.next = self.to_requester_ready.val();
        outputs!(
            self.sequence, to_receive_valid, to_response_valid, to_requester_valid, placement_hold,
            drain_start
        );
        self.group.hold.next = self.sequence.group_hold.val();
        self.sequence.group_still.next = self.group.still.val();
        self.group.search.next = self.sequence.group_search.val();
        self.sequence.group_searched.next = self.group.searched.val();
        outputs!(self.sequence, forget_valid: drain_over, command_done: done);
        self.command_result.next = self.result.q.val();
        if self.sequence.clears.val() {
            self.clear.d.next = self.clear.q.val() + 1;
        }

        // The stored words of the QP.
        self.qps.index.next = self.qpn.val().get_bits::<QB>(0);
        if self.sequence.walks.val() {
            self.qps.index.next = self.walk.index.val();
        }
        if self.sequence.clears.val() {
            self.qps.index.next = self.clear.q.val().get_bits::<QB>(1);
        }
        self.qps.word.next = self.sequence.word.val();
        self.qps.removes_qpn.next =
            self.sequence.removes_qpn.val() || (self.sequence.clears.val() && !self.clear.q.val().get_bit(0));
        self.qps.removes_cqns.next =
            self.sequence.removes_cqns.val() || (self.sequence.clears.val() && self.clear.q.val().get_bit(0));
        self.qps.write_valid.next =
            (self.sequence.writes.val() && !self.name.q.val().query_qp && !self.of_handle.val())
                || (self.sequence.enters.val() && !self.of_handle.val());
        self.qps.write_data.next = self.merged.q.val();
        if self.sequence.enters.val() {
            self.qps.write_data.next =
                bit_cast::<32, 24>(self.qpn.val().get_bits::<24>(0)) | (bits::<32>(1) << 31);
        }
        if self.sequence.has_qpn.val() {
            self.qp_taken.d.next = self.qps.data.val().get_bit(31);
            self.qp_named.d.next = self.qps.data.val().get_bit(31)
                && (self.qps.data.val().get_bits::<24>(0) == self.qpn.val().get_bits::<24>(0));
        }
        if self.sequence.has_state.val() {
            self.qp_state.d.next = self.qps.data.val().get_bits::<3>(0);
            self.qp_service.d.next = self.qps.data.val().get_bits::<3>(4);
        }
        if self.sequence.has_cqns.val() {
            self.cqns.d.next = self.qps.data.val();
        }
        self.failures.forget_valid.next = self.sequence.drain_over.val();
        self.leaves_sqe.next = self.name.q.val().modify_qp
            && self.qp_stopped.q.val()
            && (self.new_state.val() == self.states.rts.val());
        self.failures.restart_valid.next = self.sequence.requester_taken.val() && self.leaves_sqe.val();

        // The stored state of the CQ.
        self.cqs.index.next = self.own_cqn.val();
        if self.sequence.clears.val() {
            self.cqs.index.next = self.clear.q.val().get_bits::<CB>(1);
        }
        inputs!(self.cqs, receive_index: receive_cqn, special: check.special);
        self.cqs.creates.next = self.sequence.enacts.val() && self.name.q.val().create_cq;
        self.cqs.destroys.next =
            (self.sequence.enacts.val() && self.name.q.val().destroy_cq) || self.sequence.clears.val();
        self.cqs.adds_user.next = self.sequence.counts.val() && self.name.q.val().create_qp;
        self.cqs.removes_user.next = self.sequence.counts.val() && self.name.q.val().destroy_qp;
        self.cqs.of_receive.next = self.sequence.counts_receive.val();
        self.cq.valid.next = self.sequence.cq_valid.val();
        self.cq.operation.next = bits::<2>(0);
        if self.name.q.val().resize_cq {
            self.cq.operation.next = bits::<2>(1);
        }
        if self.name.q.val().destroy_cq {
            self.cq.operation.next = bits::<2>(2);
        }
        if self.sequence.asks.val() {
            self.cq.operation.next = bits::<2>(3);
        }
        self.cq.index.next = self.own_cqn.val();
        if self.sequence.asks_receive.val() {
            self.cq.index.next = self.receive_cqn.val();
        }
        if self.sequence.forgets.val() {
            self.cq.operation.next = bits::<2>(2);
            self.cq.index.next = self.clear.q.val().get_bits::<CB>(1);
        }
        self.cq.base.next = self.arguments.val().get_bits::<64>(672);
        self.cq.log_size.next = self.arguments.val().get_bits::<4>(640);
        self.cq_taken.next = self.sequence.cq_valid.val() && self.cq.ready.val();
        inputs!(self.cq_standing, taken: cq_taken, base: cq.answer_base, log_size: cq.answer_log_size);
        inputs!(self.cq_standing, producer: cq.answer_producer, consumer: cq.answer_consumer);
        inputs!(self.cq_standing, armed: cq.answer_armed, failed: cq_failed.q, reported: sequence.reports);
        self.cq_standing.queried.next = self.name.q.val().query_cq;
        self.cq_standing.word.next = self.sequence.word.val();
        if self.sequence.begins.val() {
            self.cq_failed.d.next = false;
        }
        if (self.sequence.asks.val() && self.cq_taken.val() && self.cq.answer_failed.val())
            || self.cq_crosses.val()
        {
            self.cq_failed.d.next = true;
        }

        self.region_arguments.arguments.next = self.arguments.val();
        self.regions.index.next = self.region_arguments.index.val();
        if self.sequence.clears.val() {
            self.regions.index.next = self.clear.q.val().get_bits::<MB>(1);
        }
        self.regions.l_key.next = self.region_arguments.key.val();
        self.regions.registers.next = self.sequence.enacts.val() && self.name.q.val().reg_mr;
        self.regions.deregisters.next =
            (self.sequence.enacts.val() && self.name.q.val().dereg_mr) || self.sequence.clears.val();
        outputs!(self.region_arguments, region_index: index, region);
        self.region.next.valid = self.name.q.val().reg_mr;
        self.region_update_valid.next =
            self.sequence.enacts.val() && (self.name.q.val().reg_mr || self.name.q.val().dereg_mr);
        if self.sequence.clears.val() {
            self.region_index.next = self.clear.q.val().get_bits::<MB>(1);
            self.region.next.valid = false;
            self.region_update_valid.next = true;
        }
        // Address handles.
        inputs!(self.handle_arguments, arguments, roce, rate_known: rate.known, delay: rate.delay);
        self.context.delay.next = self.rate.delay.val();
        self.handle_arguments.ports.next = self.ports.val();
        self.handles.index.next = self.handle_arguments.index.val();
        if self.sequence.clears.val() {
            self.handles.index.next = self.clear.q.val().get_bits::<AB>(1);
        }
        self.handles.word.next = self.sequence.word.val();
        self.handles.asks.next = !self.sequence.merges.val();
        // A handle keeps its protection domain.
        self.changes_address.next =
            self.name.q.val().modify_ah && (self.sequence.word.val() != self.pd_word.val());
        self.handles.write_valid.next =
            self.sequence.writes.val() && (self.name.q.val().create_ah || self.changes_address.val());
        self.handles.write_data.next = self.argument.val();
        self.handles.creates.next = self.sequence.enters.val() && self.name.q.val().create_ah;
        self.handles.destroys.next =
            (self.sequence.enacts.val() && self.name.q.val().destroy_ah) || self.sequence.clears.val();
        if self.sequence.merges.val() && (self.sequence.word.val() == self.pd_word.val()) {
            self.handle_pd.d.next = self.handles.data.val().get_bits::<24>(0);
        }
        self.handle.valid.next = self.handles.creates.val()
            || self.handles.destroys.val()
            || (self.name.q.val().modify_ah
                && self.sequence.writes.val()
                && (self.sequence.word.val() == self.q_key_word.val()));
        inputs!(self.handle, index: handles.index, row: handle_arguments.row);
        self.handle.row.next.exists = !self.handles.destroys.val();
        if self.name.q.val().modify_ah {
            self.handle.row.next.pd = self.handle_pd.q.val();
        }
        self.handle.route.next = self.handle_arguments.route.val();
        // Multicast groups.
        inputs!(self.group_arguments, arguments, roce);
        self.group.qpn.next = self.qpn.val().get_bits::<24>(0);
        wires!(self.group_arguments, self.group, mgid, mlid);
        self.attaches.next =
            self.sequence.enacts.val() && self.name.q.val().attach && !self.group.facts.val().is_member;
        self.detaches.next = self.sequence.enacts.val() && self.name.q.val().detach;
        inputs!(self.group, attaches, detaches);
        self.group_count.index.next = self.qpn.val().get_bits::<QB>(0);
        if self.sequence.clears.val() {
            self.group_count.index.next = self.clear.q.val().get_bits::<QB>(1);
        }
        inputs!(self.group_count, adds: attaches, removes: detaches, clears: sequence.clears);
        self.region_invalidate_valid.next = self.sequence.enacts.val() && self.name.q.val().invalidate;
        self.region_invalidate_key.next = self.region_arguments.key.val();

        self.state_now.next = self.qp_state.q.val();
        // An event moves a queue pair that sends to SQE, and one in Error stays there.
        self.in_sqe.next = self.failures.stopped.val()
            && ((self.qp_state.q.val() == self.states.rts.val())
                || (self.qp_state.q.val() == self.states.sqd.val()));
        if self.in_sqe.val() {
            self.state_now.next = self.states.sqe.val();
        }
        if self.failures.failed.val() {
            self.state_now.next = self.states.error.val();
        }
        self.crossed.d.next = self.crosses.val() || (self.crossed.q.val() && !self.sequence.gathers.val());
        if self.sequence.begins.val() {
            self.given.d.next = bits::<32>(0);
            if self.name.q.val().modify_qp {
                self.given.d.next = self.argument.val();
            }
        }
        self.transition.service.next = self.qp_service.q.val().get_bits::<2>(0);
        inputs!(self.transition, special: check.special, state: state_now, new_state, given: given.q);
        self.transition.pmtu.next = self.arguments.val().get_bits::<3>(712);
        self.transition.p_key_index.next = self.arguments.val().get_bits::<16>(416);
        self.transition.port.next = self.arguments.val().get_bits::<8>(432);
        self.transition.ports.next = self.ports.val();
        self.transition.has_grh.next = self.arguments.val().get_bit(319);
        self.transition.sgid_index.next = self.arguments.val().get_bits::<8>(308);
        self.rate.code.next = self.arguments.val().get_bits::<6>(272);
        inputs!(self.transition, rate_known: rate.known, roce);
        self.transition.max_rd_atomic.next = self.arguments.val().get_bits::<8>(32);
        self.transition.max_dest_rd_atomic.next = self.arguments.val().get_bits::<8>(40);
        if self.sequence.gathers.val() {
            self.qp_failed.d.next = self.failures.failed.val();
            self.qp_stopped.d.next = self.in_sqe.val();
            self.facts.d.next.qpn_fits = self.check.qpn_fits.val();
            self.facts.d.next.cqn_fits = self.check.cqn_fits.val();
            self.facts.d.next.cqns_fit = self.check.cqns_fit.val();
            self.facts.d.next.keys_agree = self.check.keys_agree.val();
            self.facts.d.next.cq_size_fits = self.check.cq_size_fits.val();
            self.facts.d.next.cq_aligned = self.check.cq_aligned.val();
            self.facts.d.next.qp_sizes_fit = self.check.qp_sizes_fit.val();
            self.facts.d.next.qp_aligned = self.check.qp_aligned.val();
            self.facts.d.next.qp_taken = self.qp_taken.q.val();
            self.facts.d.next.qp_named = self.qp_named.q.val();
            self.facts.d.next.cq_exists = self.cqs.exists.val();
            self.facts.d.next.cq_used = self.cqs.used.val();
            self.facts.d.next.cq_failed = self.cq_failed.q.val();
            self.facts.d.next.cq_too_small =
                self.cq_standing.unpolled.val() > (bits::<16>(1) << self.arguments.val().get_bits::<4>(640));
            self.facts.d.next.cqs_exist = self.cqs.both_exist.val();
            self.facts.d.next.cqs_reserved = self.cqs.reserved.val();
            self.facts.d.next.region_taken = self.regions.taken.val();
            self.facts.d.next.region_named = self.regions.named.val();
            self.facts.d.next.bad_transition = self.transition.bad_transition.val();
            self.facts.d.next.missing_attribute = self.transition.missing.val();
            self.facts.d.next.forbidden_attribute = self.transition.forbidden.val();
            self.facts.d.next.bad_attribute = self.transition.bad_attribute.val();
            self.facts.d.next.handle_fits = self.handle_arguments.fits.val();
            self.facts.d.next.handle_exists = self.handles.exists.val();
            self.facts.d.next.address_legal = self.handle_arguments.legal.val();
            self.facts.d.next.qp_multicasts =
                (self.qp_service.q.val() == self.services.ud.val()) && !self.check.special.val();
            self.facts.d.next.qp_in_reset = self.state_now.val() == self.states.reset.val();
            self.facts.d.next.qp_attached = self.group_count.any.val();
            self.facts.d.next.group_legal = self.group_arguments.legal.val();
            self.facts.d.next.group_elsewhere = self.group.facts.val().elsewhere;
            self.facts.d.next.group_full = self.group.facts.val().full;
            self.facts.d.next.group_member = self.group.facts.val().is_member;
        }
        inputs!(self.judge, name: name.q, facts: facts.q);
        if self.sequence.judges.val() {
            self.result.d.next = self.judge.result.val();
        }
        self.reported_result.next = self.result.q.val();
        if self.sequence.acts.val() && self.name.q.val().resize_cq {
            if self.cq.answer_failed.val() {
                self.reported_result.next = self.failed_cq.val();
            } else if self.cq.refused.val() {
                self.reported_result.next = self.bad_size.val();
            }
        }
        self.found_failed.d.next = self.sequence.acts.val()
            && self.cq_taken.val()
            && self.name.q.val().resize_cq
            && self.cq.answer_failed.val();
        self.found_small.d.next = self.sequence.acts.val()
            && self.cq_taken.val()
            && self.name.q.val().resize_cq
            && !self.cq.answer_failed.val()
            && self.cq.refused.val();
        if self.found_failed.q.val() {
            self.result.d.next = self.failed_cq.val();
        }
        if self.found_small.q.val() {
            self.result.d.next = self.bad_size.val();
        }

        // Words one by one: a merged word of a QP, or the answer of a CQ.
        self.argument_index.next = self.sequence.word.val();
        if self.sequence.begins.val() {
            self.argument_index.next = self.attributes_word.val();
        }
        inputs!(self.merge, word: sequence.word, argument, resets, stored: qps.data, given: given.q);
        self.merge.creates.next = self.name.q.val().create_qp;
        self.merge.queries.next = self.name.q.val().query_qp;
        self.merge.state.next = self.new_state.val();
        if self.name.q.val().query_qp {
            self.merge.state.next = self.qp_state.q.val();
            if self.qp_stopped.q.val() {
                self.merge.state.next = self.states.sqe.val();
            }
            if self.qp_failed.q.val() {
                self.merge.state.next = self.states.error.val();
            }
        }
        self.answer_valid.next = (self.sequence.writes.val() && !self.of_handle.val())
            || (self.sequence.writes.val() && self.name.q.val().query_ah && self.handles.holds.val())
            || (self.sequence.answers.val()
                && (self.name.q.val().query_cq || (self.sequence.word.val() == self.counts_word.val())));
        self.answer_index.next = self.sequence.word.val();
        self.merged.d.next = self.merge.merged.val();
        if self.name.q.val().query_ah {
            self.merged.d.next = self.handles.data.val();
        }
        self.answer.next = self.merged.q.val();
        if self.sequence.answers.val() {
            self.answer.next = self.cq_standing.answer.val();
        }

        self.index.d.next = self.qpn.val().get_bits::<QB>(0);
        if self.sequence.forgets.val() {
            self.index.d.next = self.clear.q.val().get_bits::<QB>(1);
        }
        self.qp_index.next = self.index.q.val();
        wires!(self.sequence, self.context, forgets, destroyed);
        self.context.forgotten.next = self.clear.q.val().get_bits::<12>(1);
        inputs!(self.context, arguments, q_key, restarts: leaves_sqe);
        self.context.wants_drained.next = self.given.q.val().get_bit(15);
        outputs!(self.context, qp_row: row, qp_route: route, qp_limits: limits);

        // The port of the queue pair that a group command names: it is kept as its context is written.
        for _i in SP..1 {
            self.group.port.next = false;
        }
        for i in 0..SP {
            clock!(self, clock, qp_ports[i]);
            self.qp_ports[i].read_address_a.next = self.qpn.val().get_bits::<QB>(0);
            self.qp_ports[i].read_address_b.next = self.qpn.val().get_bits::<QB>(0);
            self.qp_ports[i].write_enable.next = self.to_receive_valid.val() && self.to_receive_ready.val();
            self.qp_ports[i].write_address.next = self.qp_index.val();
            self.qp_ports[i].write_data.next = self.qp_row.val().port.into();
            self.group.port.next = self.qp_ports[i].read_data_a.val().get_bit(0);
        }

        wires!(self.cq, self.walk, failed_valid, failed_index);
        inputs!(self.walk, may: sequence.walks, cqns: qps.data);
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.walk.fail);

        inputs!(self.report, judged: sequence.reports, command, result: reported_result);
        self.report.receive_side.next = self.sequence.receive_taken.val() && !self.name.q.val().create_qp;
        self.report.send_side.next =
            (self.sequence.requester_taken.val() && !self.resets.val() && !self.name.q.val().create_qp)
                || (self.sequence.drain_over.val() && !self.name.q.val().destroy_qp)
                || self.sequence.destroy_taken.val();
        self.report.number.next = self.qpn.val().get_bits::<24>(0);
        self.report.state.next = self.new_state.val();
        wires!(self.report, self.retire, valid, record);

        if self.reset.val() {
            clear!(self, clear, crossed);
        }
    }
}
