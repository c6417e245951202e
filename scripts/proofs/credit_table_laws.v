// The credit table's round trip (protocol/aeth.md section 3): for every count of receive WQEs, and every code.
module credit_table_laws (
    input [15:0] count,
    input [4:0] other
);
    wire [4:0] code, again;
    wire [15:0] credits, entry;

    // The count's code, and what the peer makes of it.
    credit_table encode (.count(count), .code(code), .given(5'd0), .unlimited(), .credits());
    credit_table decode (.count(16'd0), .code(), .given(code), .unlimited(), .credits(credits));
    // Any other code's entry, and its code again.
    credit_table entry_of (.count(16'd0), .code(), .given(other), .unlimited(), .credits(entry));
    credit_table code_of (.count(entry), .code(again), .given(5'd0), .unlimited(), .credits());

    always @* begin
        // Code 31 says that no credits are given.
        assert (code != 5'd31);
        // Never more than there is, and no entry between.
        assert (credits <= count);
        assert (other == 5'd31 || entry > count || entry <= credits);
        assert (other == 5'd31 || again == other);
    end
endmodule
