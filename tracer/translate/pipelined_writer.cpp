// SPDX-License-Identifier: BSD-3-Clause
// See pipelined_writer.hpp.
#include "tracer/translate/pipelined_writer.hpp"

#include <pthread.h>

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "tracer/base/memory_checks.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer::translate {
namespace {

class PipelinedWriter final : public LocationWriter {
 public:
  explicit PipelinedWriter(std::unique_ptr<LocationWriter>& inner) {
    if (!start_helper(thread_, run, this)) return;
    started_ = true;
    inner_ = std::move(inner);
  }
  ~PipelinedWriter() override { stop(); }
  bool started() const noexcept { return started_; }

  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override {
    Batch& batch = free_batch();
    batch.events.assign(events.begin(), events.end());
    batch.attributes.assign(attributes.begin(), attributes.end());
    filled();
  }

  /// Exchanges vectors with the batch: nothing is copied.
  void take(std::vector<Event>& events, std::vector<EventAttribute>& attributes) override {
    Batch& batch = free_batch();
    batch.events.swap(events);
    batch.attributes.swap(attributes);
    filled();
  }

  void close() override {
    stop();
    if (failure_) std::rethrow_exception(failure_);
    inner_->close();
  }

 private:
  struct Batch {
    std::vector<Event> events;
    std::vector<EventAttribute> attributes;
  };

  Batch& free_batch() {
    std::unique_lock lock(mutex_);
    if (filled_ - written_ == batches_.size()) room_.wait(lock, [&] { return filled_ - written_ <= few || failure_; });
    if (failure_) std::rethrow_exception(failure_);
    return batches_[filled_ % batches_.size()];
  }

  void filled() {
    const std::lock_guard lock(mutex_);
    if (++filled_ - written_ == many) work_.notify_one();
  }

  static void* run(void* self) {
    const WithoutMemoryChecks unchecked;
    run_on_usable_processors();
    static_cast<PipelinedWriter*>(self)->loop();
    return nullptr;
  }

  void loop() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (written_ == filled_) work_.wait(lock, [&] { return filled_ - written_ >= many || ending_; });
      if (written_ == filled_) return;
      const Batch& batch = batches_[written_ % batches_.size()];
      lock.unlock();
      std::exception_ptr failure;
      try {
        inner_->write(batch.events, batch.attributes);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      ++written_;
      if (failure) failure_ = failure;
      if (failure || filled_ - written_ == few) room_.notify_one();
      if (failure) return;
    }
  }

  void stop() noexcept {
    if (!started_) return;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      work_.notify_one();
    }
    pthread_join(thread_, nullptr);
    started_ = false;
  }

  std::unique_ptr<LocationWriter> inner_;
  /// Waking a sleeping processor costs about as much as a batch takes: whoever waits is woken for several.
  static constexpr std::size_t few = 4, many = 8;
  std::array<Batch, 16> batches_;
  std::mutex mutex_;
  std::condition_variable work_, room_;
  std::size_t filled_ = 0, written_ = 0;  // batches, ever
  bool ending_ = false, started_ = false;
  std::exception_ptr failure_;
  pthread_t thread_{};
};

}  // namespace

std::unique_ptr<LocationWriter> make_pipelined(std::unique_ptr<LocationWriter> inner) {
  auto writer = std::make_unique<PipelinedWriter>(inner);
  if (!writer->started()) return inner;
  return writer;
}

}  // namespace tracer::translate
