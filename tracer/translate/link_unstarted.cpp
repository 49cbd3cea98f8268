// SPDX-License-Identifier: BSD-3-Clause
// Tasks that were created and never ran: a program that was killed, or ended inside a region.
#include <algorithm>
#include <atomic>
#include <memory>

#include "tracer/translate/link.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer::translate {
namespace {

/// Per channel and counter: was the task seen to run, or to end.
class Marks {
 public:
  explicit Marks(const Tables& tables) {
    for (const ChannelScan& scan : tables.channels) {
      sizes_.push_back(scan.entities.size());
      marks_.push_back(std::make_unique<std::atomic<bool>[]>(scan.entities.size()));
    }
  }
  void set(TaskId id) noexcept {
    const ChannelId channel = tracer::channel_of(id);
    if (id != no_id && channel < sizes_.size() && counter_of(id) < sizes_[channel])
      marks_[channel][counter_of(id)].store(true, std::memory_order_relaxed);
  }
  bool get(ChannelId channel, std::size_t counter) const noexcept { return marks_[channel][counter].load(std::memory_order_relaxed); }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<std::unique_ptr<std::atomic<bool>[]>> marks_;
};

void mark(const Record& r, Marks& marks) noexcept {
  if (r.kind == RecordKind::task_schedule) {
    marks.set(r.b);
    marks.set(r.c);
  } else if (r.kind == RecordKind::cancel) {
    marks.set(r.b);  // perhaps discarded: then it has its end already
  }
}

bool is_explicit(const ChannelScan& scan, const Entity& entity) {
  return entity.site != none && entity.site < scan.sites.size() && scan.sites[entity.site].construct != Construct::taskwait;
}

}  // namespace

void link_unstarted(Tables& tables, const TraceSource& source, unsigned threads) {
  std::uint64_t created = 0, ended = 0;
  for (const ChannelScan& scan : tables.channels) {
    ended += scan.tasks_ended;
    scan.entities.for_each([&](std::size_t, const Entity& entity) { created += is_explicit(scan, entity); });
  }
  if (created <= ended) return;
  Marks marks(tables);
  parallel_for(tables.channels.size(), threads, [&](std::size_t c) {
    const auto reader = source.records(static_cast<ChannelId>(c));
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next())
      for (const Record& r : batch) mark(r, marks);
  });
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    ChannelScan& scan = tables.channels[c];
    for (std::size_t counter = 0; counter < scan.entities.size(); ++counter) {
      const Entity entity = scan.entities.get(counter);
      if (!is_explicit(scan, entity) || marks.get(c, counter)) continue;
      const bool untied = scan.sites[entity.site].construct == Construct::task_untied;
      scan.unstarted.emplace_back(entity.index, make_id(c, counter) | (untied ? untied_bit : 0));
    }
    std::stable_sort(scan.unstarted.begin(), scan.unstarted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
}

}  // namespace tracer::translate
