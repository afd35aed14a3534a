// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file/atomic.hpp"
#include "commands/check/workbench.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/dataset.h"

namespace tenon {
namespace of_datasets {
namespace {

// Paths that are no dataset: missing, an empty folder, an empty file, a file of noise. Removed with the object.
class NoDatasets {
public:
    static Result<NoDatasets> make() {
        NoDatasets out;
        std::string name = (std::filesystem::temp_directory_path() / "tenon-check-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            return environment_problem("cannot create a folder in " + std::filesystem::temp_directory_path().string());
        }
        out.folder_ = name;
        std::error_code code;
        std::filesystem::create_directory(out.folder_ / "folder", code);
        std::string noise;
        for (unsigned i = 0; i < 4096; ++i) {
            noise += static_cast<char>((i * 2654435761U) >> 24U);
        }
        Status done = write_quickly(out.folder_ / "empty", "");
        done = done ? write_quickly(out.folder_ / "noise", noise) : std::move(done);
        return done ? Result<NoDatasets>(std::move(out)) : Result<NoDatasets>(std::move(done).error());
    }

    NoDatasets(NoDatasets&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    NoDatasets& operator=(NoDatasets&&) = delete;
    ~NoDatasets() {
        std::error_code code;
        if (!folder_.empty()) {
            std::filesystem::remove_all(folder_, code);
        }
    }

    [[nodiscard]] std::vector<std::string> paths() const {
        return {(folder_ / "missing").string(), (folder_ / "folder").string(), (folder_ / "empty").string(),
                (folder_ / "noise").string()};
    }

private:
    NoDatasets() = default;
    std::filesystem::path folder_;
};

// Calls look(callee, path) with an instance for each path; the first odd answer fails.
template <class Look>
Verdict each_path(const CheckSubject& subject, const Look& look) {
    const auto bench = Workbench::open(subject);
    const Result<NoDatasets> none = NoDatasets::make();
    if (!bench || !none) {
        return failed(bench ? none.error() : bench.error());
    }
    for (const std::string& path : none->paths()) {
        const Instance instance = TENON_TRY((*bench)->make(0));
        const auto callee = Callee<tn_dataset_api>::of(instance, "tenon.dataset/1");
        if (const std::string odd = look(callee, path); !odd.empty()) {
            return failed(std::filesystem::path(path).filename().string() + ": " + odd);
        }
    }
    return passed();
}

Verdict check_claims(const CheckSubject& subject) {
    return each_path(subject, [](const Callee<tn_dataset_api>& callee, const std::string& path) -> std::string {
        std::uint8_t yes = 2;
        const tn_str text{path.data(), path.size()};
        const Status asked = callee.call("claims", callee.api->claims, text, &yes);
        return !asked     ? asked.error().sentence
               : yes == 1 ? "it claims what is no dataset"
               : yes == 0 ? ""
                          : "'yes' is not written";
    });
}

Verdict check_open(const CheckSubject& subject) {
    return each_path(subject, [](const Callee<tn_dataset_api>& callee, const std::string& path) -> std::string {
        tn_dataset_info info{};
        info.struct_size = sizeof info;
        const tn_str text{path.data(), path.size()};
        const Status opened = callee.call("open", callee.api->open, text, &info);
        if (opened) {
            return "it is opened, though it is no dataset";
        }
        return opened.error().sentence.find("without saying why") == std::string::npos
                   ? ""
                   : "open refuses it without a sentence";
    });
}

constexpr std::array<Check, 2> kChecks = {{
    {"claims nothing that is of another format", "tenon/abi/dataset.h: claims", check_claims},
    {"refuses what is no dataset, with a sentence", "tenon/abi/dataset.h: open", check_open},
}};

}  // namespace
}  // namespace of_datasets

std::span<const Check> dataset_checks() {
    return of_datasets::kChecks;
}

}  // namespace tenon
