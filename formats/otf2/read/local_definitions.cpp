// SPDX-License-Identifier: BSD-3-Clause
// See local_definitions.hpp.
#include "formats/otf2/read/local_definitions.hpp"

#include <bit>

#include "formats/otf2/read/record_file.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t mapping_table = 5, clock_offset = 6;

bool read_map(ByteCursor in, LocalDefinitions& out) {
  const std::size_t kind = in.u8();
  const auto size = in.compressed(8);
  const bool sparse = in.u8() != 0;
  if (in.failed() || size > in.left()) return false;
  if (kind >= LocalDefinitions::mapped_kinds) return true;
  auto& dense = out.dense[kind];
  if (!sparse && dense.size() < size) dense.resize(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto local = sparse ? in.compressed(8) : i;
    const auto global = in.compressed(8);
    if (in.failed()) return false;
    if (local < dense.size())
      dense[local] = global;
    else
      out.sparse[kind].insert_or_assign(local, global);
  }
  out.has_maps = true;
  return true;
}

/// A clock offset ends the interval that the one before it began; the slope is known then.
bool read_offset(ByteCursor in, LocalDefinitions& out) {
  ClockInterval next;
  next.begin = in.u64();
  next.offset = static_cast<std::int64_t>(in.compressed(8));
  if (in.failed()) return false;
  if (!out.clock.empty()) {
    auto& last = out.clock.back();
    if (next.begin <= last.begin) return false;
    last.end = next.begin;
    last.slope = (static_cast<double>(next.offset) - static_cast<double>(last.offset)) /
                 static_cast<double>(next.begin - last.begin);
  }
  out.clock.push_back(next);
  return true;
}

LocalDefinitions definitions_in(RecordFile records) {
  LocalDefinitions out;
  while (records.next()) {
    const bool good = records.kind() == mapping_table  ? read_map(records.body(), out)
                      : records.kind() == clock_offset ? read_offset(records.body(), out)
                                                       : true;
    if (!good) records.damaged("a mapping table or clock offset makes no sense");
  }
  // The last offset only closes an interval; alone it counts for nothing, as in the OTF2 library.
  if (!out.clock.empty()) out.clock.pop_back();
  return out;
}

}  // namespace

std::shared_ptr<const LocalDefinitions> LocalDefinitionFiles::read(const std::filesystem::path& file) {
  if (!size_of_file(file)) return std::make_shared<const LocalDefinitions>();
  RecordFile records{file};
  const std::scoped_lock lock{mutex_};
  if (last_ == nullptr || records.bytes() != bytes_) {
    bytes_ = records.bytes();
    last_ = std::make_shared<const LocalDefinitions>(definitions_in(std::move(records)));
  }
  return last_;
}

}  // namespace tracer::otf2
