// The room of a VL (protocol/link.md section 5), as vl_credit_laws assumes it: a packet is stored only where there is
// room for it, a block is freed only if it was stored, and room is what the stored packets leave. It holds for packets
// of any length, VL and end with any pauses, in place of the store a queue of at most three whole packets.
module receive_buffer_laws (
    input clock,
    input reset,
    input [63:0] s_axis_tdata,
    input [7:0] s_axis_tkeep,
    input s_axis_tlast,
    input s_axis_tvalid,
    input s_axis_bad,
    input flow_control,
    input credit_update_valid,
    input [3:0] credit_update_vl,
    input [11:0] credit_update_fctbs,
    input m_axis_tready
);
    localparam [7:0] quota = 8'd180, management_quota = 8'd10;
    // Beats of the largest packet that is stored.
    localparam [10:0] most = 11'd528;
    receive_buffer buffer (
        .clock(clock), .reset(reset), .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep),
        .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(), .s_axis_bad(s_axis_bad),
        .flow_control(flow_control), .down(1'b0), .credit_update_valid(credit_update_valid),
        .credit_update_initialises(1'b0), .credit_update_vl(credit_update_vl),
        .credit_update_fctbs(credit_update_fctbs), .credit_update_fccl(12'd0), .m_axis_tdata(), .m_axis_tkeep(),
        .m_axis_tlast(), .m_axis_tvalid(), .m_axis_tready(m_axis_tready), .m_axis_bad(), .m_axis_overran(), .fccl()
    );
    // Registers and wires of the buffer.
    (* hierconn *) wire \buffer.rooms_0_stores , \buffer.rooms_0_frees , \buffer.rooms_1_stores ;
    (* hierconn *) wire \buffer.rooms_1_frees , \buffer.management_room_stores , \buffer.management_room_frees ;
    (* hierconn *) wire \buffer.credits_0_updated ;
    (* hierconn, init = 17'd0 *) wire [16:0] \buffer.update_third_q ;
    (* hierconn *) wire [10:0] \buffer.blocks ;
    (* hierconn, init = 8'd0 *) wire [7:0] \buffer.rooms_0.free_q , \buffer.rooms_1.free_q ;
    (* hierconn, init = 8'd0 *) wire [7:0] \buffer.management_room.free_q ;
    (* hierconn, init = 1'd0 *) wire \buffer.left_q , \buffer.refused_q , \buffer.ingress.taken_q ;
    (* hierconn, init = 1'd0 *) wire \buffer.ingress.taken_last_q , \buffer.ingress.taken_first_q ;
    (* hierconn, init = 4'd0 *) wire [3:0] \buffer.left_vl_q , \buffer.out_vl_q , \buffer.vl_q ;
    (* hierconn, init = 11'd0 *) wire [10:0] \buffer.out_beat_q , \buffer.ingress.taken_beat_q ;
    (* hierconn, init = 11'd0 *) wire [10:0] \buffer.ingress.next_beat_q ;
    (* hierconn, init = 2'd0 *) wire [1:0] \buffer.store.packets ;
    (* hierconn, init = 11'd0 *) wire [10:0] \buffer.store.words_0 , \buffer.store.words_1 , \buffer.store.words_2 ;
    (* hierconn, init = 11'd0 *) wire [10:0] \buffer.store.words ;
    (* hierconn, init = 13'd0 *) wire [12:0] \buffer.store.head_0 , \buffer.store.head_1 , \buffer.store.head_2 ;
    (* hierconn, init = 13'd0 *) wire [12:0] \buffer.store.head ;
    (* hierconn, init = 8'd0 *) wire [7:0] \buffer.store.last_0 , \buffer.store.last_1 , \buffer.store.last_2 ;
    (* hierconn, init = 11'd0 *) wire [10:0] \buffer.store.at ;
    (* hierconn *) wire \buffer.store.overflows ;

    reg begun = 0;
    // Link packets of VL 0 that were taken one to three clocks ago, and what they brought.
    reg [12:0] taken_1 = 0, taken_2 = 0, taken_3 = 0;
    always @(posedge clock) begin
        if (reset) begun <= 1;
        taken_1 <= reset ? 13'd0 : {credit_update_valid && credit_update_vl == 0, credit_update_fctbs};
        taken_2 <= reset ? 13'd0 : taken_1;
        taken_3 <= reset ? 13'd0 : taken_2;
    end

    // Blocks of each room that have not left.
    wire [8:0] held_0, held_1, held_management;
    held_blocks in_0 (
        .packets(\buffer.store.packets ), .words_0(\buffer.store.words_0 ), .words_1(\buffer.store.words_1 ),
        .words_2(\buffer.store.words_2 ), .head_0(\buffer.store.head_0 ), .head_1(\buffer.store.head_1 ),
        .head_2(\buffer.store.head_2 ), .at(\buffer.store.at ),
        .leaves(\buffer.left_q ), .leaving_vl(\buffer.left_vl_q ), .room(2'd0), .held(held_0)
    );
    held_blocks in_1 (
        .packets(\buffer.store.packets ), .words_0(\buffer.store.words_0 ), .words_1(\buffer.store.words_1 ),
        .words_2(\buffer.store.words_2 ), .head_0(\buffer.store.head_0 ), .head_1(\buffer.store.head_1 ),
        .head_2(\buffer.store.head_2 ), .at(\buffer.store.at ),
        .leaves(\buffer.left_q ), .leaving_vl(\buffer.left_vl_q ), .room(2'd1), .held(held_1)
    );
    held_blocks in_management (
        .packets(\buffer.store.packets ), .words_0(\buffer.store.words_0 ), .words_1(\buffer.store.words_1 ),
        .words_2(\buffer.store.words_2 ), .head_0(\buffer.store.head_0 ), .head_1(\buffer.store.head_1 ),
        .head_2(\buffer.store.head_2 ), .at(\buffer.store.at ),
        .leaves(\buffer.left_q ), .leaving_vl(\buffer.left_vl_q ), .room(2'd2), .held(held_management)
    );

    // Beats of the packet that comes which have reached the store, or would have.
    wire [10:0] written = \buffer.ingress.taken_q ? \buffer.ingress.taken_beat_q : \buffer.ingress.next_beat_q ;
    wire inside = \buffer.ingress.taken_q ? ! \buffer.ingress.taken_first_q : written != 0;

    always @* begin
        // The bytes of a beat are contiguous.
        assume (s_axis_tkeep != 0 && (s_axis_tkeep & (s_axis_tkeep + 8'd1)) == 0);
        assume (! \buffer.store.overflows );
        if (begun) begin
            // The laws.
            if (\buffer.rooms_0_stores ) assert (\buffer.blocks <= \buffer.rooms_0.free_q );
            if (\buffer.rooms_1_stores ) assert (\buffer.blocks <= \buffer.rooms_1.free_q );
            if (\buffer.management_room_stores ) assert (\buffer.blocks <= \buffer.management_room.free_q );
            if (\buffer.rooms_0_frees ) assert (\buffer.rooms_0.free_q < quota);
            if (\buffer.rooms_1_frees ) assert (\buffer.rooms_1.free_q < quota);
            if (\buffer.management_room_frees ) assert (\buffer.management_room.free_q < management_quota);
            // A link packet acts three clocks after it was taken.
            assert (\buffer.credits_0_updated == taken_3[12]);
            if (taken_3[12]) assert (\buffer.update_third_q [16:5] == taken_3[11:0]);

            // What holds besides, and carries the induction: room is what the stored packets leave.
            assert (\buffer.rooms_0.free_q + held_0 == quota);
            assert (\buffer.rooms_1.free_q + held_1 == quota);
            assert (\buffer.management_room.free_q + held_management == management_quota);
            assert (\buffer.store.at == \buffer.out_beat_q );
            if (\buffer.store.packets == 0) assert (\buffer.store.at == 0);
            else assert (\buffer.store.at < \buffer.store.words_0 && \buffer.store.words_0 <= most);
            if (\buffer.store.packets >= 2) assert (\buffer.store.words_1 != 0 && \buffer.store.words_1 <= most);
            if (\buffer.store.packets == 3) assert (\buffer.store.words_2 != 0 && \buffer.store.words_2 <= most);
            if (\buffer.store.at != 0) assert (\buffer.out_vl_q == \buffer.store.head_0 [12:9]);
            if (\buffer.store.packets != 0) begin
                assert (\buffer.store.last_0 [7:6] != 0);
                if (\buffer.store.words_0 > 1) assert (\buffer.store.head_0 [7:0] == 0);
                else assert (\buffer.store.head_0 [7:0] == \buffer.store.last_0 );
            end
            if (\buffer.store.packets >= 2) begin
                assert (\buffer.store.last_1 [7:6] != 0);
                if (\buffer.store.words_1 > 1) assert (\buffer.store.head_1 [7:0] == 0);
                else assert (\buffer.store.head_1 [7:0] == \buffer.store.last_1 );
            end
            if (\buffer.store.packets == 3) begin
                assert (\buffer.store.last_2 [7:6] != 0);
                if (\buffer.store.words_2 > 1) assert (\buffer.store.head_2 [7:0] == 0);
                else assert (\buffer.store.head_2 [7:0] == \buffer.store.last_2 );
            end
            // The packet that comes.
            assert (\buffer.store.words <= most);
            if (\buffer.store.words != 0) assert (\buffer.store.head [7:0] == 0);
            if (\buffer.ingress.taken_q ) begin
                assert (\buffer.ingress.taken_first_q == (\buffer.ingress.taken_beat_q == 0));
                assert ((\buffer.ingress.next_beat_q == 0) == \buffer.ingress.taken_last_q );
                if (! \buffer.ingress.taken_last_q && \buffer.ingress.taken_beat_q <= most)
                    assert (\buffer.ingress.next_beat_q == \buffer.ingress.taken_beat_q + 1);
                if (! \buffer.ingress.taken_last_q && \buffer.ingress.taken_beat_q > most)
                    assert (\buffer.ingress.next_beat_q > most);
            end
            if (!inside) assert (\buffer.store.words == 0);
            else begin
                assert (\buffer.refused_q || \buffer.store.words == (written < most ? written : most));
                assert (\buffer.store.words == 0 || \buffer.store.head [12:9] == \buffer.vl_q );
            end
        end
    end
endmodule

// Blocks of a room: those of its packets in the store that have not left it, and the one that is about to be freed.
module held_blocks (
    input [1:0] packets,
    input [10:0] words_0,
    input [10:0] words_1,
    input [10:0] words_2,
    input [12:0] head_0,
    input [12:0] head_1,
    input [12:0] head_2,
    input [10:0] at,
    input leaves,
    input [3:0] leaving_vl,
    input [1:0] room,
    output [8:0] held
);
    wire [10:0] before_0 = words_0 - 11'd1, before_1 = words_1 - 11'd1, before_2 = words_2 - 11'd1;
    // VL 15 has a room of its own, other VLs have that of the VL with the same lowest bit. A stub has none.
    wire [1:0] room_0 = head_0[12:9] == 4'd15 ? 2'd2 : {1'b0, head_0[9]};
    wire [1:0] room_1 = head_1[12:9] == 4'd15 ? 2'd2 : {1'b0, head_1[9]};
    wire [1:0] room_2 = head_2[12:9] == 4'd15 ? 2'd2 : {1'b0, head_2[9]};
    wire [1:0] leaving_room = leaving_vl == 4'd15 ? 2'd2 : {1'b0, leaving_vl[0]};
    wire holds_0 = packets != 0 && room_0 == room && !(head_0[8] && head_0[5:0] == 6'd4);
    wire holds_1 = packets >= 2 && room_1 == room && !(head_1[8] && head_1[5:0] == 6'd4);
    wire holds_2 = packets == 3 && room_2 == room && !(head_2[8] && head_2[5:0] == 6'd4);
    assign held = (holds_0 ? before_0[10:3] + 8'd1 - at[10:3] : 8'd0) + (holds_1 ? before_1[10:3] + 8'd1 : 8'd0)
        + (holds_2 ? before_2[10:3] + 8'd1 : 8'd0) + (leaves && leaving_room == room);
endmodule

// What the store gives out: words as they were written, in their order, of packets that are complete. Of each packet
// it keeps the number of words, the VL and the lowest bit and the tag of the first word, and the tag of the last; the
// other bits are any.
module beat_store (
    input clock,
    input reset,
    input write_valid,
    input [71:0] write_data,
    input write_anew,
    input write_last,
    output full,
    output empty,
    output [71:0] read_data,
    output read_valid,
    input read_ready
);
    (* anyseq *) wire is_full, offers;
    (* anyseq *) wire [71:0] other;
    reg [1:0] packets = 0;
    reg [10:0] words_0 = 0, words_1 = 0, words_2 = 0, words = 0;
    reg [12:0] head_0 = 0, head_1 = 0, head_2 = 0, head = 0;
    reg [7:0] last_0 = 0, last_1 = 0, last_2 = 0;
    // Words of the first packet that have been read.
    reg [10:0] at = 0;

    wire begins = write_anew || words == 0;
    wire [10:0] written = begins ? 11'd1 : words + 11'd1;
    wire [12:0] written_head = begins ? {write_data[71:68], write_data[8:0]} : head;
    wire enters = write_valid && write_last;
    wire is_last = at + 11'd1 == words_0;
    wire leaves = read_valid && read_ready && is_last;
    wire overflows = enters && packets == 3 && !leaves;
    // Packets that stand behind what leaves.
    wire [1:0] behind = packets - leaves;

    assign full = is_full;
    assign empty = packets == 0;
    assign read_valid = packets != 0 && offers;
    assign read_data = {at == 0 ? head_0[12:9] : other[71:68], other[67:9], at == 0 ? head_0[8] : other[8],
        at == 0 ? head_0[7:0] : is_last ? last_0 : 8'd0};
    always @(posedge clock) begin
        if (write_valid) begin
            words <= write_last ? 11'd0 : written;
            head <= written_head;
        end
        if (read_valid && read_ready) at <= is_last ? 11'd0 : at + 11'd1;
        if (leaves) begin
            {words_0, head_0, last_0} <= {words_1, head_1, last_1};
            {words_1, head_1, last_1} <= {words_2, head_2, last_2};
        end
        if (enters && behind == 0) {words_0, head_0, last_0} <= {written, written_head, write_data[7:0]};
        if (enters && behind == 1) {words_1, head_1, last_1} <= {written, written_head, write_data[7:0]};
        if (enters && behind == 2) {words_2, head_2, last_2} <= {written, written_head, write_data[7:0]};
        packets <= packets + enters - leaves;
        if (reset) begin
            packets <= 0;
            words <= 0;
            at <= 0;
        end
    end
    always @* begin
        // Tags of words within a packet are 0.
        if (write_valid && !write_last) assert (write_data[7:0] == 0);
    end
endmodule
