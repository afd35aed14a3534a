// SPDX-License-Identifier: Apache-2.0
// Gymnasium environments in Python processes, which share memory with this one (docs/worlds.md). Nothing of Python is
// loaded here: an environment that crashes, exits or hangs does so elsewhere.
#include "env.hpp"

TENON_PLUGIN("gym", "0.1.0", tenon::env<gym::Env>("env", "a Gymnasium environment in Python processes"));
