//! Real traffic of the Linux kernel's soft-RoCE (`testbench/captures/`): the model and the hardware must take all of
//! it, and nothing of it with a bit flipped that anything protects.
mod flips;
mod hardware;
mod model;
mod traffic;
