// SPDX-License-Identifier: BSD-3-Clause
// Looks beside the CUDA runtime that is loaded, then where the loader looks, then where CUDA is installed.
#include "device/cupti/libraries.hpp"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/loader_gate.hpp"

namespace tracer::device::cupti {
namespace {

constexpr const char* versions[] = {"13", "12", "11.8"};

int add_path(dl_phdr_info* info, std::size_t, void* paths) noexcept try {
  if (info->dlpi_name && *info->dlpi_name) static_cast<std::vector<std::string>*>(paths)->emplace_back(info->dlpi_name);
  return 0;
} catch (...) {
  return 1;  // without the others' directories
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Is `file` the library `name` of any version, with a hash or without?
bool is_library(std::string_view file, std::string_view name) {
  if (file.substr(0, name.size()) != name) return false;
  const auto rest = file.substr(name.size());
  const auto suffix = rest.find(".so");
  return suffix != rest.npos && (suffix == 0 || rest.front() == '-');
}

/// "12" of "libcudart-d0da41ae.so.12.4.127"; "" of "libcudart.so".
std::string_view major_of(std::string_view file) {
  const auto at = file.find(".so.");
  if (at == file.npos) return {};
  const auto version = file.substr(at + 4);
  return version.substr(0, version.find('.'));
}

int needs_cupti(dl_phdr_info* info, std::size_t, void*) noexcept {
  const bool does =
      LoadedObject(*info).needs([](const char* name) { return std::string_view(name).starts_with("libcupti"); });
  return does ? 1 : 0;
}

struct Names {
  std::vector<std::string> all;
  void add(std::string name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
  }
  /// Those of the major version first, as they belong to the driver's interface that the process uses.
  void add_versions(const std::string& directory, std::string_view major) {
    for (const char* version : versions)
      if (std::string_view(version).substr(0, 2) == major) add(directory + "libcupti.so." + version);
    for (const char* version : versions) add(directory + "libcupti.so." + version);
  }
};

}  // namespace

std::vector<std::string> names_of_cupti(const std::vector<std::string>& loaded,
                                        const std::function<std::vector<std::string>(const std::string&)>& files_of) {
  Names names;
  std::string major;
  // a profiler of the process's own has the one that fits
  for (const auto& path : loaded)
    if (is_library(std::string_view(path).substr(path.rfind('/') + 1), "libcupti")) names.add(path);
  for (const auto& path : loaded) {
    const auto slash = path.rfind('/');
    if (slash == path.npos) continue;
    const auto file = std::string_view(path).substr(slash + 1);
    if (!is_library(file, "libcudart")) continue;
    if (major.empty()) major = major_of(file);
    for (const char* way : {"/", "/../extras/CUPTI/lib64/", "/../../cuda_cupti/lib/"}) {
      const std::string directory = path.substr(0, slash) + way;
      std::vector<std::string> others;
      for (const auto& name : files_of(directory)) {
        if (!is_library(name, "libcupti")) continue;
        if (major_of(name) == major_of(file))
          names.add(directory + name);
        else
          others.push_back(directory + name);
      }
      for (auto& name : others) names.add(std::move(name));
    }
  }
  names.add_versions("", major);
  names.add("libcupti.so");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) {
      names.add(std::string(home) + "/lib64/libcupti.so");
      names.add(std::string(home) + "/extras/CUPTI/lib64/libcupti.so");
    }
  }
  names.add("/usr/local/cuda/lib64/libcupti.so");
  names.add("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so");
  return names.all;
}

bool process_has_profiler() noexcept {
  return LoaderGate::try_iterate(&needs_cupti, nullptr) == 1;
}

std::vector<std::string> names_of_cupti() {
  std::vector<std::string> loaded;
  LoaderGate::iterate(&add_path, &loaded);
  return names_of_cupti(loaded, files_in);
}

}  // namespace tracer::device::cupti
