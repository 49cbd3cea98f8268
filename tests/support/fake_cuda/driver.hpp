// SPDX-License-Identifier: BSD-3-Clause
// The fake driver's state and what its functions have in common. For driver*.cpp alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <cuda.h>

#include "support/fake_cuda/fake_cuda.hpp"

#define EXPORT __attribute__((visibility("default")))

struct CUctx_st {
  unsigned device, id;
};
struct CUstream_st {
  unsigned device, id;
  std::atomic<std::uint64_t> busy_until{0};
};
struct CUfunc_st {
  std::string name;
};
struct CUmod_st {
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, std::vector<char>> globals;
  std::string image;
};

namespace tracer::test::fake_cuda {

struct Memory {
  std::size_t bytes = 0;
  bool is_managed = false, is_of_pool = false;
  bool is_on_device = false;  ///< pages of managed memory
};
/// The default one: it keeps what it has had.
struct Pool {
  std::uint64_t size = 0, used = 0;
};

struct Driver {
  std::mutex lock;
  const unsigned devices;
  std::vector<std::unique_ptr<CUctx_st>> contexts;  ///< primary, by device
  std::vector<std::unique_ptr<CUctx_st>> created;   ///< by cuCtxCreate
  std::map<unsigned, std::unique_ptr<CUstream_st>> null_streams;
  std::set<CUstream_st*> streams;
  std::set<CUmod_st*> modules;
  std::map<std::uint64_t, Memory> memory;  ///< by address
  std::map<unsigned, Pool> pools;          ///< by device
  unsigned next_stream = 13;

  explicit Driver(unsigned count) : devices{count}, contexts(count) {}
};
extern Driver* driver;  ///< null until cuInit
extern std::atomic<const Tap*> tap;
extern std::uint64_t (*now)();
extern std::atomic<bool> gone;  ///< the process ends: every function fails
extern thread_local CUcontext current;

/// Around each function that does something.
class Call {
 public:
  explicit Call(const char* name) : tap_(tap.load()) {
    if (tap_) tap_->begin(name);
  }
  ~Call() {
    if (tap_) tap_->end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  const Tap* tap_;
};

/// A thread without a context uses its stream's.
CUresult ready(CUstream stream = nullptr);
/// The null stream of the current context's device, if `stream` is null.
CUstream_st& stream_of(CUstream stream);
/// Operations of a stream follow each other; some microseconds after they were asked for.
void run(Kind kind, CUstream stream, std::uint64_t bytes, std::uint64_t duration, std::uint64_t address = 0,
         const char* name = nullptr, unsigned grid = 1, unsigned peer = 0);
void at_once(Kind kind, const Memory& memory, std::uint64_t address);
void wait(CUstream stream);

}  // namespace tracer::test::fake_cuda
