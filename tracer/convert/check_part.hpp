// SPDX-License-Identifier: BSD-3-Clause
// A part of an archive for the rules of a valid one, and a begin for it that the archive's index has.
#pragma once

#include <memory>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/check/check.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/index/contents.hpp"

namespace tracer {

/// `contents`: of its index; null: there is none. Throws tracer::Error where the archive has no such part.
check::CheckPart part_to_check(const otf2::PositionedSource& source, const report::Part& part,
                               const std::shared_ptr<const index::Contents>& contents);

}  // namespace tracer
