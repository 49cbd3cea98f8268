// SPDX-License-Identifier: BSD-3-Clause
// Any two parts of a job, archives or raw traces: they are joined to an archive that can be read, or left out, or an
// Error.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "formats/otf2/read/event_source.hpp"
#include "fuzz/packed_parts.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"
#include "tracer/event_source.hpp"
#include "tracer/merge/merge.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

class Nowhere final : public tracer::EventVisitor {
  void event(tracer::LocationRef, const tracer::Event&, std::span<const tracer::EventAttribute>) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tracer;
  static const test::Scratch scratch;
  const std::filesystem::path first = scratch / "first", second = scratch / "second", whole = scratch / "whole";
  std::filesystem::remove_all(whole);
  if (!test::unpack_parts(data, size, first, second)) return 0;
  try {
    MergeOptions options;
    options.conversion.threads = 1;
    options.conversion.symbols = false;
    const MergeResult result = merge({first, second}, whole, options);
    Nowhere nowhere;
    otf2::open_archive(result.archive)->read(nowhere);
  } catch (const Error&) {
  }
  return 0;
}
