// As little as has the ports of an HCA: echoes packets, and completes each send WQE of one QP with its length.
// Register 0xFC makes it break one rule of its buses.
module hca (
    input wire clock,
    input wire reset,
    input wire [63:0] s_axis_tdata,
    input wire [7:0] s_axis_tkeep,
    input wire s_axis_tlast,
    input wire [1:0] s_axis_tuser,
    input wire s_axis_tvalid,
    output wire s_axis_tready,
    output reg [63:0] m_axis_tdata,
    output reg [7:0] m_axis_tkeep,
    output reg m_axis_tlast,
    output reg m_axis_tvalid,
    input wire m_axis_tready,
    output wire [3:0] m_axi_awid,
    output wire [63:0] m_axi_awaddr,
    output wire [7:0] m_axi_awlen,
    output wire [2:0] m_axi_awsize,
    output wire [1:0] m_axi_awburst,
    output reg m_axi_awvalid,
    input wire m_axi_awready,
    output wire [127:0] m_axi_wdata,
    output wire [15:0] m_axi_wstrb,
    output wire m_axi_wlast,
    output reg m_axi_wvalid,
    input wire m_axi_wready,
    input wire [3:0] m_axi_bid,
    input wire [1:0] m_axi_bresp,
    input wire m_axi_bvalid,
    output wire m_axi_bready,
    output wire [3:0] m_axi_arid,
    output wire [63:0] m_axi_araddr,
    output wire [7:0] m_axi_arlen,
    output wire [2:0] m_axi_arsize,
    output wire [1:0] m_axi_arburst,
    output reg m_axi_arvalid,
    input wire m_axi_arready,
    input wire [3:0] m_axi_rid,
    input wire [127:0] m_axi_rdata,
    input wire [1:0] m_axi_rresp,
    input wire m_axi_rlast,
    input wire m_axi_rvalid,
    output wire m_axi_rready,
    input wire [19:0] s_axil_awaddr,
    input wire s_axil_awvalid,
    output wire s_axil_awready,
    input wire [31:0] s_axil_wdata,
    input wire [3:0] s_axil_wstrb,
    input wire s_axil_wvalid,
    output wire s_axil_wready,
    output reg [1:0] s_axil_bresp,
    output reg s_axil_bvalid,
    input wire s_axil_bready,
    input wire [19:0] s_axil_araddr,
    input wire s_axil_arvalid,
    output wire s_axil_arready,
    output reg [31:0] s_axil_rdata,
    output wire [1:0] s_axil_rresp,
    output reg s_axil_rvalid,
    input wire s_axil_rready,
    output wire irq,
    input wire link_up,
    output wire link_enable,
    output wire [15:0] retire_valid,
    output reg [31:0] retire_order,
    output wire [1535:0] retire_record
);
  reg [3:0] fault;

  // Stream echo.
  assign s_axis_tready = !m_axis_tvalid || m_axis_tready || fault == 1;
  always @(posedge clock)
    if (reset) m_axis_tvalid <= 0;
    else if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata <= s_axis_tdata;
      m_axis_tkeep <= fault == 2 ? s_axis_tkeep << 1 : s_axis_tkeep;
      m_axis_tlast <= s_axis_tlast && fault != 3;
    end

  // Registers.
  reg [31:0] argument[0:31];
  reg [31:0] status;
  reg [3:0] busy;
  reg [63:0] sq_base, cq_base;
  reg [3:0] sq_log, cq_log;
  reg [23:0] qpn;
  reg [15:0] producer;
  wire write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  wire doorbell = write && s_axil_awaddr[19:15] == 5'd2 && s_axil_awaddr[2:0] == 3'd0;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_rresp = 0;
  always @(posedge clock) begin
    if (busy != 0) busy <= busy - 1;
    if (s_axil_bready) s_axil_bvalid <= 0;
    if (s_axil_rready) s_axil_rvalid <= 0;
    if (write) begin
      s_axil_bvalid <= 1;
      // Identification is read-only here.
      s_axil_bresp <= s_axil_awaddr == 20'h0 ? 2'd2 : 2'd0;
      if (s_axil_awaddr[19:7] == 13'h2) argument[s_axil_awaddr[6:2]] <= s_axil_wdata;
      if (s_axil_awaddr == 20'h80) begin
        busy <= 9;
        case (s_axil_wdata)
          1: begin
            status <= 0;
            cq_base <= {argument[1], argument[2]};
            cq_log <= argument[3][3:0];
          end
          9: begin
            status <= argument[0][3:0] == 15 ? 2 : 0;
            qpn <= argument[0][23:0];
            sq_log <= argument[2][3:0];
            sq_base <= {argument[3], argument[4]};
          end
          2, 3, 4, 5, 6, 7, 8, 10, 11: status <= 0;
          default: status <= 1;
        endcase
      end
      if (s_axil_awaddr == 20'hFC) fault <= s_axil_wdata[3:0];
      if (doorbell) producer <= s_axil_wdata[15:0];
    end
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rvalid <= 1;
      case (s_axil_araddr)
        20'h00: s_axil_rdata <= 32'h4F484341;
        20'h84: s_axil_rdata <= {busy != 0, status[30:0]};
        20'h10C, 20'h110: s_axil_rdata <= argument[s_axil_araddr[6:2]];
        default: s_axil_rdata <= 0;
      endcase
    end
    if (reset) begin
      s_axil_bvalid <= 0;
      s_axil_rvalid <= 0;
      busy <= 0;
      producer <= 0;
      fault <= 0;
    end
  end

  // One WQE after the other: fetch, then write its completion.
  reg [15:0] consumer;
  reg [2:0] state;
  reg [3:0] beat;
  reg [31:0] length;
  wire [15:0] sq_slot = consumer & ((16'd1 << sq_log) - 16'd1);
  wire [15:0] cq_slot = consumer & ((16'd1 << cq_log) - 16'd1);
  wire phase = !consumer[cq_log];
  wire fetch = state == 0 && consumer != producer;
  wire complete = state == 4 && m_axi_bvalid;
  wire [255:0] cqe = {7'd1, phase, 152'd0, length[7:0], length[15:8], length[23:16], length[31:24],
      qpn[7:0], qpn[15:8], qpn[23:16], 8'd0, 8'd0, 8'd0, consumer[7:0], consumer[15:8]};
  assign m_axi_araddr = (fault == 4 ? 64'd4080 : sq_base) + {42'd0, sq_slot, 6'd0} + (fault == 5 ? 64'd4 : 64'd0);
  assign {m_axi_arid, m_axi_arlen, m_axi_arsize, m_axi_arburst} = {4'd1, 8'd3, fault == 6 ? 3'd2 : 3'd4, 2'd1};
  assign m_axi_awaddr = cq_base + {43'd0, cq_slot, 5'd0};
  assign {m_axi_awid, m_axi_awlen, m_axi_awsize, m_axi_awburst} = {4'd2, 8'd1, 3'd4, fault == 7 ? 2'd2 : 2'd1};
  assign m_axi_wdata = cqe[128*beat[0]+:128];
  assign m_axi_wstrb = 16'hFFFF;
  assign m_axi_wlast = beat == (fault == 8 ? 0 : 1);
  assign m_axi_rready = state == 2;
  assign m_axi_bready = state == 4;
  always @(posedge clock) begin
    if (m_axi_arready || fault == 9) m_axi_arvalid <= 0;
    if (m_axi_awready) m_axi_awvalid <= 0;
    case (state)
      0: if (fetch) begin
          m_axi_arvalid <= 1;
          beat <= 0;
          state <= 2;
        end
      2: if (m_axi_rvalid) begin
          beat <= beat + 1;
          if (beat == 1) length <= {m_axi_rdata[39:32], m_axi_rdata[47:40], m_axi_rdata[55:48], m_axi_rdata[63:56]};
          if (m_axi_rlast) begin
            beat <= 0;
            m_axi_awvalid <= 1;
            m_axi_wvalid <= 1;
            state <= 3;
          end
        end
      3: if (m_axi_wready) begin
          beat <= beat + 1;
          if (beat == 1) begin
            m_axi_wvalid <= 0;
            state <= 4;
          end
        end
      4: if (complete) begin
          consumer <= consumer + 1;
          state <= 0;
        end
    endcase
    if (reset) begin
      m_axi_arvalid <= 0;
      m_axi_awvalid <= 0;
      m_axi_wvalid <= 0;
      consumer <= 0;
      state <= 0;
    end
  end

  // Doorbells on lane 0, fetches on lane 5, completions on lane 9.
  wire [15:0] lanes = {6'b0, complete, 3'b0, fetch, 4'b0, doorbell};
  assign irq = state == 4;
  assign link_enable = 1;
  assign retire_valid = reset ? 16'd0 : lanes;
  assign retire_record = {
      576'd0,
      8'd10, 8'd0, qpn, 24'd0, 16'd0, consumer, 288'd0,
      8'd2, 8'd0, qpn, 24'd0, 16'd0, consumer, 384'd0,
      8'd1, 8'd0, qpn, 24'd0, s_axil_wdata};
  always @(posedge clock)
    if (reset) retire_order <= 0;
    else retire_order <= retire_order + {31'd0, complete} + {31'd0, fetch && fault != 10} + {31'd0, doorbell};
endmodule
