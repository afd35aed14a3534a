// SPDX-License-Identifier: Apache-2.0
#include "run/executor.hpp"

#include <utility>

#include "plugin/library.hpp"
#include "plugin/search_path.hpp"

namespace tenon {
namespace {

using MakeExecutor = Executor* (*)(std::int32_t real);

}  // namespace

Result<LoadedExecutor> load_executor(const std::string& wanted, DType real) {
    // There is one executor so far, so that `auto` has nothing to choose from.
    const std::string name = wanted == "auto" ? "reference" : wanted;
    Result<Library> module = Library::load(installed_folder() / "libtenon_torch.so");
    if (!module) {
        return environment_problem("the reference executor cannot be loaded: " + module.error().sentence, {},
                                   "libtenon_torch.so and the libtorch it was built with belong to the program; build it again");
    }
    Result<void*> make = module->symbol("tenon_torch_executor");
    if (!make) {
        return environment_problem(make.error().sentence);
    }
    std::unique_ptr<Executor> executor(reinterpret_cast<MakeExecutor>(*make)(static_cast<std::int32_t>(real)));
    if (executor == nullptr) {
        return environment_problem("the reference executor could not be started");
    }
    return LoadedExecutor{name, std::move(executor)};
}

}  // namespace tenon
