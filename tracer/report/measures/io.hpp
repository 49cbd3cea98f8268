// SPDX-License-Identifier: BSD-3-Clause
// Input and output: bytes and time by file and by process.
#pragma once

#include <map>
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
  explicit Io(const Definitions& definitions) : definitions_{definitions} {}
  bool any() const { return !definitions_.io_handles.empty(); }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void fill(Report& report) const;

 private:
  using OperationKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // process, handle, matching id
  struct Operation {
    std::uint64_t begin = 0, in_call = 0;  ///< in_call: ns, of one that was issued
    std::uint8_t mode = 0;
    bool is_issued = false;
  };
  IoTotals& totals(std::uint32_t process, std::uint32_t handle);
  void over(const OperationKey& key, const Event& event);

  const Definitions& definitions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, IoTotals> totals_;  ///< by file and process
  std::map<OperationKey, Operation> operations_;
};

}  // namespace tracer::report
