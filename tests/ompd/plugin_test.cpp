// SPDX-License-Identifier: BSD-3-Clause
// Which plugins may be loaded for whose process.
#include "tracer/ompd/plugin.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tests/support/scratch.hpp"

using namespace tracer::ompd;
namespace fs = std::filesystem;

namespace {

class SomeTarget final : public Target {
 public:
  explicit SomeTarget(bool is_callers) : is_callers_(is_callers) {}
  std::size_t read(std::uint64_t, void*, std::size_t) const noexcept override { return 0; }
  bool write(std::uint64_t, const void*, std::size_t) noexcept override { return false; }
  std::optional<Registers> registers(std::uint64_t) const override { return std::nullopt; }
  bool is_callers() const override { return is_callers_; }

 private:
  bool is_callers_;
};

void write(const fs::path& path, const std::string& text) {
  std::ofstream{path} << text;
  fs::permissions(path, fs::perms::owner_all);
}

std::string content_of(const Plugin& plugin) {
  char text[64];
  const ssize_t size = ::pread(plugin.fd.get(), text, sizeof text, 0);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string{};
}

/// Those below `directory`: what the machine has beside is not asked for.
std::vector<std::string> found(const fs::path& directory, bool is_callers, const PluginChoice& choice = {}) {
  std::vector<std::string> refused, contents;
  for (const Plugin& plugin :
       find_plugins(SomeTarget{is_callers}, {directory / "named.so"}, directory / "libompd.so", choice, refused))
    if (plugin.path.starts_with(directory.string())) contents.push_back(content_of(plugin));
  return contents;
}

using Contents = std::vector<std::string>;

}  // namespace

TEST_CASE("the plugin that a process names is taken when it is the caller's own, else only from the safe path") {
  const tracer::test::Scratch scratch;
  write(scratch.path() / "named.so", "named");
  write(scratch.path() / "libompd.so", "beside");
  CHECK(found(scratch.path(), true) == Contents{"named", "beside"});
  CHECK(found(scratch.path(), false).empty());
  CHECK(found(scratch.path(), false, {{}, {scratch.path()}}) == Contents{"named", "beside"});
  CHECK(found(scratch.path(), false, {scratch.path() / "named.so", {}}) == Contents{"named"});
}

TEST_CASE("what somebody else can write is no plugin, also by a link in the safe path") {
  const tracer::test::Scratch scratch;
  fs::create_directory(scratch.path() / "safe");
  write(scratch.path() / "named.so", "named");
  fs::create_symlink("../named.so", scratch.path() / "safe" / "libompd.so");
  CHECK(found(scratch.path() / "safe", false, {{}, {scratch.path() / "safe"}}).empty());
  ::chmod((scratch.path() / "named.so").c_str(), 0666);
  CHECK(found(scratch.path(), true).empty());
  CHECK(found(scratch.path(), false, {{}, {scratch.path()}}).empty());
}

TEST_CASE("the file that was judged is the one that is loaded, whatever its name leads to by then") {
  const tracer::test::Scratch scratch;
  write(scratch.path() / "named.so", "good");
  std::vector<std::string> refused;
  const auto plugins =
      find_plugins(SomeTarget{true}, {scratch.path() / "named.so"}, scratch.path() / "none", {}, refused);
  write(scratch.path() / "other", "planted");
  fs::rename(scratch.path() / "other", scratch.path() / "named.so");
  REQUIRE(!plugins.empty());
  CHECK(content_of(plugins.front()) == "good");
}
