// SPDX-License-Identifier: BSD-3-Clause
// The fake driver's modules: functions and variables that an image has, launches of kernels and graphs.
#include <algorithm>
#include <chrono>
#include <thread>

#include "support/fake_cuda/driver.hpp"
#include "support/fake_cuda/images.hpp"

// As GCC's plugin asks for them; it uses the header's names ("cuLinkCreate_v2") where they are to be had.
#undef cuLinkCreate
#undef cuLinkAddData

using namespace tracer::test::fake_cuda;

namespace {
struct Graph {
  CUfunction kernel = nullptr;
  unsigned nodes = 0;
};
}  // namespace

extern "C" {
EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  if (const auto no = ready()) return no;
  const Call call("cuModuleLoadDataEx");
  std::this_thread::sleep_for(std::chrono::milliseconds(setting("FAKE_CUDA_MODULE_MS", 0)));
  auto* made = new CUmod_st;
  made->image = copy_image(image);
  const std::lock_guard lock(driver->lock);
  driver->modules.insert(made);
  return *module = made, CUDA_SUCCESS;
}
/// A linker of PTX, whose result is the text of all parts.
EXPORT CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
  if (const auto no = ready()) return no;
  return *state = reinterpret_cast<CUlinkState>(new std::string), CUDA_SUCCESS;
}
EXPORT CUresult cuLinkAddData(CUlinkState state, CUjitInputType, void* data, std::size_t size, const char*, unsigned,
                              CUjit_option*, void**) {
  reinterpret_cast<std::string*>(state)->append(static_cast<const char*>(data), size);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLinkCreate_v2(unsigned options, CUjit_option* names, void** values, CUlinkState* state) {
  return cuLinkCreate(options, names, values, state);
}
EXPORT CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char* name,
                                 unsigned options, CUjit_option* names, void** values) {
  return cuLinkAddData(state, type, data, size, name, options, names, values);
}
EXPORT CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* size) {
  auto& text = *reinterpret_cast<std::string*>(state);
  std::replace(text.begin(), text.end(), '\0', ' ');
  return *image = text.data(), *size = text.size(), CUDA_SUCCESS;
}
EXPORT CUresult cuLinkDestroy(CUlinkState state) {
  return delete reinterpret_cast<std::string*>(state), CUDA_SUCCESS;
}
EXPORT CUresult cuModuleLoad(CUmodule*, const char*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
EXPORT CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
/// Functions live on: CUPTI's records name them by pointer.
EXPORT CUresult cuModuleUnload(CUmodule) {
  return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (!module->image.empty() && size_in(module->image, name) == 0) return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard lock(driver->lock);
  auto& made = module->functions[name];
  if (!made) made = std::make_unique<CUfunc_st>(CUfunc_st{name});
  return *function = made.get(), CUDA_SUCCESS;
}
EXPORT CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  const std::size_t size = size_in(module->image, name);
  if (size == 0) return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard lock(driver->lock);
  auto& memory = module->globals[name];
  memory.resize(size);
  driver->memory[reinterpret_cast<CUdeviceptr>(memory.data())].bytes = size;
  if (address) *address = reinterpret_cast<CUdeviceptr>(memory.data());
  if (bytes) *bytes = size;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  return *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 32 : 1024, CUDA_SUCCESS;
}
EXPORT CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetParamInfo(CUfunction, std::size_t, std::size_t*, std::size_t*) {
  return CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction, CUoccupancyB2DSize, std::size_t,
                                                 int) {
  return *grid = 132, *block = 256, CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, CUstream stream, void**, void**) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuLaunchKernel");
  return run(Kind::kernel, stream, 0, 5000, 0, function->name.c_str(), x), CUDA_SUCCESS;
}
/// What a program makes of a graph is one node repeated here: the exec is a kernel and a number.
EXPORT CUresult fake_cuda_graph(CUgraphExec* exec, CUfunction kernel, unsigned nodes) {
  return *exec = reinterpret_cast<CUgraphExec>(new Graph{kernel, nodes}), CUDA_SUCCESS;
}
EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuGraphLaunch");
  const auto* graph = reinterpret_cast<const Graph*>(exec);
  for (unsigned i = 0; i < graph->nodes; ++i) run(Kind::graph_node, stream, 0, 5000, 0, graph->kernel->name.c_str(), 1);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  wait(stream);
  return function(data), CUDA_SUCCESS;
}
EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned) {
  wait(stream);
  return callback(stream, CUDA_SUCCESS, data), CUDA_SUCCESS;
}
}
