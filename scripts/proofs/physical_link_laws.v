// The physical link of a port (protocol/link.md section 1), where link_up is tied to link_enable, for all that the port
// and its software do.
module physical_link_laws (
    input clock,
    input reset,
    input hold,
    input asks_down,
    input disables,
    input leaves,
    input waits
);
    wire link_enable, seen, up, disabled, restarts, given_up;
    physical_link link (
        .clock(clock),
        .reset(reset),
        .link_up(link_enable),
        .link_enable(link_enable),
        .hold(hold),
        .asks_down(asks_down),
        .disables(disables),
        .leaves(leaves),
        .waits(waits),
        .seen(seen),
        .up(up),
        .disabled(disabled),
        .restarts(restarts),
        .given_up(given_up)
    );

    // Clocks without a step and without a wish of software in which the link may not be up.
    reg [1:0] low = 0;
    always @(posedge clock)
        if (link_enable || disabled || asks_down) low <= 0;
        else if (!hold) low <= low + 1;

    always @* begin
        // It may be up again soon, unless the port is disabled.
        assert (low != 3);
        // It is not up where it may not be.
        assert (!up || link_enable);
        assert (!disabled || !link_enable);
        assert (restarts == (!link_enable && !disabled));
    end
endmodule
