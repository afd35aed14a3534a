// SPDX-License-Identifier: Apache-2.0
// Lines for the person at the terminal, on stderr. Results go to stdout and problems through render(); not for hot
// loops.
#pragma once

#include <string_view>

namespace tenon {

enum class Level { kDebug, kInfo, kWarning, kError, kOff };

// Lines below this level are dropped; kInfo before the first call.
void set_log_level(Level level);

// Whether lines of this level are kept, for a text that takes time to make.
bool is_logged(Level level);

// One line, coloured on a terminal unless the environment has NO_COLOR. May be called from any thread.
void log(Level level, std::string_view text);

// The same, unless this process has already logged that line so.
void log_once(Level level, std::string_view text);

}  // namespace tenon
