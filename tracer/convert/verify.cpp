// SPDX-License-Identifier: BSD-3-Clause
// See verify.hpp.
#include "tracer/convert/verify.hpp"

#include "formats/otf2/read/read_back.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer {

void verify_archive(const std::filesystem::path& directory, Events events, unsigned threads) {
  const otf2::ReadBack archive{directory};
  translate::parallel_for(archive.locations(), translate::threads_to_use(threads), [&](std::size_t location) {
    events == Events::all ? archive.events_of(location) : archive.begin_of(location);
  });
}

}  // namespace tracer
