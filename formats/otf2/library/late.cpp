// SPDX-License-Identifier: BSD-3-Clause
// The OTF2 library where there is no static one: opened when the first archive is written. Linked, its functions would
// be those of the traced program where that has functions of the same names, and the program would need the library.
// Each function that we call is a jump through a variable, which open_library() sets.
#include <dlfcn.h>

#include <array>
#include <mutex>
#include <string>

#include "formats/otf2/write/library.hpp"

#define TRACER_OTF2_FUNCTIONS(X)                  \
  X(Archive_Close)                                \
  X(Archive_CloseGlobalDefWriter)                 \
  X(Archive_GetGlobalDefWriter)                   \
  X(Archive_Open)                                 \
  X(Archive_SetCreator)                           \
  X(Archive_SetDefChunkSize)                      \
  X(Archive_SetDescription)                       \
  X(Archive_SetFlushCallbacks)                    \
  X(Archive_SetLockingCallbacks)                  \
  X(Archive_SetMachineName)                       \
  X(Archive_SetMemoryCallbacks)                   \
  X(Archive_SetProperty)                          \
  X(Archive_SetSerialCollectiveCallbacks)         \
  X(Error_GetDescription)                         \
  X(Error_RegisterCallback)                       \
  X(GlobalDefWriter_WriteAttribute)               \
  X(GlobalDefWriter_WriteCallingContext)          \
  X(GlobalDefWriter_WriteClockProperties)         \
  X(GlobalDefWriter_WriteComm)                    \
  X(GlobalDefWriter_WriteGroup)                   \
  X(GlobalDefWriter_WriteInterComm)               \
  X(GlobalDefWriter_WriteInterruptGenerator)      \
  X(GlobalDefWriter_WriteIoDirectory)             \
  X(GlobalDefWriter_WriteIoHandle)                \
  X(GlobalDefWriter_WriteIoParadigm)              \
  X(GlobalDefWriter_WriteIoPreCreatedHandleState) \
  X(GlobalDefWriter_WriteIoRegularFile)           \
  X(GlobalDefWriter_WriteLocation)                \
  X(GlobalDefWriter_WriteLocationGroup)           \
  X(GlobalDefWriter_WriteLocationGroupProperty)   \
  X(GlobalDefWriter_WriteLocationProperty)        \
  X(GlobalDefWriter_WriteMetricClass)             \
  X(GlobalDefWriter_WriteMetricInstance)          \
  X(GlobalDefWriter_WriteMetricMember)            \
  X(GlobalDefWriter_WriteParadigm)                \
  X(GlobalDefWriter_WriteParadigmProperty)        \
  X(GlobalDefWriter_WriteParameter)               \
  X(GlobalDefWriter_WriteRegion)                  \
  X(GlobalDefWriter_WriteRmaWin)                  \
  X(GlobalDefWriter_WriteSourceCodeLocation)      \
  X(GlobalDefWriter_WriteString)                  \
  X(GlobalDefWriter_WriteSystemTreeNode)          \
  X(GlobalDefWriter_WriteSystemTreeNodeDomain)    \
  X(GlobalDefWriter_WriteSystemTreeNodeProperty)

#if defined(__x86_64__)
#define TRACER_JUMP(variable) "jmp *" variable "(%rip)\n"
#elif defined(__aarch64__)
#define TRACER_JUMP(variable)      \
  "adrp x16, " variable            \
  "\n"                             \
  "ldr x16, [x16, :lo12:" variable \
  "]\n"                            \
  "br x16\n"
#else
#error "OTF2 without a static library: no jump is written for this processor; build OTF2 with --enable-static"
#endif

#define TRACER_DEFINE(name)                                                                                \
  extern "C" {                                                                                             \
  __attribute__((visibility("hidden"), used)) void* tracer_otf2_##name = nullptr;                          \
  }                                                                                                        \
  asm(".text\n.globl OTF2_" #name "\n.hidden OTF2_" #name "\n.type OTF2_" #name ", %function\nOTF2_" #name \
      ":\n" TRACER_JUMP("tracer_otf2_" #name) ".size OTF2_" #name ", . - OTF2_" #name "\n");
TRACER_OTF2_FUNCTIONS(TRACER_DEFINE)

namespace tracer::otf2 {
namespace {

struct Function {
  const char* name;
  void** place;
};
constexpr std::array functions{
#define TRACER_ROW(name) Function{"OTF2_" #name, &tracer_otf2_##name},
    TRACER_OTF2_FUNCTIONS(TRACER_ROW)
#undef TRACER_ROW
};

// The runtime of a sanitizer ends a program that opens a library so that its own names come first.
int flags() noexcept {
  const bool is_sanitized = ::dlsym(RTLD_DEFAULT, "__sanitizer_install_malloc_and_free_hooks") != nullptr ||
                            ::dlsym(RTLD_DEFAULT, "__sanitizer_report_error_summary") != nullptr;
  return RTLD_NOW | RTLD_LOCAL | (is_sanitized ? 0 : RTLD_DEEPBIND);
}

bool open_now() {
  void* const there = ::dlopen(TRACER_OTF2_SONAME, RTLD_NOW | RTLD_NOLOAD);
  void* const library = there != nullptr ? there : ::dlopen(TRACER_OTF2_SONAME, flags());
  const char* const why = library == nullptr ? ::dlerror() : nullptr;
  if (library == nullptr)
    throw Error("cannot open the OTF2 library: " + std::string{why != nullptr ? why : TRACER_OTF2_SONAME} +
                "; install it, then `tracer convert` builds the archive.");
  for (const Function& one : functions) {
    *one.place = ::dlsym(library, one.name);
    if (*one.place == nullptr)
      throw Error(std::string{TRACER_OTF2_SONAME} + " has no function " + one.name + ": it is of another version.");
  }
  return there == nullptr;
}

}  // namespace

bool open_library() {
  static std::mutex mutex;
  static bool is_open = false, is_ours = false;
  const std::lock_guard lock(mutex);
  if (!is_open) is_ours = open_now();
  is_open = true;
  return is_ours;
}

}  // namespace tracer::otf2
