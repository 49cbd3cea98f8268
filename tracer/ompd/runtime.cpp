// SPDX-License-Identifier: BSD-3-Clause
// The search for runtime and plugin, and the message when one is missing.
#include "tracer/ompd/runtime.hpp"

#include <filesystem>

#include "tracer/base/runtime_names.hpp"
#include "tracer/ompd/target/refusal.hpp"

namespace tracer::ompd {
namespace {

namespace fs = std::filesystem;

constexpr const char* locations_symbol = "ompd_dll_locations";
constexpr std::size_t max_locations = 64;

/// Defined by every LLVM runtime since the first, also stripped.
constexpr const char* llvm_symbol = "__kmpc_fork_call";
constexpr const char* gcc_symbol = "GOMP_parallel";

[[noreturn]] void refuse_stripped(const MappedModule& runtime) {
  std::string reason = runtime.other_build || runtime.file == nullptr ? " (" + runtime.why + ")" : "";
  throw CannotLook(Refusal::stripped_runtime,
                   "the OpenMP runtime " + runtime.path + " has no OMPD symbols: it is stripped" + reason +
                       ". Run the program with an unstripped libomp (LD_LIBRARY_PATH), or install the runtime's debug "
                       "symbols (Debian: libomp5-NN-dbgsym); tracer snapshot --anyway shows the call stacks alone");
}

}  // namespace

const MappedModule& find_runtime(const Modules& modules) {
  const MappedModule *llvm = nullptr, *gcc = nullptr, *unreadable = nullptr;
  for (const MappedModule& module : modules.all()) {
    const std::string name = fs::path(module.path).filename();
    if (module.file == nullptr || module.other_build) {
      if (is_llvm_runtime(name)) unreadable = &module;
      continue;
    }
    if (module.file->find(locations_symbol)) return module;
    if (module.file->find(llvm_symbol))
      llvm = &module;
    else if (module.file->find(gcc_symbol))
      gcc = &module;
  }
  if (llvm != nullptr) refuse_stripped(*llvm);
  if (unreadable != nullptr) refuse_stripped(*unreadable);
  if (gcc != nullptr)
    throw CannotLook(Refusal::no_openmp,
                     "the program's OpenMP runtime is GCC's (" + gcc->path +
                         "), which has no OMPD. LD_PRELOAD an unstripped libomp.so to run it with LLVM's");
  throw CannotLook(Refusal::no_openmp, "no OpenMP runtime is loaded: the program does not use OpenMP, or does not yet");
}

std::vector<std::string> named_plugins(const Target& target, const MappedModule& runtime) {
  const auto variable = runtime.address_of(locations_symbol);
  const auto list = variable ? target.value<std::uint64_t>(*variable) : std::nullopt;
  if (!list) throw CannotLook(Refusal::damaged, "the OpenMP runtime's data cannot be read: the memory is not there");
  if (*list == 0)
    throw CannotLook(Refusal::not_initialized,
                     "the program has loaded OpenMP (" + runtime.path + ") but not used it yet: try again later");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < max_locations; ++i) {
    const auto name = target.value<std::uint64_t>(*list + i * sizeof(std::uint64_t));
    if (!name || *name == 0) break;
    names.push_back(target.text(*name));
  }
  return names;
}

RuntimeAccess::RuntimeAccess(Target& target, const PluginChoice& choice)
    : target_(target), modules_(target), thread_locals_(target, modules_), runtime_(find_runtime(modules_)) {
  std::vector<std::string> failures;
  const std::string beside = fs::path(runtime_.path).parent_path() / "libompd.so";
  plugins_ = find_plugins(target, named_plugins(target, runtime_), beside, choice, failures);
  if (plugins_.empty() && failures.empty())
    throw CannotLook(
        Refusal::no_plugin,
        "no OMPD plugin (libompd.so) found, neither beside " + runtime_.path +
            " nor in /usr/lib/llvm-*/lib. On Debian: apt-get install libomp-22-dev; or name it with --ompd");
  for (const Plugin& plugin : plugins_) {
    try {
      library_ = std::make_unique<Library>(plugin);
      auto context = std::make_unique<AddressSpaceContext>();
      context->target = &target_;
      context->modules = &modules_;
      context->thread_locals = &thread_locals_;
      context->runtime = &runtime_;
      space_ = std::make_unique<AddressSpace>(*library_, std::move(context));
      return;
    } catch (const CannotLook& error) {
      library_.reset();
      failures.emplace_back(error.what());
    }
  }
  std::string all;
  for (const std::string& failure : failures) all += (all.empty() ? "" : "; ") + failure;
  throw CannotLook(Refusal::no_plugin, all);
}

bool RuntimeAccess::tracks_states() const {
  const auto address = symbol("ompd_state");
  const auto state = address ? target_.value<std::uint64_t>(*address) : std::nullopt;
  return state && *state != 0;
}

}  // namespace tracer::ompd
