// SPDX-License-Identifier: BSD-3-Clause
// The fake driver's streams and events.
#include <algorithm>

#include "support/fake_cuda/driver.hpp"

// As the plugins ask for them: GCC's for the first of the two names.
#undef cuEventDestroy
#undef cuEventElapsedTime

using namespace tracer::test::fake_cuda;

struct CUevent_st {
  std::uint64_t at = 0;
};

extern "C" {
EXPORT CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const auto no = ready()) return no;
  const std::lock_guard lock(driver->lock);
  auto* made = new CUstream_st;
  made->device = current->device;
  made->id = driver->next_stream++;
  driver->streams.insert(made);
  return *stream = made, CUDA_SUCCESS;
}
EXPORT CUresult cuStreamDestroy(CUstream) {
  return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuStreamSynchronize");
  return wait(stream), CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSynchronize() {
  return cuStreamSynchronize(nullptr);
}
EXPORT CUresult cuStreamQuery(CUstream stream) {
  const Call call("cuStreamQuery");
  return now() < stream_of(stream).busy_until ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
EXPORT CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = new CUevent_st, CUDA_SUCCESS;
}
EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  return delete event, CUDA_SUCCESS;
}
EXPORT CUresult cuEventDestroy(CUevent event) {
  return cuEventDestroy_v2(event);
}
EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  const Call call("cuEventRecord");
  return event->at = stream_of(stream).busy_until, CUDA_SUCCESS;
}
EXPORT CUresult cuEventQuery(CUevent event) {
  const Call call("cuEventQuery");
  return now() < event->at ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  auto& on = stream_of(stream);
  on.busy_until = std::max(on.busy_until.load(), event->at);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return *milliseconds = static_cast<float>(to->at - from->at) / 1e6F, CUDA_SUCCESS;
}
EXPORT CUresult cuEventSynchronize(CUevent event) {
  const Call call("cuEventSynchronize");
  while (now() < event->at) {
  }
  return CUDA_SUCCESS;
}
}
