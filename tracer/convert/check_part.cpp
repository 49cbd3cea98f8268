// SPDX-License-Identifier: BSD-3-Clause
// See check_part.hpp.
#include "tracer/convert/check_part.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tracer/cut/mpi_cut.hpp"
#include "tracer/cut/open_state.hpp"
#include "tracer/cut/part_state.hpp"
#include "tracer/error.hpp"
#include "tracer/index/checkpoints.hpp"

namespace tracer {
namespace {

std::optional<check::CheckPart::Begin> begin_of(const Definitions& definitions, const check::CheckPart& part,
                                                const index::Contents& contents) {
  auto found = index::checkpoint_before(contents.table(index::TableKind::checkpoints), part.from);
  if (!found) return std::nullopt;
  const auto open = std::make_shared<report::OpenState>(definitions);
  report::MpiCut mpi{definitions};
  if (!report::take_part_state(found->kept, definitions, part.read, true, *open, mpi)) return std::nullopt;
  const auto views_of = [open](const otf2::OpenedViews& views) {
    std::vector<otf2::OwnedView> opened;
    open->emit_begun([&](LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
      if (auto view = views.view_of(location, event, attributes)) opened.push_back(std::move(*view));
    });
    return opened;
  };
  return check::CheckPart::Begin{std::move(found->places), views_of};
}

}  // namespace

check::CheckPart part_to_check(const otf2::PositionedSource& source, const report::Part& part,
                               const std::shared_ptr<const index::Contents>& contents) {
  const Definitions& definitions = source.definitions();
  check::CheckPart out;
  out.from = part.begin(definitions.clock);
  out.to = part.end(definitions.clock);
  out.text = part.text();
  std::vector<bool> shown = part.some_locations(definitions);
  if (!part.threads.all() || !part.ranks.all()) out.shown = std::move(shown);
  if (!part.ranks.all()) {
    report::Part processes = part;
    processes.threads = {};
    out.read = processes.locations(definitions);
  }
  try {
    if (contents != nullptr && part.from != 0) out.begin = begin_of(definitions, out, *contents);
  } catch (const Error&) {  // reading begins at the archive's begin
  }
  return out;
}

}  // namespace tracer
