//! Rows of area `qp` of `conformance.csv`: states, transitions, attributes, work that a state takes.
mod states;
mod transitions;
mod work;
