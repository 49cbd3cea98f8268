// SPDX-License-Identifier: BSD-3-Clause
// Names of what the program has given none: OTF2's readers, and rule D13 of the check, take no empty ones.
#pragma once

#include "tracer/definitions.hpp"

namespace tracer::translate {

/// Of whatever must have a name. Called before each part of the definitions is written.
void name_nameless(Definitions& definitions);

}  // namespace tracer::translate
