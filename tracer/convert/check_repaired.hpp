// SPDX-License-Identifier: BSD-3-Clause
// Is an archive valid that was made of threads which contradict each other? The rules of `tracer check` find what
// cannot be true together, whatever it is: there is no list of all that records may contain.
#pragma once

#include <filesystem>

#include "tracer/translate/exclusions.hpp"

namespace tracer {

/// Of one conversion, which makes archive after archive.
class Judge {
 public:
  /// Whether the archive violates a rule, and leaving out (or counting) what was put into `excluded` may mend it. First
  /// what the violations name, then all of the kind.
  bool finds_more(const std::filesystem::path& anchor, translate::Exclusions& excluded);

 private:
  unsigned round_ = 0;
};

}  // namespace tracer
