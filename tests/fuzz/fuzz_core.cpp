// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a core file and as an ELF file: what is in them is read, or CannotLook says why not.
#include <fstream>

#include "support/scratch.hpp"
#include "tracer/ompd/runtime.hpp"
#include "tracer/ompd/target/core_target.hpp"
#include "tracer/ompd/target/elf_file.hpp"
#include "tracer/ompd/target/modules.hpp"
#include "tracer/ompd/target/refusal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace tracer::ompd;

void look_at(const CoreTarget& core) {
  char buffer[256];
  for (const std::uint64_t address : {std::uint64_t{0x10000}, std::uint64_t{0}, ~std::uint64_t{0} - 3})
    core.read(address, buffer, sizeof buffer);
  for (const std::uint64_t id : core.threads()) core.registers(id);
  core.text(0x10000);
  const Modules modules{core};
  const ThreadLocals thread_locals{core, modules};
  for (const MappedModule& module : modules.all()) {
    module.address_of("ompd_dll_locations");
    for (const std::uint64_t id : core.threads()) thread_locals.address(id, module, 8);
  }
  named_plugins(core, find_runtime(modules));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tracer::test::Scratch scratch;
  const std::string path = scratch / "file";
  std::ofstream{path, std::ios::binary | std::ios::trunc}.write(reinterpret_cast<const char*>(data),
                                                                static_cast<std::streamsize>(size));
  try {
    const CoreTarget core{path};
    look_at(core);
  } catch (const CannotLook&) {
  }
  std::string why;
  if (const auto file = ElfFile::open(path, why)) {
    file->find("ompd_dll_locations");
    file->containing(0x1000);
    file->address_of_offset(0x1000);
  }
  return 0;
}
