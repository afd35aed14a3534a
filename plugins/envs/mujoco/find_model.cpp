// SPDX-License-Identifier: Apache-2.0
#include "find_model.hpp"

#include <dlfcn.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "tenon/guard.hpp"

namespace physics {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): while the env is made
    return value == nullptr ? "" : value;
}

bool is_found(const fs::path& path) {
    std::error_code code;
    return fs::exists(path, code);
}

// PREFIX/lib/python3.N/site-packages, and Debian's dist-packages.
void add_prefix(const fs::path& prefix, std::vector<fs::path>& out) {
    std::vector<fs::path> found;
    std::error_code code;
    for (const fs::directory_entry& entry : fs::directory_iterator(prefix / "lib", code)) {
        if (entry.path().filename().string().starts_with("python3")) {
            found.push_back(entry.path() / "site-packages");
            found.push_back(entry.path() / "dist-packages");
        }
    }
    std::ranges::sort(found, std::ranges::greater());  // the order of a folder's entries is arbitrary
    for (fs::path& one : found) {
        if (is_found(one) && std::ranges::find(out, one) == out.end()) {
            out.push_back(std::move(one));
        }
    }
}

// The python3 on the PATH, as it is called and where its links lead.
void add_python(std::vector<fs::path>& out) {
    const std::string path = variable("PATH");
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const fs::path python = fs::path(path.substr(at, end - at)) / "python3";
        at = end + 1;
        if (is_found(python)) {
            add_prefix(python.parent_path().parent_path(), out);
            std::error_code code;
            const fs::path real = fs::canonical(python, code);
            if (!code) {
                add_prefix(real.parent_path().parent_path(), out);
                add_prefix(real.parent_path().parent_path() / "local", out);
            }
            return;
        }
    }
}

}  // namespace

std::vector<fs::path> package_folders() {
    std::vector<fs::path> folders;
    if (const std::string active = variable("VIRTUAL_ENV"); !active.empty()) {
        add_prefix(active, folders);
    }
    add_python(folders);
    if (const std::string home = variable("HOME"); !home.empty()) {
        add_prefix(fs::path(home) / ".local", folders);
    }
    if (const std::string ours = variable("TENON_PYTHON"); !ours.empty()) {
        add_prefix(ours, folders);
    }
    // Models that were set up together with MuJoCo.
    if (Dl_info library; ::dladdr(reinterpret_cast<const void*>(&mj_version), &library) != 0) {
        fs::path packages = (fs::path(library.dli_fname).parent_path() / "packages").lexically_normal();
        if (is_found(packages)) {
            folders.push_back(std::move(packages));
        }
    }
    return folders;
}

fs::path find_in_package(const std::string& package, const std::string& file, std::string_view requirement) {
    const std::vector<fs::path> folders = package_folders();
    std::string searched;
    for (const fs::path& folder : folders) {
        const fs::path path = folder / package / file;
        if (is_found(path)) {
            return path;
        }
        searched += (searched.empty() ? "" : ", ") + folder.string();
    }
    throw tenon::InvalidArgument(
        "the model " + fs::path(file).filename().string() + " of the Python package " + package + " was not found in " +
        (searched.empty() ? "this machine's Python, which has no packages" : searched) +
        "; install it with: pip install '" + std::string(requirement) + "', or name a model with the option 'model'");
}

}  // namespace physics
