// SPDX-License-Identifier: BSD-3-Clause
// See side_by_side.hpp.
#include "tracer/convert/side_by_side.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

#include "formats/raw/journal.hpp"
#include "formats/raw/reader.hpp"
#include "tracer/error.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer {
namespace {

/// Of the process; 0: its journal cannot be read.
std::size_t recorded_threads(const std::filesystem::path& trace) {
  try {
    return raw::read_journal(raw::raw_directory_of(trace) / "journal").journal.channels.size();
  } catch (const Error&) {
    return 0;
  }
}

/// Of all together; for any thread.
class SharedProgress {
 public:
  SharedProgress(std::size_t parts, const std::function<void(double)>& tell) : tell_{tell}, done_(parts, 0.0) {}

  void update(std::size_t part, double share) {
    if (!tell_) return;
    const std::lock_guard lock{mutex_};
    sum_ += share - done_[part];
    done_[part] = share;
    tell_(std::min(sum_ / static_cast<double>(done_.size()), almost));
  }
  void end() const {
    if (tell_) tell_(1);
  }

 private:
  static constexpr double almost = 0.999;

  const std::function<void(double)>& tell_;
  std::mutex mutex_;  // done_, sum_, and one call at a time
  std::vector<double> done_;
  double sum_ = 0;
};

}  // namespace

void convert_side_by_side(const std::vector<std::filesystem::path>& traces, const ConvertOptions& options,
                          const std::function<void(std::size_t, const ConvertOptions&)>& convert_one) {
  const std::size_t count = traces.size();
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(translate::threads_to_use(options.threads), count));
  if (at_once < 2) return;
  const std::size_t in_full_rounds = count - count % at_once;
  SharedProgress progress{count, options.progress};
  translate::parallel_for(count, at_once, [&](std::size_t i) {
    try {
      if (recorded_threads(traces[i]) <= (i < in_full_rounds ? count : count % at_once)) {
        ConvertOptions own = options;
        own.within_limits = true;
        own.at_once = at_once;
        own.threads = 1;
        own.progress = [&progress, i](double share) { progress.update(i, share); };
        own.waiting = [] { throw PutOff("another process converts it"); };
        convert_one(i, own);
      }
    } catch (const std::exception&) {  // met again when it is converted alone
    }
    progress.update(i, 1);
  });
  progress.end();
}

}  // namespace tracer
