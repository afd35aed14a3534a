// SPDX-License-Identifier: Apache-2.0
#include "run/export/c_file.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/file/atomic.hpp"
#include "run/export/c_functions.hpp"
#include "run/export/c_operations.hpp"
#include "run/export/c_texts.hpp"

namespace tenon {
namespace {

using compiled::Buffer;
using compiled::Home;
using compiled::Kind;

class File {
public:
    File(const ActingPolicy& policy, std::string name)
        : policy_(policy), program_(policy.program()), tape_(policy.lowered->tape), name_(std::move(name)) {}

    Result<std::string> make() {
        const BufferName named = [this](std::uint32_t buffer) { return name_of(buffer); };
        Result<std::string> body = c_statements(tape_, named);
        if (!body) {
            return body;
        }
        const std::string stored = outputs(named);
        std::string data;
        for (const std::uint32_t buffer : used_) {
            data += declared(buffer);
        }
        const std::string code = data + *body + stored;
        const std::string act = "void " + name_ + "_act(" + name_ + "_state *state" + parameters() + ")";
        const std::string reset = "void " + name_ + "_reset(" + name_ + "_state *state)";
        return comment() +
               "#include <stdint.h>\n\n/* The memory of one episode at a time, and of the computation. */\n" +
               "typedef struct " + name_ + "_state {\n" + members_ + "    uint8_t first;\n} " + name_ +
               "_state;\n\n/* At the start of every episode. */\n" + reset +
               ";\n\n/* The action for the observation; the state goes on by one step. */\n" + act + ";\n\n#ifndef " +
               name_ + "_DECLARATIONS_ONLY\n#include <math.h>\n#include <string.h>\n\n" +
               c_functions(tape_.real(), code) + data + "\n" + reset +
               " {\n    memset(state, 0, sizeof *state);\n    state->first = 1;\n}\n\n" + act + " {\n" +
               variables(code) + *body + stored + "state->first = 0;\n}\n#endif\n";
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

    [[nodiscard]] bool remembers(const std::string& key) const {
        return std::ranges::find(program_.remembered, key) != program_.remembered.end();
    }
    [[nodiscard]] bool is_action(const std::string& key) const {
        const Spec* spec = policy_.wiring().env_specs.find(key);
        return spec != nullptr && spec->role == Role::kAction;
    }

    std::string name_of(std::uint32_t number) {
        const Buffer& buffer = tape_.listing().buffers[number];
        if (buffer.home == Home::kPort) {
            const Port& port = program_.inputs[buffer.index];
            return remembers(port.key)     ? "state->" + c_name(port.key)
                   : port.key == "is_init" ? "(&state->first)"
                                           : c_name(port.key);
        }
        used_.insert(number);
        const bool fixed =
            buffer.home == Home::kConstant || buffer.home == Home::kParameter || buffer.home == Home::kLive;
        return (fixed ? name_ + "_" : "state->b") + std::to_string(number);
    }

    [[nodiscard]] double live(std::size_t index) const {
        const RunNumbers numbers = numbers_at(policy_.wiring(), policy_.standing);
        return index == compiled::kFrames     ? numbers.frames
               : index == compiled::kUpdates  ? numbers.updates
               : index == compiled::kProgress ? numbers.progress
                                              : numbers.live[index];
    }

    // An array with the buffer's numbers; one of the state's members if it has none.
    std::string declared(std::uint32_t number) {
        const Buffer& buffer = tape_.listing().buffers[number];
        const std::string type(c_type(buffer.kind, tape_.real()));
        const std::size_t bytes = compiled::bytes_of(buffer.kind, tape_.real());
        const std::byte* from = nullptr;
        float single = 0;
        double number_now = 0;
        if (buffer.home == Home::kConstant) {
            from = buffer.values.data();
        } else if (buffer.home == Home::kParameter) {
            from = slab_of(policy_.learner.networks[buffer.index], buffer.slab).as<std::byte>() + buffer.offset * bytes;
        } else if (buffer.home == Home::kLive) {
            number_now = live(buffer.index);
            single = static_cast<float>(number_now);
            from = bytes == sizeof single ? reinterpret_cast<const std::byte*>(&single)
                                          : reinterpret_cast<const std::byte*>(&number_now);
        } else {
            members_ += "    " + type + " b" + std::to_string(number) + "[" + std::to_string(buffer.size) + "];\n";
            return "";
        }
        std::string out = "static const " + type + " " + name_ + "_" + std::to_string(number) + "[" +
                          std::to_string(buffer.size) + "] = {";
        for (std::int64_t i = 0; i < buffer.size; ++i) {
            out += (i == 0 ? "" : ",") + std::string(i % 8 == 0 ? "\n    " : " ") +
                   c_number(from + static_cast<std::size_t>(i) * bytes, buffer.kind, tape_.real());
        }
        return out + "};\n";
    }

    [[nodiscard]] std::string parameters() const {
        std::string out;
        for (const Port& port : program_.inputs) {
            if (!remembers(port.key) && port.key != "is_init") {
                out += ", const " + std::string(c_type(port.dtype)) + " *" + c_name(port.key);
            }
        }
        for (const Port& port : program_.outputs) {
            if (is_action(port.key)) {
                out += ", " + std::string(c_type(port.dtype)) + " *" + c_name(port.key);
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
            const bool memory = remembers(port.key);
            if (!memory && !is_action(port.key)) {
                continue;
            }
            const compiled::View& view = policy_.lowered->effects[i].view;
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
    const compiled::Tape& tape_;
    std::string name_;
    std::set<std::uint32_t> used_;
    std::string members_;
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
    Result<std::string> text = c_file(*policy, c_name(out.stem().string()));
    const Status done = text ? write_file(out, *text) : Status(text.error());
    if (!done) {
        problems.push_back(done.error());
    }
    return static_cast<bool>(done);
}

}  // namespace tenon
