// SPDX-License-Identifier: BSD-3-Clause
// See perf_thread.hpp. Layout of the ring: perf_event_open(2), "MMAP layout".
#include "tracer/sample/perf_thread.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "tracer/base/files/file.hpp"

namespace tracer::sample {
namespace {

/// Pages of a ring, besides its header: what is tried, most first. A hundred entries of a dozen frames, which is what
/// comes between two readings, fit in four.
constexpr std::size_t most_pages = 32;

template <typename T>
T load(const unsigned char*& at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

}  // namespace

int PerfThread::open(const PerfOptions& options) noexcept {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = options.period_ns != 0 ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY;
  attributes.sample_period = options.period_ns;
  attributes.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN;
  attributes.exclude_hv = 1;
  attributes.exclude_callchain_kernel = 1;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.context_switch = options.switches;
  attributes.watermark = 1;  // nobody polls: no wake-up per entry
  attributes.wakeup_watermark = 1u << 30;
  const bool counts = options.period_ns != 0 && !options.counters.empty();
  if (counts) {
    attributes.sample_type |= PERF_SAMPLE_READ;
    attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  }
  // What the kernel does for the program is its time as well; not every system lets users see it.
  attributes.sample_type |= PERF_SAMPLE_STACK_USER;
  attributes.sample_stack_user = sizeof(std::uint64_t);
  UniqueFd event{open_event(attributes, -1)};
  const bool is_denied = !event && (errno == EACCES || errno == EPERM);
  if (is_denied || (!event && (errno == EINVAL || errno == ENOSYS))) {
    attributes.exclude_kernel = is_denied;
    attributes.sample_type &= ~std::uint64_t{PERF_SAMPLE_STACK_USER};
    attributes.sample_stack_user = 0;
    event = UniqueFd{open_event(attributes, -1)};
  }
  clock_offset_ = static_cast<std::uint64_t>(options.clock_offset_ns);
  excludes_kernel_ = attributes.exclude_kernel;
  has_stack_top_ = attributes.sample_stack_user != 0;
  if (!event) return errno;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  int error = 0;
  for (std::size_t pages = most_pages; pages != 0; pages /= 2) {
    void* memory = ::mmap(nullptr, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
    if (memory != MAP_FAILED) {  // which holds the event: the program keeps its descriptors
      page_ = static_cast<perf_event_mmap_page*>(memory);
      data_bytes_ = pages * page;
      takes_samples_ = options.period_ns != 0;
      reads_counters_ = counts;
      if (counts) open_counters(event.get(), options.counters);
      return 0;
    }
    error = errno;
  }
  return error == EPERM ? ENOBUFS : error;  // it forbids no event, only more locked memory
}

// The ring comes first: where locked memory ends, samples without counters are left. What was noted meanwhile goes: its
// group had other members.
void PerfThread::open_counters(int leader, std::span<const CounterId> wanted) noexcept {
  counters_.open(leader, wanted);
  const std::uint64_t head = std::atomic_ref(page_->data_head).load(std::memory_order_acquire);
  std::atomic_ref(page_->data_tail).store(head, std::memory_order_release);
}

void PerfThread::close() noexcept {
  if (page_ != nullptr) ::munmap(page_, data_bytes_ + static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  page_ = nullptr;
  counters_.close();
}

// The leader's own value, then the members' in the order in which they joined.
std::size_t PerfThread::read_counters(const unsigned char*& at, const unsigned char* end,
                                      std::span<std::uint64_t> values) {
  if (end - at < 32) return 0;
  const auto count = load<std::uint64_t>(at), enabled = load<std::uint64_t>(at), running = load<std::uint64_t>(at);
  at += 8;
  std::size_t read = 0;
  for (std::uint64_t i = 1; i < count && end - at >= 8; ++i) {
    const auto value = load<std::uint64_t>(at);
    if (read < counters_.ids().size()) values[read++] = value;
  }
  totals_.extrapolate(enabled, running, values.first(read));
  return read;
}

void PerfThread::read_sample(const unsigned char* at, const unsigned char* end, bool in_kernel, const Visit& visit) {
  raw::SampleEntry entry{};
  std::array<std::uint64_t, raw::most_words> words;
  entry.kind = raw::SampleKind::sample;
  entry.time = load<std::uint64_t>(at) + clock_offset_;
  entry.processor = load<std::uint32_t>(at);
  at += 4;
  std::size_t kept = reads_counters_ ? read_counters(at, end, words) : 0;
  if (kept != 0) entry.kind = raw::SampleKind::counted;
  entry.reason = static_cast<std::uint32_t>(kept);
  const std::size_t most = kept + raw::most_frames;
  if (in_kernel) words[kept++] = raw::frame_of_kernel;
  const auto count = end - at >= 8 ? load<std::uint64_t>(at) : 0;
  for (std::uint64_t i = 0; i < count && end - at >= 8 && kept < most; ++i) {
    const auto address = load<std::uint64_t>(at);
    if (address < static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) words[kept++] = address;  // above: marks, no code
  }
  const std::size_t innermost = static_cast<std::size_t>(entry.reason) + 1;  // behind the kernel's
  if (in_kernel && has_stack_top_ && end - at >= 16 && load<std::uint64_t>(at) == 8 && kept > innermost &&
      kept < most) {
    const auto top = load<std::uint64_t>(at);
    if (system_calls_.has_caller(words[innermost], top)) {
      std::copy_backward(words.begin() + static_cast<std::ptrdiff_t>(innermost) + 1,
                         words.begin() + static_cast<std::ptrdiff_t>(kept),
                         words.begin() + static_cast<std::ptrdiff_t>(kept) + 1);
      words[innermost + 1] = top;
      ++kept;
    }
  }
  entry.frames = static_cast<std::uint16_t>(kept);
  visit(entry, std::span<const std::uint64_t>(words.data(), kept));
}

void PerfThread::read_entry(const unsigned char* bytes, std::uint32_t type, std::uint16_t misc, std::size_t size,
                            const Visit& visit) {
  raw::SampleEntry entry{};
  const unsigned char* at = bytes;
  const unsigned char* const end = bytes + size;
  constexpr std::size_t id_bytes = 16;  // time, processor: what sample_id_all puts at the end of the others
  if (type == PERF_RECORD_SAMPLE) {
    const bool in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if (size >= id_bytes + 8 && takes_samples_) read_sample(bytes, end, in_kernel, visit);
    return;
  }
  if (size < id_bytes) return;
  const unsigned char* id = end - id_bytes;
  entry.time = load<std::uint64_t>(id) + clock_offset_;
  entry.processor = load<std::uint32_t>(id);
  if (type == PERF_RECORD_SWITCH) {
    const bool out = (misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    entry.kind = out ? raw::SampleKind::switched_out : raw::SampleKind::switched_in;
    entry.reason = out && (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? raw::preempted : raw::slept;
  } else if (type == PERF_RECORD_LOST && size >= id_bytes + 16) {
    entry.kind = raw::SampleKind::lost;
    at += 8;
    entry.reason = static_cast<std::uint32_t>(std::min<std::uint64_t>(load<std::uint64_t>(at), 0xffffffffu));
  } else {
    return;
  }
  visit(entry, {});
}

void PerfThread::drain(const Visit& visit) {
  if (page_ == nullptr) return;
  const auto* data = reinterpret_cast<const unsigned char*>(page_) + ::sysconf(_SC_PAGESIZE);
  const std::uint64_t head = std::atomic_ref(page_->data_head).load(std::memory_order_acquire);
  std::uint64_t tail = page_->data_tail;
  std::vector<unsigned char> scratch;
  const auto copy = [&](std::uint64_t from, std::size_t count, unsigned char* to) {
    const std::size_t begin = from & (data_bytes_ - 1), first = std::min(count, data_bytes_ - begin);
    std::memcpy(to, data + begin, first);
    std::memcpy(to + first, data, count - first);
  };
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header header;
    copy(tail, sizeof header, reinterpret_cast<unsigned char*>(&header));
    if (header.size < sizeof header || header.size > head - tail) break;
    scratch.resize(header.size);
    copy(tail, header.size, scratch.data());
    read_entry(scratch.data() + sizeof header, header.type, header.misc, header.size - sizeof header, visit);
    tail += header.size;
  }
  std::atomic_ref(page_->data_tail).store(tail, std::memory_order_release);
}

}  // namespace tracer::sample
