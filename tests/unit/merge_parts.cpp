// SPDX-License-Identifier: BSD-3-Clause
// Which part of a job is the process that started another.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "tracer/definitions.hpp"
#include "tracer/merge/part_of_job.hpp"

namespace tracer {
namespace {

PartOfJob process(std::string host, std::string id, std::string parent, std::uint64_t begin) {
  PartOfJob part;
  part.host = std::move(host);
  part.process_id = std::move(id);
  part.parent_id = std::move(parent);
  part.clock.clock.realtime = begin;
  return part;
}

TEST_CASE("a process was started by the last one of its host that had that number when it began") {
  const std::vector<PartOfJob> parts{
      process("a", "10", "", 1000),   process("b", "10", "1", 1000),
      process("a", "11", "10", 2000), process("a", "10", "1", 3000),  // the number again, of another process
      process("a", "12", "10", 4000), process("b", "13", "10", 500),  // before that one began
      process("a", "14", "14", 5000), process("c", "15", "10", 6000),
  };
  const std::uint32_t none = undefined_ref;
  CHECK(parents_of(parts) == std::vector<std::uint32_t>{none, none, 0, none, 3, none, none, none});
}

}  // namespace
}  // namespace tracer
