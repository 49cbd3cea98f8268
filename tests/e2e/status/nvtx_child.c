// SPDX-License-Identifier: BSD-3-Clause
// What data loaders do: a forked child makes a domain of NVTX, or names its thread, and ends by _exit(0).
//   nvtx_child           domain and thread
//   nvtx_child range     and a range
//   nvtx_child counter   no child: a counter without a name
//   nvtx_child empty     no child: everything that has a name has an empty one
#include <nvtx3/nvToolsExt.h>
#ifdef WITH_EXTENSIONS
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#endif
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
  n++;
  if (strcmp(how, "counter") == 0) {
#ifdef WITH_EXTENSIONS
    nvtxDomainHandle_t domain = nvtxDomainCreateA("d");
    nvtxCounterAttr_t counter;
    memset(&counter, 0, sizeof counter);
    counter.structSize = sizeof counter;
    counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    nvtxCounterSampleInt64(domain, nvtxCounterRegister(domain, &counter), 3);
#endif
  } else if (strcmp(how, "empty") == 0) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("");
    nvtxNameOsThreadA((uint32_t)getpid(), "");
    nvtxRangePushA("");
    nvtxMarkA("");
    nvtxRangePop();
    nvtxEventAttributes_t nameless;
    memset(&nameless, 0, sizeof nameless);
    nameless.version = NVTX_VERSION;
    nameless.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxNameCategoryA(1, "");
    nameless.category = 1;
    nvtxDomainRangePushEx(domain, &nameless);
    nvtxDomainRangePop(domain);
  } else {
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
      nvtxDomainCreateA("child");
      nvtxNameOsThreadA(1, "loader");
      if (strcmp(how, "range") == 0) {
        nvtxRangePushA("load");
        nvtxRangePop();
      }
      _exit(0);
    }
    waitpid(child, &status, 0);
  }
  printf("ok %d\n", n);
  return 0;
}
