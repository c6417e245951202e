//! What the device must refuse, ignore or survive, each case with literal expectations: on the golden model and on the
//! Verilated hardware. A case of packets and answers is written here, and nowhere else; `tests/model_bugs` shows by
//! bugs in the model that these cases can fail.
//!
//! Cases are named after their rows of `conformance.csv`. A whole device, the hardware beside its model, shows what its
//! engines send and take; the rest is shown on the wire alone, by the model's codec and by parser and builder at every
//! width. Which rows have no case, and why, stands in `hca_testbench::conformance::reason`. The hardware is of the
//! profile that the environment names (`HCA_PROFILE`), `small` if it names none.
//!
//! | rows | device | wire alone |
//! |---|---|---|
//! | CF001, CF005, CF018 to CF020 | | `formats`, `opcodes` |
//! | CF002 to CF004, CF017 | | `opcodes` |
//! | CF006 to CF011, CF015, CF016, CF021, CF022 | `packet` | `formats` (CF010, CF011, CF016) |
//! | CF012 | `global` | `formats` |
//! | CF013, CF014 | `packet`, `global` | |
//! | CF023 to CF033, CF036, CF037 | `global` (CF032) | `crc` |
//! | CF034, CF035 | `validation`, `global`, `roce` (CF034) | |
//! | CF038 | | `flips` |
//! | CF039 to CF047, CF049 to CF056 | `validation`, `global` (CF049, CF053, CF054), `roce` (CF040, CF049), `roce_v6`
//! (CF049), `partition` (CF050 to CF052) | `opcodes` (CF056), `runts` (CF055, CF056) |
//! | CF057 to CF067, CF286 | `rc::psn`, `responder` | |
//! | CF068 to CF077 | `rc::opseq`, `responder` | |
//! | CF078 to CF083, CF090 to CF092 | `rc::check`, `responder` | |
//! | CF084 | `responder` | |
//! | CF085 to CF089, CF093 | `rc::key` | |
//! | CF094 to CF105 | `rc::exec`, `qp::states` (the event of CF105) | |
//! | CF106 to CF116 | `rc::rnr` | |
//! | CF117 to CF126 | `rc::dup`, `responder` | |
//! | CF127 to CF143 | `rc::ack`, `global` (CF132) | |
//! | CF144 to CF153 | `rc::credit_resp` | |
//! | CF154 to CF166 | `rc::req` | |
//! | CF168 to CF177, CF183, CF191 to CF193 | `rc::resp`, `requester` | |
//! | CF178 to CF182, CF184, CF185 | `rc::fault`, `rc::bad_response` (CF185), `requester` | |
//! | CF186 to CF190 | `rc::timeout` | |
//! | CF194 to CF207, CF285, CF540 | `rc::credit_req` | |
//! | CF233 to CF244 | `qp`, `exhaustion` (CF235, CF242) | |
//! | CF245 to CF263 | `cq` | |
//! | CF238, as far as credits go | `rc::credit_resp`, `rc::credit_req` | |
//! | none: error responses of host memory (AD) | `memory_faults` | |
//! | CF232, CF264, CF284 | `validation` | |
//! | CF267, CF271 | `routes`, `port::gids` (CF267) | |
//! | CF209 to CF217, CF287 to CF309 | `uc` | |
//! | CF218 to CF229, CF310 to CF361, of QP0 and QP1 CF266, CF416 to CF428 and CF458 | `ud` | |
//! | CF265, CF268 to CF271, CF277 to CF282 | `port` | |
//! | CF048, CF339, CF427, CF462, CF463: on a device with two ports | `two_ports` | |
//! | CF429 to CF451, CF453, CF455 to CF457, CF459, CF461, CF464 to CF466 | `port` | |
//! | CF549 | `port::answers` | |
//! | CF466 to CF485, CF542 to CF548 | `mad`, `two_ports` (CF482) | |
//! | none: packets of Linux's soft-RoCE, of UC and UD | `linux`, `ud::qp1` | |
//! | CF272 | `rc::scenario` | |
//! | CF273, CF274 | `rc::credit_resp`, `rc::credit_req` | |
//! | CF275, CF276 | `rc::o2iblnd` | |
mod bench;
mod by_bits;
mod cq;
mod crc;
mod exhaustion;
mod flips;
mod formats;
mod global;
mod linux;
mod mad;
mod memory_faults;
mod opcodes;
mod packet;
mod partition;
mod port;
mod profiles;
mod qp;
mod query_hca;
mod rc;
mod registers;
mod requester;
mod responder;
mod roce;
mod roce_v6;
mod routes;
mod rows;
mod runts;
mod two_ports;
mod uc;
mod ud;
mod validation;
mod vectors;
mod wire_bench;
