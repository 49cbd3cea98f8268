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
#include <string_view>
#include <vector>

#include "tracer/base/elf_tables.hpp"
#include "tracer/base/file.hpp"

namespace tracer::device::cupti {
namespace {

/// The libraries of one CUDA belong together: CUPTI from beside what the process has loaded, if it is there. Python's
/// packages have a directory for each library.
int add_neighbours(dl_phdr_info* info, std::size_t, void* names) {
  const std::string_view file = info->dlpi_name ? info->dlpi_name : "";
  const auto slash = file.rfind('/');
  if (slash == file.npos || file.find("libcudart.so", slash) == file.npos) return 0;
  const std::string directory(file.substr(0, slash));
  for (const char* version : {"13", "12", "11.8"}) {
    const std::string name = std::string("libcupti.so.") + version;
    for (const char* way : {"/", "/../extras/CUPTI/lib64/", "/../../cuda_cupti/lib/"})
      static_cast<std::vector<std::string>*>(names)->push_back(directory + way + name);
  }
  return 0;
}

/// In the order in which they are tried.
std::vector<std::string> names_of_cupti() {
  std::vector<std::string> names;
  dl_iterate_phdr(&add_neighbours, &names);
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"})
    names.emplace_back(name);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) {
      names.push_back(std::string(home) + "/lib64/libcupti.so");
      names.push_back(std::string(home) + "/extras/CUPTI/lib64/libcupti.so");
    }
  }
  names.emplace_back("/usr/local/cuda/lib64/libcupti.so");
  names.emplace_back("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so");
  return names;
}

void* open_cupti() {
  for (const std::string& name : names_of_cupti()) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

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

int is_sign(dl_phdr_info* info, std::size_t, void*) {
  static constexpr const char* signs[] = {"/libomptarget", "/libcuda.so",           "/libcudart",
                                          "/libcublas",    "/libgomp-plugin-nvptx", "/libacchost"};
  if (!info->dlpi_name) return 0;
  for (const char* sign : signs) {
    if (std::strstr(info->dlpi_name, sign)) return 1;
  }
  return 0;
}

/// Loads so far; stops at the first library, which tells.
int count_loads(dl_phdr_info* info, std::size_t size, void* loads) {
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

const char* load(Api& api) noexcept try {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver) return "no CUDA driver (libcuda.so.1)";
  void* library = open_cupti();
  if (!library) return "libcupti.so is not found (set LD_LIBRARY_PATH or CUDA_HOME)";
  if (!find_all(library, api)) return "libcupti.so lacks functions of CUPTI 11.8";
  std::uint32_t version = 0;
  if (api.get_version(&version) != CUPTI_SUCCESS || version < oldest_version)
    return "libcupti.so is older than CUDA 11.8's";
  find(library, "cuptiSetThreadIdType", api.set_thread_ids);
  find(driver, "cuDeviceGetCount", api.device_count);
  find(driver, "cuCtxGetDevice", api.context_device);
  return nullptr;
} catch (...) {
  return "no memory";
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
  unsigned long long loads = 0;
  dl_iterate_phdr(&count_loads, &loads);
  if (loads == loaded_) return false;
  loaded_ = loads;
  return dl_iterate_phdr(&is_sign, nullptr) != 0;
}

bool process_may_use_cuda() noexcept try {
  return dl_iterate_phdr(is_sign, nullptr) != 0 || executable_has_device_code();
} catch (...) {
  return false;
}

}  // namespace tracer::device::cupti
