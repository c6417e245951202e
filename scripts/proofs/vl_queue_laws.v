// A packet of a data VL never starts without credits (protocol/link.md section 5, CF277, CF444): by the limit that the
// VL had in the clock before, from every state that the queue may be in.
module vl_queue_laws (
    input clock,
    input reset,
    input flow_control,
    input init,
    input sends,
    input limit_valid,
    input [11:0] limit,
    input joins,
    input [6:0] blocks,
    input exempt,
    input go
);
    wire room, empty, ready, gives_up, waits;
    wire [10:0] size;
    wire [11:0] sent;
    // A packet leaves the queue only if the queue says so.
    wire starts = go && (ready || gives_up);
    vl_queue queue (
        .clock(clock), .reset(reset), .flow_control(flow_control), .init(init), .sends(sends),
        .limit_valid(limit_valid), .limit(limit), .joins(joins), .blocks(blocks), .exempt(exempt), .room(room),
        .empty(empty), .ready(ready), .gives_up(gives_up), .waits(waits), .size(size), .starts(starts), .sent(sent)
    );
    // Registers and wires of the queue.
    (* hierconn, init = 12'd0 *) wire [11:0] \queue.last_limit_q ;
    (* hierconn, init = 1'd0 *) wire \queue.known_q ;
    (* hierconn *) wire \queue.needs ;

    // What they were a clock before; before the first clock no packet is judged.
    reg [11:0] former_limit = 12'd0;
    reg was_known = 1'b0;
    reg had_needs = 1'b0;
    always @(posedge clock) begin
        former_limit <= \queue.last_limit_q ;
        was_known <= \queue.known_q ;
    end

    wire [11:0] left = former_limit - (sent + size);
    always @* begin
        assert (!(ready && gives_up));
        if (starts && ready && \queue.needs ) begin
            assert (was_known);
            assert (left <= 12'd2048);
        end
    end
endmodule
