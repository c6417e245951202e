//! The C++ between a Verilated model and Rust.
use super::header::Member;
use std::fmt::Write;

/// Name of the class that Verilator generates for the model.
pub(super) const CLASS: &str = "Vdut";

/// Returns the shim of a design with these ports. The design is evaluated in parts at the edges of `clock`, if that is
/// given.
pub(super) fn text(ports: &[Member], clock: Option<&str>) -> String {
    let mut cases = String::new();
    for (index, port) in ports.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(cases, "    case {index}: return &m->top->{};", port.member);
    }
    SHIM.replace("@CLASS@", CLASS)
        .replace("@PORTS@", cases.trim_end())
        .replace("@DIVIDED@", if clock.is_some() { "1" } else { "0" })
        .replace("@CLOCK@", clock.unwrap_or_default())
}

const SHIM: &str = r#"#include "@CLASS@.h"
#include "verilated.h"
#define DIVIDED @DIVIDED@
#if DIVIDED
#include "evaluation.h"
#include <memory>
#endif
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#define API extern "C" __attribute__((visibility("default")))

// Errors of the design become exceptions: the process must outlive them.
void vl_fatal(const char* file, int line, const char*, const char* message) {
    throw std::runtime_error(std::string(file ? file : "") + ":" + std::to_string(line) + ": " + message);
}
void vl_stop(const char* file, int line, const char* hier) { vl_fatal(file, line, hier, "$stop"); }
void vl_finish(const char* file, int line, const char* hier) { vl_fatal(file, line, hier, "$finish"); }

namespace {
struct Model {
    VerilatedContext context;
    @CLASS@* top = nullptr;
    std::string error;
#if DIVIDED
    // None before Verilator's own first evaluation.
    std::unique_ptr<Evaluation> parts;
    bool was_high = false;
#endif
#if VM_TRACE
    VerilatedFstC* waves = nullptr;
#endif
};

template <class F> const char* guarded(Model* m, F&& f) {
    try {
        f();
        return nullptr;
    } catch (const std::exception& e) {
        m->error = e.what();
        return m->error.c_str();
    }
}
}  // namespace

API Model* hca_new(uint32_t seed) {
    Model* m = new Model;
    Verilated::threadContextp(&m->context);
    m->context.threads(1);
    m->context.randReset(2);
    m->context.randSeed(static_cast<int>(seed));
#if VM_TRACE
    m->context.traceEverOn(true);
#endif
    m->top = new @CLASS@{&m->context, "top"};
    return m;
}

API void hca_free(Model* m) {
    Verilated::threadContextp(&m->context);
#if VM_TRACE
    if (m->waves) m->waves->close();
    delete m->waves;
#endif
    delete m->top;
    delete m;
}

API void* hca_port(Model* m, uint32_t index) {
    switch (index) {
@PORTS@
    default: return nullptr;
    }
}

// `changed`: other inputs than the clock may have changed.
API const char* hca_eval(Model* m, int changed) {
    return guarded(m, [m, changed] {
#if DIVIDED
        auto* root = m->top->rootp;
        const bool high = m->top->@CLOCK@;
        if (m->parts) {
            if (changed) m->parts->settle(root);
            if (high && !m->was_high) m->parts->clock(root);
        } else {
            m->top->eval();
            m->parts.reset(hca_evaluation());
            m->parts->mark(root);
        }
        m->was_high = high;
#else
        (void)changed;
        m->top->eval();
#endif
    });
}

API uint64_t hca_blocks_run(Model* m) {
#if DIVIDED
    if (m->parts) return m->parts->blocks_run();
#endif
    (void)m;
    return 0;
}

API int hca_trace_open(Model* m, const char* path) {
#if VM_TRACE
    Verilated::threadContextp(&m->context);
    m->waves = new VerilatedFstC;
    m->top->trace(m->waves, 99);
    m->waves->open(path);
    return m->waves->isOpen();
#else
    (void)m;
    (void)path;
    return -1;
#endif
}

API void hca_trace_dump(Model* m, uint64_t time) {
#if VM_TRACE
    if (m->waves) m->waves->dump(time);
#else
    (void)m;
    (void)time;
#endif
}

API void hca_trace_close(Model* m) {
#if VM_TRACE
    if (m->waves) m->waves->close();
#else
    (void)m;
#endif
}
"#;
