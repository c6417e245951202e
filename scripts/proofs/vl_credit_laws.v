// FCCL never promises more than is free (protocol/link.md section 5, CF446): whatever a neighbour that keeps to its
// credits sends by the best limit that it was given since Init, there is room for it. Packets may be lost or damaged on
// their way, and stay in the buffer for any time. receive_buffer_laws and arrival_check_laws have what is assumed here
// of stored packets, freed blocks and the times at which packets count.
module vl_credit_laws (
    input clock,
    input reset,
    input down,
    input arrives,
    input [6:0] blocks,
    input kept,
    input good,
    input frees,
    input updated
);
    localparam [7:0] quota = 8'd180;
    // Neither a packet comes nor a limit goes.
    wire idle = reset || down;

    // A packet of the VL comes, kept or lost, and one that is good is counted four clocks later. So is a link packet,
    // which brings what the neighbour has sent before it.
    wire comes = arrives && !idle;
    wire [6:0] charge = comes ? blocks : 7'd0;
    reg [6:0] charge_1 = 0, charge_2 = 0, charge_3 = 0, charge_4 = 0;
    reg [3:0] was_good = 0, was_update = 0;
    // Blocks that the neighbour has sent since Init in the packets that have come, now and one to four clocks ago.
    reg [11:0] sent = 0, sent_1 = 0, sent_2 = 0, sent_3 = 0, sent_4 = 0;
    // Clocks for which the port has been idle.
    reg [2:0] stood = 0;

    wire [7:0] room;
    wire [11:0] fccl;
    vl_room rooms (.clock(clock), .reset(reset), .stores(comes && kept), .stored(blocks), .frees(frees), .room(room));
    vl_credit credit (
        .clock(clock), .reset(reset), .room(room), .down(down), .received(was_good[3] && !idle), .blocks(charge_4),
        .updated(was_update[3] && !idle), .fctbs(sent_4), .fccl(fccl)
    );
    // Registers of the counts.
    (* hierconn, init = 12'd0 *) wire [11:0] \credit.total_q ;
    (* hierconn, init = 8'd0 *) wire [7:0] \credit.free.one_q ;
    (* hierconn, init = 8'd0 *) wire [7:0] \credit.free.two_q ;
    (* hierconn, init = 8'd0 *) wire [7:0] \credit.free.three_q ;
    (* hierconn, init = 8'd0 *) wire [7:0] \credit.free.four_q ;

    // What the best limit so far leaves to the neighbour; a limit may reach it at once, or never.
    reg [11:0] credits = 0;
    wire [11:0] offered = fccl - sent;
    wire [11:0] left = !idle && offered <= 2048 && offered > credits ? offered : credits;

    always @(posedge clock) begin
        stood <= !idle ? 0 : stood == 7 ? 7 : stood + 1;
        was_good <= {was_good[2:0], comes && good};
        was_update <= {was_update[2:0], updated && !idle && !comes};
        {charge_4, charge_3, charge_2, charge_1} <= {charge_3, charge_2, charge_1, charge};
        {sent_4, sent_3, sent_2, sent_1} <= {sent_3, sent_2, sent_1, sent};
        if (idle) begin
            sent <= 0;
            credits <= 0;
        end else begin
            sent <= sent + charge;
            credits <= left - charge;
        end
    end

    // Room and what was sent together only grow.
    wire [11:0] reach = room + sent;
    wire [11:0] reach_1 = \credit.free.one_q + sent_1;
    wire [11:0] reach_2 = \credit.free.two_q + sent_2;
    wire [11:0] reach_3 = \credit.free.three_q + sent_3;
    wire [11:0] reach_4 = \credit.free.four_q + sent_4;
    wire [11:0] step_1 = reach - reach_1, step_2 = reach_1 - reach_2, step_3 = reach_2 - reach_3;
    wire [11:0] step_4 = reach_3 - reach_4, step_5 = reach_4 - fccl;
    wire [11:0] uncounted = sent_4 - \credit.total_q ;
    wire [11:0] promised = sent + credits - \credit.total_q ;

    always @* begin
        // Once idle, the port is so for longer than a packet is judged.
        assume (idle || stood == 7 || stood == 0);
        // The neighbour keeps to its credits.
        assume (!comes || (blocks >= 1 && blocks <= 66 && blocks <= left));
        assume (!frees || room != quota);

        // The law.
        assert (left <= room);

        // What holds besides, and carries the induction.
        assert (room <= quota && \credit.free.one_q <= quota && \credit.free.two_q <= quota);
        assert (\credit.free.three_q <= quota && \credit.free.four_q <= quota);
        assert (charge_1 <= 66 && charge_2 <= 66 && charge_3 <= 66 && charge_4 <= 66);
        if (stood >= 1) assert (sent == 0 && credits == 0 && \credit.total_q == 0 && charge_1 == 0);
        if (stood >= 2) assert (sent_1 == 0 && charge_2 == 0);
        if (stood >= 3) assert (sent_2 == 0 && charge_3 == 0);
        if (stood >= 4) assert (sent_3 == 0 && charge_4 == 0);
        if (stood >= 5) assert (sent_4 == 0);
        if (stood == 0 || stood > 1) assert (sent == sent_1 + charge_1 && step_1 <= quota);
        if (stood == 0 || stood > 2) assert (sent_1 == sent_2 + charge_2 && step_2 <= quota);
        if (stood == 0 || stood > 3) assert (sent_2 == sent_3 + charge_3 && step_3 <= quota);
        if (stood == 0 || stood > 4) assert (sent_3 == sent_4 + charge_4 && step_4 <= quota);
        if (stood == 0 || stood > 5) assert (step_5 <= 2 * quota);
        if (stood == 0) assert (uncounted <= quota && promised <= quota);
    end
endmodule
