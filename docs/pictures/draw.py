#!/usr/bin/env python3
"""Draws the pictures of the documentation, each for a light and a dark page: `docs/pictures/draw.py` writes them anew."""
from pathlib import Path

FOLDER = Path(__file__).parent
THEMES = {
    "light": {"text": "#1f2328", "line": "#59636e", "hardware": "#ddf4ff", "model": "#fff8c5", "check": "#dafbe1",
              "host": "#f6f8fa"},
    "dark": {"text": "#f0f6fc", "line": "#9198a1", "hardware": "#0c2d6b", "model": "#4d3a00", "check": "#033a16",
             "host": "#1c2128"},
}


class Picture:
    """Boxes and arrows at places in pixels; GitHub shows a picture of 830 pixels' width as it is."""

    def __init__(self, width, height, title):
        self.size, self.title, self.items = (width, height), title, []

    def box(self, x, y, width, height, kind, *lines):
        """A box with a title and lines below it."""
        self.items.append(lambda t: f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" '
                                    f'fill="{t[kind]}" stroke="{t["line"]}"/>')
        top = y + height / 2 - 10 * (len(lines) - 1) + 5
        for n, line in enumerate(lines):
            self.text(x + width / 2, top + 20 * n, line, "middle", n == 0)

    def text(self, x, y, line, anchor="start", bold=False):
        weight = ' font-weight="600"' if bold else ""
        line = line.replace("&", "&amp;").replace("<", "&lt;")
        self.items.append(lambda t: f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{t["text"]}"{weight}>'
                                    f'{line}</text>')

    def arrow(self, *points, both=False):
        """A line through these points, with a head at its end, or at both ends."""
        path = " ".join(f"{x},{y}" for x, y in points)
        start = ' marker-start="url(#head)"' if both else ""
        self.items.append(lambda t: f'<polyline points="{path}" fill="none" stroke="{t["line"]}" stroke-width="1.5" '
                                    f'marker-end="url(#head)"{start}/>')

    def write(self, name):
        width, height = self.size
        for theme, colours in THEMES.items():
            head = (f'<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
                    f'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{colours["line"]}"/></marker>')
            body = "\n".join(item(colours) for item in self.items)
            (FOLDER / f"{name}-{theme}.svg").write_text(
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                f'height="{height}" font-family="system-ui, sans-serif" font-size="15">\n'
                f"<title>{self.title}</title>\n<defs>{head}</defs>\n{body}\n</svg>\n")


def parties():
    p = Picture(830, 330, "Hardware and model get the same verbs and packets; every decision and every byte is compared")
    p.box(20, 125, 150, 80, "host", "test", "scenario, random", "case, or yours")
    p.box(270, 25, 250, 90, "hardware", "Verilated HCA", "rust-hdl, as Verilog;", "decides by itself")
    p.box(270, 215, 250, 90, "model", "golden model", "plain Rust, written from", "protocol/ alone")
    p.box(615, 125, 200, 80, "check", "comparison", "packets, completions,", "events, host memory")
    p.arrow((170, 150), (220, 150), (220, 70), (268, 70))
    p.arrow((170, 180), (220, 180), (220, 260), (268, 260))
    p.text(28, 62, "verbs, and packets")
    p.text(28, 82, "of the link, to both")
    p.arrow((520, 70), (720, 70), (720, 123))
    p.text(535, 60, "packets, CQEs, bytes")
    p.arrow((520, 260), (720, 260), (720, 207))
    p.text(535, 283, "exact bytes that")
    p.text(535, 303, "had to come out")
    p.arrow((395, 115), (395, 213))
    p.text(405, 150, "retire port: each")
    p.text(405, 170, "decision, in order;")
    p.text(405, 190, "was it permitted?")
    p.write("parties")


def datapath():
    p = Picture(830, 470, "The datapath: packets in at the left, packets out at the right, host memory below")
    p.box(20, 40, 170, 70, "hardware", "link receive", "CRCs, lengths;", "drops whole packets")
    p.box(20, 165, 170, 60, "hardware", "dispatch by QP", "header, payload")
    p.box(275, 130, 150, 60, "hardware", "responder", "rows, resources")
    p.box(265, 235, 170, 60, "hardware", "response engine", "reads, atomics, acks")
    p.box(455, 130, 170, 60, "hardware", "requester", "rows, timers")
    p.box(640, 235, 170, 60, "hardware", "transmit path", "gather, routing")
    p.box(640, 40, 170, 70, "hardware", "packet builder", "headers, CRCs")
    p.box(245, 345, 380, 45, "model", "WQE caches, walk server, completions")
    p.box(20, 410, 605, 45, "host", "host memory behind AXI4: WQEs, data, CQEs, events")
    p.box(640, 345, 170, 110, "host", "host control", "AXI4-Lite: registers,", "commands, doorbells,", "irq")
    p.arrow((112, 5), (112, 38))
    p.text(122, 22, "s_axis: packets in")
    p.arrow((112, 110), (112, 163))
    p.arrow((190, 180), (273, 180))
    p.text(198, 172, "requests")
    p.arrow((190, 210), (232, 210), (232, 105), (540, 105), (540, 128))
    p.text(300, 98, "responses")
    p.arrow((350, 190), (350, 233))
    p.text(358, 217, "jobs")
    p.arrow((435, 265), (638, 265))
    p.arrow((625, 160), (725, 160), (725, 233))
    p.arrow((760, 233), (760, 112))
    p.arrow((725, 38), (725, 5))
    p.text(715, 22, "m_axis: packets out", "end")
    p.arrow((350, 295), (350, 343), both=True)
    p.arrow((540, 190), (540, 343), both=True)
    p.arrow((112, 225), (112, 408))
    p.text(122, 320, "payload")
    p.arrow((435, 390), (435, 408), both=True)
    p.write("datapath")


def lockstep():
    p = Picture(830, 300, "One event of the hardware, judged by the model")
    p.box(20, 90, 190, 80, "hardware", "engine", "context and event", "give a decision")
    p.box(320, 90, 190, 80, "model", "model's apply()", "permitted here?", "and what follows?")
    p.box(620, 60, 190, 60, "check", "scoreboard", "expects these bytes")
    p.box(620, 170, 190, 80, "host", "violation", "rule, expected, actual,", "a command to replay it")
    p.arrow((210, 130), (318, 130))
    p.text(214, 120, "retire record")
    p.arrow((510, 105), (618, 105))
    p.text(540, 97, "yes")
    p.arrow((510, 145), (560, 145), (560, 210), (618, 210))
    p.text(525, 165, "no")
    p.arrow((115, 90), (115, 28), (715, 28), (715, 58))
    p.text(125, 20, "the packet, CQE or bytes themselves, some clocks later")
    p.text(20, 215, "Where the rules leave a choice (coalescing of acks, order of")
    p.text(20, 237, "queue pairs), the record says what the hardware chose, and the")
    p.text(20, 259, "model says whether it may. Only timers are judged by time.")
    p.write("lockstep")


if __name__ == "__main__":
    parties()
    datapath()
    lockstep()
