// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/guard.hpp"

#include "compute/exec/fused_call.hpp"
#include "compute/graph/text.hpp"

#include <ATen/Parallel.h>

#include <new>
#include <string_view>

namespace tenon::reference {
namespace {

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

Problem out_of_memory(const std::string& program, const std::string& what) {
    return environment_problem("there is not enough memory for the program '" + program + "'" + what, {},
                               "use fewer rows (train.minibatch, env.lanes)");
}

}  // namespace

Problem problem_of(std::exception_ptr thrown, const std::string& program, const graph::Graph& graph,
                   graph::NodeId node) {
    std::string what;
    try {
        std::rethrow_exception(thrown);
    } catch (const FusedFailure& failure) {
        return failure.problem;
    } catch (const std::bad_alloc&) {
        return out_of_memory(program, "");
    } catch (const c10::Error& error) {
        what = first_line(error.what_without_backtrace());
    } catch (const std::exception& error) {
        what = first_line(error.what());
    }
    if (what.starts_with("CUDA error")) {
        return environment_problem("libtorch, in the program '" + program + "': " + what);
    }
    if (what.find("CUDA out of memory") != std::string::npos || what.find("allocate memory") != std::string::npos ||
        what.find("not enough memory") != std::string::npos) {
        return out_of_memory(program, ": " + what);
    }
    if (node == 0) {
        return plugin_problem("the program '" + program + "' cannot be run: " + what);
    }
    return graph::problem_at(
        graph, node, graph::describe(graph, node) + " cannot be computed in the program '" + program + "': " + what);
}

void use_one_thread() {
    thread_local bool done = false;
    if (!done) {
        at::set_num_threads(1);
        done = true;
    }
}

}  // namespace tenon::reference
