//! The agents of subnet management and performance management, on ports that are memory. The cases of
//! `conformance.csv` are in `testbench/tests/conformance/mad/`, before an adapter; here are more values, nodes with two
//! ports, and moments. The bytes follow from `protocol/mad.md`, `portinfo.csv` and `port_counters.csv`.
mod any_bytes;
mod bench;
mod directed_route;
mod m_key;
mod performance;
mod port_info;
mod tables;
mod traps;
mod whole_node;
