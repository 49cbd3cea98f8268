// SPDX-License-Identifier: BSD-3-Clause
// Makes traces.links in one pass over a trace, and keeps it beside the index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/event_source.hpp"
#include "tracer/view/links.hpp"

namespace tracer::view {

/// All that the pass finds. `progress` gets the share that is done, 0 to 1, and may throw to end the pass. Throws
/// tracer::Error where the archive cannot be read.
void build_links(EventSource& source, std::uint64_t stamp, LinksWriter& to,
                 const std::function<void(double)>& progress);

/// Opens the links of traces, or makes those that are not there: one after the other on a thread of its own, while the
/// traces are viewed. An archive that is no longer the one that was opened has none.
class LinksMaker {
 public:
  struct Wanted {
    std::filesystem::path anchor;
    std::vector<std::filesystem::path> paths;  ///< where they may be kept; else they are in a file without a name
    std::uint64_t stamp = 0;
    std::size_t locations = 0;
    std::string title;  ///< as messages name the trace
  };
  explicit LinksMaker(std::vector<Wanted> wanted);
  ~LinksMaker();
  LinksMaker(const LinksMaker&) = delete;
  LinksMaker& operator=(const LinksMaker&) = delete;

  /// Null: not yet, or never.
  std::shared_ptr<const LinksFile> links(std::size_t trace) const;
  /// Why there will be none of the trace; "": there are, or will be.
  std::string failure(std::size_t trace) const;
  /// 0 to 1, of all traces.
  double share() const { return share_; }

 private:
  void work();
  std::shared_ptr<const LinksFile> open_or_make(std::size_t number);
  std::shared_ptr<const LinksFile> make(std::size_t number, otf2::PositionedSource& source, int fd);

  std::vector<Wanted> wanted_;
  std::vector<std::shared_ptr<const LinksFile>> made_;
  std::vector<std::string> failures_;  ///< by trace, as made_
  mutable std::mutex mutex_;           ///< of what was made
  std::atomic<double> share_{0};
  std::atomic<bool> must_end_{false};
  std::thread thread_;
};

}  // namespace tracer::view
