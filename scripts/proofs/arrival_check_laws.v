// The times at which arriving packets count (protocol/link.md section 5), for vl_credit_laws: a packet that counts does
// so four clocks after its last beat, as the blocks and on the VL that it had then.
module arrival_check_laws (
    input clock,
    input reset,
    input valid,
    input first,
    input last,
    input [63:0] data,
    input [3:0] end_word,
    input [6:0] count,
    input [10:0] beat,
    input ends_bad,
    input [3:0] vl,
    input [6:0] blocks
);
    wire received;
    wire [3:0] received_vl;
    wire [6:0] received_blocks;
    arrival_check check (
        .clock(clock), .reset(reset), .valid(valid), .first(first), .last(last), .data(data), .end_word(end_word),
        .count(count), .beat(beat), .ends_bad(ends_bad), .vl(vl), .blocks(blocks), .received(received),
        .received_vl(received_vl), .received_blocks(received_blocks)
    );

    // What ended one to four clocks ago: whether a packet did, and as a good one, its VL and its blocks.
    reg [11:0] ended_1 = 0, ended_2 = 0, ended_3 = 0, ended_4 = 0;
    always @(posedge clock) begin
        ended_1 <= {valid && last && !ends_bad, vl, blocks};
        {ended_4, ended_3, ended_2} <= {ended_3, ended_2, ended_1};
    end

    always @*
        if (received) assert ({1'b1, received_vl, received_blocks} == ended_4);
endmodule
