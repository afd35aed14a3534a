// SPDX-License-Identifier: Apache-2.0
// Loading a plugin file where it can do no harm.
#pragma once

#include <filesystem>
#include <string>

namespace tenon {

struct Attempt {
    enum class Outcome {
        kSound,
        kRefused,  // in an orderly way: an undefined symbol, an init that fails
        kEnded,    // the file has ended the process
        kStopped,  // somebody else has
        kUntried,  // there was no process for it
    };
    Outcome outcome = Outcome::kUntried;
    std::string text;  // "was ended by SIGSEGV in init", of the process; of a refusal its sentence; of kUntried why
};

// Maps the file, checks and starts it, asks for its components and lets go of it, in a process of its own, which is
// ended after so many seconds.
Attempt try_loading(const std::filesystem::path& file, double seconds);

}  // namespace tenon
