// SPDX-License-Identifier: BSD-3-Clause
// Input and output: bytes and time by file and by process.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/replay/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// Memory: files times processes, and what is not complete.
class Io final : public Observer {
 public:
  explicit Io(const Definitions& definitions);
  bool any() const { return !definitions_.io_handles.empty(); }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void fill(Report& report) const;

 private:
  /// Those of blocking calls end on their thread, and may have one matching id on all threads; others are the process'.
  enum class Call : std::uint8_t { blocking, non_blocking };
  /// Location or process, handle, matching id.
  using OperationKey = std::tuple<Call, std::uint32_t, std::uint32_t, std::uint64_t>;
  struct Operation {
    std::uint64_t begin = 0, in_call = 0;  ///< in_call: ns, of one that was issued
    std::uint8_t mode = 0;
    bool is_issued = false;
  };
  using Operations = std::map<OperationKey, Operation>;
  IoTotals& totals(LocationRef location, std::uint32_t handle);
  OperationKey key_of(Call call, LocationRef location, const Event& event) const;
  Operations::iterator find(LocationRef location, const Event& event);
  void over(LocationRef location, const Event& event);

  const Definitions& definitions_;
  std::vector<bool> is_inner_;  ///< by handle: it carries out what another one, of the same file, has the events of
  std::map<std::pair<std::uint32_t, std::uint32_t>, IoTotals> totals_;  ///< by file and process
  Operations operations_;
};

}  // namespace tracer::report
