// SPDX-License-Identifier: BSD-3-Clause
// Says whether CUDA can be used here: prints the first device's name and the driver's file. Status 77, with the reason,
// if not.
#include <dlfcn.h>

#include <cstdio>

namespace {

int no(const char* reason, int code = 0) {
  if (code)
    std::printf("skipped: %s (%d)\n", reason, code);
  else
    std::printf("skipped: %s\n", reason);
  return 77;
}

}  // namespace

int main() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return no("no CUDA driver (libcuda.so.1) on this machine");
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  const auto version = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  if (!init || !count || !name || !version) return no("libcuda.so.1 is not NVIDIA's driver");
  if (const int code = init(0)) return no("the CUDA driver does not start", code);
  int devices = 0, number = 0;
  if (const int code = count(&devices)) return no("the CUDA driver finds no GPU", code);
  if (devices == 0) return no("the CUDA driver finds no GPU");
  char text[256] = "";
  name(text, sizeof text, 0);
  version(&number);
  Dl_info where{};
  dladdr(reinterpret_cast<void*>(init), &where);
  std::printf("%d GPU, %s, CUDA %d.%d, %s\n", devices, text, number / 1000, number % 1000 / 10, where.dli_fname);
  return 0;
}
