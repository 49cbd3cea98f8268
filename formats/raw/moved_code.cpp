// SPDX-License-Identifier: BSD-3-Clause
// See moved_code.hpp.
#include "formats/raw/moved_code.hpp"

#include <algorithm>
#include <array>

#include "tracer/record_table.hpp"

namespace tracer::raw {
namespace {

/// No user address of x86-64 or AArch64 is so high; each range has 1 TiB.
constexpr std::uint64_t first_place = 0x00f0'0000'0000'0000, room = std::uint64_t{1} << 40;
/// More libraries than this nobody opens late one after the other; a crafted journal may name millions.
constexpr std::size_t most_late = 4096;

constexpr auto has_code = [] {
  std::array<bool, record_table.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::string_view{record_table[i].c} == "codeptr_ra";
  return result;
}();

bool is_another(const Module& a, const Module& b) {
  return a.path != b.path || a.build_id != b.build_id || a.bias != b.bias;
}

class MovingReader final : public RecordReader {
 public:
  MovingReader(std::unique_ptr<RecordReader> reader, const std::vector<MovedCode>& moved)
      : reader_(std::move(reader)), moved_(moved) {}

  /// Repetitions are not skipped: the same address may be another module's by now.
  std::span<const Record> next_new(Repeats&) override { return next(); }

  std::span<const Record> next() override {
    const auto batch = reader_->next();
    batch_.assign(batch.begin(), batch.end());
    for (Record& record : batch_) {
      if (record.kind != RecordKind::more) {
        time_ = record.time;
        kind_ = record.kind;
      }
      if (has_code_in(record)) record.c = moved(record.c);
    }
    return batch_;
  }

 private:
  bool has_code_in(const Record& record) const {
    if (record.kind == RecordKind::more) return kind_ == RecordKind::target_data_op || kind_ == RecordKind::target_map;
    const auto kind = static_cast<std::size_t>(record.kind);
    return kind < has_code.size() && has_code[kind];
  }

  std::uint64_t moved(std::uint64_t code) const {
    for (const MovedCode& move : moved_) {  // a return address may be the byte behind the last
      if (code > move.begin && code <= move.end && time_ >= move.from && time_ < move.until)
        return code + move.distance;
    }
    return code;
  }

  std::unique_ptr<RecordReader> reader_;
  const std::vector<MovedCode>& moved_;
  std::vector<Record> batch_;
  Ticks time_ = 0;
  RecordKind kind_ = RecordKind::invalid;  ///< of the last record that is no `more`
};

}  // namespace

std::vector<MovedCode> separate(std::vector<Module>& modules) {
  std::vector<MovedCode> moved;
  const std::vector<Module> as_they_were = modules;
  std::size_t late = 0;
  for (std::size_t i = 0; i < modules.size() && late < most_late; ++i) {
    const Module module = as_they_were[i];
    if (module.loaded == 0 || module.end - module.begin >= room) continue;
    ++late;
    Ticks from = 0;
    std::size_t looked_at = 0;
    for (std::size_t j = i; j-- > 0 && looked_at < most_late; ++looked_at) {
      const Module& before = as_they_were[j];
      const bool overlaps = before.begin < module.end && module.begin < before.end;
      if (overlaps && before.unloaded != 0 && is_another(before, module)) from = std::max(from, before.unloaded);
    }
    if (from == 0) continue;
    const std::uint64_t place = first_place + moved.size() * room + module.begin % 4096;
    const std::uint64_t distance = place - module.begin;
    moved.push_back({module.begin, module.end, from, module.unloaded != 0 ? module.unloaded : ~Ticks{0}, distance});
    modules[i].begin += distance;
    modules[i].end += distance;
    modules[i].bias += distance;
  }
  return moved;
}

std::unique_ptr<RecordReader> move_code(std::unique_ptr<RecordReader> reader, const std::vector<MovedCode>& moved) {
  if (moved.empty()) return reader;
  return std::make_unique<MovingReader>(std::move(reader), moved);
}

}  // namespace tracer::raw
