// The low table does not starve under a limit below 255 (protocol/link.md section 6, CF268, CF279): between two of its
// packets, while it has one to send, the high table sends less than the limit, and then one packet at most.
module vl_arbiter_laws (
    input clock,
    input reset,
    input [95:0] high,
    input [95:0] low,
    input [7:0] limit,
    input anew,
    input [15:0] eligible,
    input go,
    input [6:0] blocks
);
    wire valid;
    wire [3:0] vl;
    // A packet starts only by a choice.
    wire starts = go && valid;
    vl_arbiter arbiter (
        .clock(clock), .reset(reset), .arbitration_high(high), .arbitration_low(low), .arbitration_limit(limit),
        .arbitration_anew(anew), .eligible(eligible), .valid(valid), .vl(vl), .starts(starts), .blocks(blocks)
    );
    // Registers and wires of the arbiter.
    (* hierconn, init = 1'd0 *) wire \arbiter.chosen_high_q ;
    (* hierconn, init = 1'd0 *) wire \arbiter.is_chosen_q ;
    (* hierconn, init = 15'd0 *) wire [14:0] \arbiter.left_q ;
    (* hierconn *) wire \arbiter.low_found ;

    // The limit in blocks, as it was when the counting began; 0 of the register is one packet.
    wire [14:0] whole = limit == 0 ? 15'd1 : {1'b0, limit, 6'd0};
    reg [14:0] counted = 0;
    // Blocks that the high table has sent since the low table's last packet, up to those of the limit.
    reg [14:0] sent = 0;
    // The low table had a packet in the clock before, and there was a limit.
    reg low_waited = 0;
    wire [15:0] more = sent + blocks;
    always @(posedge clock) begin
        low_waited <= \arbiter.low_found && limit != 255 && !anew && !reset;
        if (reset) begin
            counted <= 1;
            sent <= 0;
        end else if (anew || (starts && ! \arbiter.chosen_high_q )) begin
            counted <= whole;
            sent <= 0;
        end else if (starts)
            sent <= more > counted ? counted : more;
    end

    always @* begin
        assert (sent <= counted);
        assert (\arbiter.left_q == counted - sent);
        // The choice was made a clock before.
        if (starts && \arbiter.chosen_high_q && low_waited)
            assert (sent < counted);
    end
endmodule
