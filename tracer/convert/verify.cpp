// SPDX-License-Identifier: BSD-3-Clause
// See verify.hpp.
#include "tracer/convert/verify.hpp"

#include <algorithm>

#include "formats/otf2/read/read_back.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer {

void verify_archive(const std::filesystem::path& directory, Events events, unsigned threads) {
  constexpr unsigned most_threads = 8;
  const otf2::ReadBack archive{directory};
  if (threads == 0) threads = std::min(usable_processors(), most_threads);
  translate::parallel_for(archive.locations(), threads, [&](std::size_t location) {
    events == Events::all ? archive.events_of(location) : archive.begin_of(location);
  });
}

}  // namespace tracer
