// SPDX-License-Identifier: Apache-2.0
#include "commands/export/c_file.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "base/file/atomic.hpp"
#include "commands/export/c_functions.hpp"
#include "commands/export/c_operations.hpp"
#include "commands/export/c_panels.hpp"
#include "commands/export/c_steps.hpp"
#include "commands/export/c_texts.hpp"

namespace tenon {
namespace {

using compiled::Buffer;
using compiled::Kind;
using compiled::Segment;

class File {
public:
    File(const ActingPolicy& policy, std::string name)
        : policy_(policy), program_(policy.program()), lowered_(policy.lowered), name_(std::move(name)) {}

    Result<std::string> make() {
        const BufferName named = [this](std::uint32_t buffer) { return name_of(buffer); };
        const PanelName panels = [this](const compiled::Op& product, std::int64_t whole) {
            return panels_for(product, whole);
        };
        std::string body = TENON_TRY(c_statements(lowered_, named, panels));
        const std::string stored = outputs(named);
        std::string data = panels_;
        std::string before;
        for (const InputChain& chain : policy_.chains) {
            const CSteps steps = c_steps(chain, name_);
            data += steps.data;
            members_ += steps.members;
            before += steps.code;
        }
        body.insert(0, before);
        for (const std::uint32_t buffer : used_) {
            data += declared(buffer);
        }
        const std::string code = data + body + stored;
        const std::string act = "void " + name_ + "_act(" + name_ + "_state *state" + parameters() + ")";
        const std::string reset = "void " + name_ + "_reset(" + name_ + "_state *state)";
        return comment() +
               "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
               "/* The memory of one episode at a time, and of the computation. */\n" +
               "typedef struct " + name_ + "_state {\n" + members_ + "    uint8_t first;\n} " + name_ +
               "_state;\n\n/* At the start of every episode. */\n" + reset +
               ";\n\n/* The action for the observation; the state goes on by one step.\n" + sizes() + " */\n" + act +
               ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#ifndef " + name_ +
               "_DECLARATIONS_ONLY\n#include <math.h>\n#include <string.h>\n\n" + c_functions(lowered_.real, code) +
               data + "\n" + reset + " {\n    memset(state, 0, sizeof *state);\n    state->first = 1;\n}\n\n" + act +
               " {\n" + variables(code) + body + stored + "state->first = 0;\n}\n#endif\n";
    }

private:
    [[nodiscard]] std::string comment() const {
        return "/* The policy of a run of Tenon, at frame " + std::to_string(policy_.standing.frames) +
               ". Written by tenon export.\n *\n * Compile with a C99 compiler, for speed with -O3 -mfma -mavx2 or\n"
               " * -march=native; link -lm. With FMA the results are those of the run's compiled\n"
               " * executor in one lane at TENON_LEVEL=avx2 or avx512, otherwise at base.\n"
               " * gcc and clang: add -ffp-contract=off, unless -std=c99 is given to gcc.\n"
               " * To use the functions in another file, define " +
               name_ + "_DECLARATIONS_ONLY before\n * including this one. */\n";
    }

    [[nodiscard]] bool is_action(const std::string& key) const {
        const Spec* spec = policy_.wiring().env_specs.find(key);
        return spec != nullptr && spec->role == Role::kAction;
    }

    std::string name_of(std::uint32_t number) {
        const Buffer& buffer = lowered_.listing.buffers[number];
        if (buffer.segment == Segment::kPort) {
            const Port& port = program_.inputs[buffer.index];
            if (const InputChain* chain = find_chain(policy_.chains, port.key)) {
                return c_steps(*chain, name_).result;
            }
            return policy_.remembers(port.key) ? "state->" + c_name(port.key)
                   : port.key == "is_init"     ? "(&state->first)"
                                               : c_name(port.key);
        }
        used_.insert(number);
        const bool fixed = buffer.segment == Segment::kConstant || buffer.segment == Segment::kParameter ||
                           buffer.segment == Segment::kLive;
        return (fixed ? name_ + "_" : "state->b") + std::to_string(number);
    }

    [[nodiscard]] double live(std::size_t index) const {
        const RunNumbers numbers = numbers_at(policy_.wiring(), policy_.standing, policy_.live);
        return index == compiled::kFrames     ? numbers.frames
               : index == compiled::kUpdates  ? numbers.updates
               : index == compiled::kProgress ? numbers.progress
                                              : numbers.live[index];
    }

    // The numbers of a constant buffer; null for other buffers.
    [[nodiscard]] const std::byte* memory_of(const Buffer& buffer) const {
        return buffer.segment == Segment::kConstant ? buffer.values.data()
               : buffer.segment == Segment::kParameter
                   ? slab_of(policy_.learner.networks[buffer.index], buffer.slab).as<std::byte>() +
                         buffer.offset * lowered_.element_bytes(buffer.kind)
                   : nullptr;
    }

    [[nodiscard]] std::string array(const std::string& name, const std::byte* from, std::int64_t size,
                                    Kind kind) const {
        const std::size_t bytes = lowered_.element_bytes(kind);
        std::string out = "static const " + std::string(c_type(kind, lowered_.real)) + " " + name + "[" +
                          std::to_string(size) + "] = {";
        for (std::int64_t i = 0; i < size; ++i) {
            out += (i == 0 ? "" : ",") + std::string(i % 8 == 0 ? "\n    " : " ") +
                   c_number(from + static_cast<std::size_t>(i) * bytes, kind, lowered_.real);
        }
        return out + "};\n";
    }

    // Declares a buffer: as an array with its numbers or, if it has none, as a member of the state.
    std::string declared(std::uint32_t number) {
        const Buffer& buffer = lowered_.listing.buffers[number];
        const std::byte* from = memory_of(buffer);
        const double wide = buffer.segment == Segment::kLive ? live(buffer.index) : 0;
        const auto narrow = static_cast<float>(wide);
        if (buffer.segment == Segment::kLive) {
            from = lowered_.real == DType::kF32 ? reinterpret_cast<const std::byte*>(&narrow)
                                                : reinterpret_cast<const std::byte*>(&wide);
        }
        if (from == nullptr) {
            members_ += "    " + std::string(c_type(buffer.kind, lowered_.real)) + " b" + std::to_string(number) + "[" +
                        std::to_string(buffer.size) + "];\n";
            return "";
        }
        return array(name_ + "_" + std::to_string(number), from, buffer.size, buffer.kind);
    }

    std::string panels_for(const compiled::Op& product, std::int64_t whole) {
        const auto memory = [&](const compiled::View* view) {
            return view == nullptr ? nullptr : memory_of(lowered_.listing.buffers[view->buffer]);
        };
        const compiled::View* bias = compiled::bias_of(product);
        const std::byte* side = memory(&product.in[1]);
        if (side == nullptr || (bias != nullptr && memory(bias) == nullptr)) {
            return "";
        }
        const std::size_t bytes = lowered_.element_bytes(Kind::kReal);
        const std::vector<std::byte> all =
            panels_of(product, side, memory(bias), bytes, whole, lowered_.real == DType::kF64 ? 8 : 16);
        const std::string name = name_ + "_side" + std::to_string(panel_count_++);
        panels_ += array(name, all.data(), static_cast<std::int64_t>(all.size() / bytes), Kind::kReal);
        return name;
    }

    [[nodiscard]] std::string parameters() const {
        std::string out;
        for (const Port& port : program_.inputs) {
            if (!policy_.remembers(port.key) && port.key != "is_init") {
                const InputChain* chain = find_chain(policy_.chains, port.key);
                const DType dtype = chain == nullptr ? port.dtype : chain->steps.front().from.dtype;
                out += ", const " + std::string(c_type(dtype)) + " *" + c_name(port.key);
            }
        }
        for (const Port& port : program_.outputs) {
            if (is_action(port.key)) {
                out += ", " + std::string(c_type(port.dtype)) + " *" + c_name(port.key);
            }
        }
        return out;
    }

    // " * observation: 4 numbers"
    [[nodiscard]] std::string sizes() const {
        std::string out;
        const auto add = [&](const std::string& key, const Shape& shape, const std::string& which) {
            const std::int64_t count = shape.elements();
            out += (out.empty() ? "" : "\n") + (" * " + c_name(key)) + ": " + counted(count, "number") + which;
        };
        for (const Port& port : program_.inputs) {
            if (!policy_.remembers(port.key) && port.key != "is_init") {
                const InputChain* chain = find_chain(policy_.chains, port.key);
                add(port.key, chain == nullptr ? port.row : chain->steps.front().from.shape, "");
            }
        }
        for (const Port& port : program_.outputs) {
            if (is_action(port.key)) {
                const std::vector<std::int64_t>& categories = policy_.wiring().env_specs.find(port.key)->categories;
                add(port.key, port.row,
                    categories.size() == 1 ? " from 0 to " + std::to_string(categories.front() - 1) : "");
            }
        }
        return out;
    }

    std::string outputs(const BufferName& named) {
        std::string out;
        for (std::size_t i = 0; i < policy_.plan.effects.size(); ++i) {
            const Effect& effect = policy_.plan.effects[i];
            if (effect.kind != Effect::Kind::kWrite) {
                continue;
            }
            const Port& port = program_.outputs[effect.index];
            const bool memory = policy_.remembers(port.key);
            if (!memory && !is_action(port.key)) {
                continue;
            }
            const compiled::View& view = lowered_.effects[i];
            const std::string type(c_type(port.dtype));
            if (memory) {
                members_ += "    " + type + " " + c_name(port.key) + "[" + std::to_string(view.count()) + "];\n";
            }
            out += "for (i = 0; i < " + std::to_string(view.count()) + "; ++i) " + (memory ? "state->" : "") +
                   c_name(port.key) + "[i] = (" + type + ")" + c_element(view, "i", named) + ";\n";
        }
        return out;
    }

    static std::string variables(const std::string& code) {
        std::string out;
        for (const std::string variable : {"i", "j", "z"}) {
            const bool used = code.find("(" + variable + " = ") != std::string::npos;
            out += used ? (out.empty() ? "    long " : ", ") + variable : "";
        }
        return out.empty() ? "" : out + ";\n";
    }

    const ActingPolicy& policy_;
    const BuiltProgram& program_;
    const compiled::ExportedProgram& lowered_;
    std::string name_;
    std::set<std::uint32_t> used_;
    std::string members_;
    std::string panels_;
    int panel_count_ = 0;
};

}  // namespace

Result<std::string> c_file(const ActingPolicy& policy, const std::string& name) {
    return File(policy, name).make();
}

bool export_c(const RunRequest& request, const std::filesystem::path& out, const Notice& notice, Problems& problems) {
    const std::unique_ptr<ActingPolicy> policy = open_policy(request, notice, problems);
    if (policy == nullptr) {
        return false;
    }
    Status done = lower(*policy);
    if (done) {
        const Result<std::string> text = c_file(*policy, c_name(out.stem().string()));
        done = text ? write_file(out, *text) : Status(text.error());
    }
    is_done(done, problems);
    return problems.empty();
}

}  // namespace tenon
