// A port of every storage class, a register that no reset touches, and one that counts.
module counter (
    input wire clock,
    input wire reset,
    input wire [11:0] step,
    input wire [39:0] add,
    input wire [99:0] wide_in,
    output reg [31:0] count,
    output reg [63:0] forgotten,
    output wire [39:0] sum,
    output wire [99:0] wide_out
);
  assign sum = add + 40'd1;
  assign wide_out = ~wide_in;
  always @(posedge clock) begin
    if (reset) count <= 32'd0;
    else begin
      count <= count + {20'd0, step};
      forgotten <= forgotten;
    end
  end
endmodule
