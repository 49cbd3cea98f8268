// SPDX-License-Identifier: BSD-3-Clause
// Opens libcuda and libcupti, and looks for signs of CUDA in the process.
#include "device/cupti/api.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tracer/base/elf_tables.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/loader_gate.hpp"

namespace tracer::device::cupti {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Api& api) noexcept {
  return find(library, "cuptiGetVersion", api.get_version) &&
         find(library, "cuptiGetResultString", api.get_result_string) &&
         find(library, "cuptiSubscribe", api.subscribe) && find(library, "cuptiUnsubscribe", api.unsubscribe) &&
         find(library, "cuptiEnableCallback", api.enable_callback) &&
         find(library, "cuptiActivityRegisterTimestampCallback", api.register_timestamp) &&
         find(library, "cuptiActivityRegisterCallbacks", api.register_callbacks) &&
         find(library, "cuptiActivityEnable", api.enable) && find(library, "cuptiActivityDisable", api.disable) &&
         find(library, "cuptiActivityFlushAll", api.flush_all) &&
         find(library, "cuptiActivityGetNextRecord", api.next_record) &&
         find(library, "cuptiActivityGetNumDroppedRecords", api.dropped_records) &&
         find(library, "cuptiActivityPushExternalCorrelationId", api.push_external) &&
         find(library, "cuptiActivityPopExternalCorrelationId", api.pop_external);
}

int is_sign(dl_phdr_info* info, std::size_t, void*) noexcept {
  static constexpr const char* signs[] = {"/libomptarget", "/libcuda.so",           "/libcudart",
                                          "/libcublas",    "/libgomp-plugin-nvptx", "/libacchost"};
  if (!info->dlpi_name) return 0;
  for (const char* sign : signs) {
    if (std::strstr(info->dlpi_name, sign)) return 1;
  }
  return 0;
}

/// The number of libraries loaded so far; the first entry contains it.
int count_loads(dl_phdr_info* info, std::size_t size, void* loads) noexcept {
  if (size < offsetof(dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds) return 1;
  *static_cast<unsigned long long*>(loads) = info->dlpi_adds;
  return 1;
}

/// nvcc puts device code into a section of this name, also when the CUDA runtime is linked statically.
bool executable_has_device_code() noexcept {
  const UniqueFd fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  const std::optional<ElfTables> elf = fd ? read_elf_tables(fd.get()) : std::nullopt;
  if (!elf || elf->header.e_shstrndx >= elf->sections.size()) return false;
  const std::string names = read_section(fd.get(), elf->sections[elf->header.e_shstrndx], 1 << 20);
  return names.find(".nv_fatbin") != std::string::npos;
}

}  // namespace

const char* load_driver(Api& api) noexcept {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver) return "no CUDA driver (libcuda.so.1)";
  find(driver, "cuDeviceGetCount", api.device_count);
  find(driver, "cuCtxGetDevice", api.context_device);
  return nullptr;
}

const char* load(Api& api, const char* name) noexcept {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return not_there;
  if (!find_all(library, api)) return "libcupti.so lacks functions of CUPTI 11.8";
  if (api.get_version(&api.version) != CUPTI_SUCCESS || api.version < oldest_version)
    return "libcupti.so is older than CUDA 11.8's";
  if (api.version >= unknown_version) return "libcupti.so is newer than CUDA 13: its record layouts are unknown";
  find(library, "cuptiSetThreadIdType", api.set_thread_ids);
  find(library, "cuptiGetCallbackName", api.callback_name);
  find(library, "cuptiActivityConfigureUnifiedMemoryCounter", api.configure_unified_memory);
  find(library, "cuptiActivityEnableDriverApi", api.enable_driver_call);
  find(library, "cuptiActivityEnableRuntimeApi", api.enable_runtime_call);
  return nullptr;
}

bool driver_is_alive(const Api& api) noexcept {
  int count = 0;
  return !api.device_count || api.device_count(&count) != CUDA_ERROR_DEINITIALIZED;
}

bool driver_runs(const Api& api) noexcept {
  int count = 0;
  return !api.device_count || api.device_count(&count) == CUDA_SUCCESS;
}

bool LateLibraries::cuda_came() noexcept {
  unsigned long long loads = loaded_;
  LoaderGate::try_iterate(&count_loads, &loads);
  if (loads == loaded_) return false;
  const int sign = LoaderGate::try_iterate(&is_sign, nullptr);
  if (sign == LoaderGate::held) return false;  // the next time
  loaded_ = loads;
  return sign != 0;
}

bool process_may_use_cuda() noexcept try {
  return LoaderGate::iterate(is_sign, nullptr) != 0 || executable_has_device_code();
} catch (...) {
  return false;
}

}  // namespace tracer::device::cupti
