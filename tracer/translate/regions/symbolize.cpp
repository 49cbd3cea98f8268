// SPDX-License-Identifier: BSD-3-Clause
// Source positions by libdw.
#include "tracer/translate/regions/symbolize.hpp"

#include <dwarf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tracer/base/libdw.hpp"
#include "tracer/base/outlined_names.hpp"
#include "tracer/base/text.hpp"
#include "tracer/translate/regions/debug_files.hpp"
#include "tracer/translate/regions/fortran_names.hpp"
#include "tracer/translate/regions/inlined.hpp"
#include "tracer/translate/regions/symbol_names.hpp"

namespace tracer::translate {
namespace {

/// "solve" for what the compiler made of it: solve.omp_outlined, solve.constprop.0._omp_fn.0; "" when nothing is left.
std::string user_name(std::string_view symbol) {
  const std::string name{without_clones(without_outlining(symbol))};
  if (name.empty() || name[0] == '.') return "";
  return fortran_name(demangled(name));
}

struct Enclosing {
  const LibDw* dw;
  Dwarf_Die* unit;
  const std::string* file;
  int line;
  int best_line = 0;
  std::string best;
};

/// The file of a declaration. In DWARF 5 number 0 is the unit's own file, which libdw takes for none.
const char* file_of(const LibDw& dw, Dwarf_Die* unit, Dwarf_Die* die) {
  if (const char* file = dw.dwarf_decl_file(die)) return file;
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  const bool is_own = dw.dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) &&
                      dw.dwarf_formudata(&attribute, &number) == 0 && number == 0;
  return is_own ? dw.dwarf_diename(unit) : nullptr;
}

// clang 14 and 15 outline regions into functions without the user's name: the user's function is the
// one declared last before the line.
int consider(Dwarf_Die* die, void* data) {
  auto& e = *static_cast<Enclosing*>(data);
  int line = 0;
  const char* name = e.dw->dwarf_diename(die);
  const char* file = file_of(*e.dw, e.unit, die);
  if (!name || is_outlined(name) || !file || e.dw->dwarf_decl_line(die, &line) != 0) return 0;
  if (line > e.line || line <= e.best_line || std::string_view(*e.file).find(file) == std::string_view::npos) return 0;
  e.best_line = line;
  Dwarf_Attribute attribute;
  const char* linkage = nullptr;
  if (e.dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)) linkage = e.dw->dwarf_formstring(&attribute);
  e.best = linkage ? linkage : name;
  return 0;
}

class DwarfReader {
 public:
  explicit DwarfReader(const std::vector<Module>& modules);
  SourcePosition look_up(std::uint64_t address, const Module& mapped, bool with_inlined);
  /// Why the files of modules were not read, by their paths.
  const std::map<std::string, std::string>& not_read() const noexcept { return not_read_; }

 private:
  /// A piece of code of a compilation unit; addresses of the process.
  struct Piece {
    Dwarf_Addr begin, end;
    Dwarf_Die* unit;
    Dwarf_Addr bias;
  };
  using Pieces = std::vector<Piece>;

  Pieces pieces_of(Dwfl_Module* module) const;
  const Piece* piece_at(Dwfl_Module* module, Dwarf_Addr address);
  Dwarf_Line* first_row(const Piece& piece, Dwarf_Addr at) const;
  Dwarf_Line* row_of(Dwfl_Module* module, const Piece& piece, Dwarf_Addr address, int& number);
  void line_of(Dwfl_Module* module, const Piece& piece, Dwarf_Addr address, SourcePosition& position);
  void leave_inlined(const Piece& piece, Dwarf_Addr address, SourcePosition& position);
  std::string whole_path(Dwarf_Die* unit, const std::string& file) const;
  std::vector<SourceFrame> frames_of(const Piece& piece, Dwarf_Addr address, const SourcePosition& position);
  std::string enclosing(const Piece& piece, Dwarf_Addr address, const SourcePosition& position);

  const LibDw* dw_ = libdw();
  std::optional<InlinedFunctions> inlined_;
  std::optional<SymbolNames> symbols_;
  std::map<Dwfl_Module*, Pieces> pieces_;
  std::map<std::string, std::string> not_read_;
  Dwfl_Callbacks callbacks_{};
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl_{nullptr, [](Dwfl* d) { libdw()->dwfl_end(d); }};
};

DwarfReader::DwarfReader(const std::vector<Module>& modules) {
  if (!dw_) return;
  inlined_.emplace(*dw_);
  symbols_.emplace(*dw_);
  callbacks_.find_debuginfo = find_debuginfo;
  callbacks_.section_address = dw_->dwfl_offline_section_address;
  dwfl_.reset(dw_->dwfl_begin(&callbacks_));
  if (!dwfl_) return;
  for (const Module& m : modules) {
    if (m.path.empty() || m.path[0] != '/') continue;
    if (!is_file(m.path)) {
      not_read_[m.path] = "not there any more";
      continue;
    }
    const int plain = without_zstd_at(m.path);
    if (!dw_->dwfl_report_elf(dwfl_.get(), m.path.c_str(), m.path.c_str(), plain, m.bias, true) && plain >= 0)
      close(plain);
  }
  dw_->dwfl_report_end(dwfl_.get(), nullptr, nullptr);
}

// Not dwfl_module_addrdie or _getsrc: they need .debug_aranges, which clang does not write.
DwarfReader::Pieces DwarfReader::pieces_of(Dwfl_Module* module) const {
  Pieces pieces;
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dw_->dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t offset = 0; (offset = dw_->dwarf_ranges(unit, offset, &base, &begin, &end)) > 0;)
      if (begin < end) pieces.push_back({begin + bias, end + bias, unit, bias});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  return pieces;
}

const DwarfReader::Piece* DwarfReader::piece_at(Dwfl_Module* module, Dwarf_Addr address) {
  const auto known = pieces_.find(module);
  const Pieces& pieces =
      known != pieces_.end() ? known->second : pieces_.emplace(module, pieces_of(module)).first->second;
  const auto after =
      std::upper_bound(pieces.begin(), pieces.end(), address, [](Dwarf_Addr a, const Piece& p) { return a < p.begin; });
  if (after == pieces.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

// Of several rows for the address: at the begin of what GCC outlined that of the pragma, before that of the first
// statement, which may have the same address.
Dwarf_Line* DwarfReader::first_row(const Piece& piece, Dwarf_Addr at) const {
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  if (dw_->dwarf_getsrclines(piece.unit, &lines, &count) != 0) return nullptr;
  const auto address_of = [&](std::size_t row) {
    Dwarf_Addr address = 0;
    dw_->dwarf_lineaddr(dw_->dwarf_onesrcline(lines, row), &address);
    return address;
  };
  std::size_t begin = 0, end = count;  // they are sorted
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (address_of(middle) < at)
      begin = middle + 1;
    else
      end = middle;
  }
  // The function before may end with a row of no bytes at this address, which begins no statement.
  Dwarf_Line* first = nullptr;
  for (bool begins = false; !begins && begin < count && address_of(begin) == at; ++begin) {
    Dwarf_Line* const row = dw_->dwarf_onesrcline(lines, begin);
    // In a section of its own (of templates, of members that classes define) it ends with the section.
    if (bool ends = false; dw_->dwarf_lineendsequence(row, &ends) == 0 && ends) continue;
    begins = dw_->dwarf_linebeginstatement(row, &begins) == 0 && begins;
    if (first == nullptr || begins) first = row;
  }
  return first;
}

// Line 0: the compiler's own code, as calls of the runtime are that flang and optimisers make. It belongs to the line
// before it in the same function.
Dwarf_Line* DwarfReader::row_of(Dwfl_Module* module, const Piece& piece, Dwarf_Addr address, int& number) {
  const char* const symbol = symbols_->at(module, address);
  if (symbol != nullptr && is_outlined(symbol) && symbols_->at(module, address - 1) != symbol)
    if (Dwarf_Line* first = first_row(piece, address - piece.bias))
      if (dw_->dwarf_lineno(first, &number) == 0 && number != 0) return first;
  for (Dwarf_Addr at = address - piece.bias;;) {
    Dwarf_Line* line = dw_->dwarf_getsrc_die(piece.unit, at);
    Dwarf_Addr begin = 0;
    if (!line || dw_->dwarf_lineno(line, &number) != 0) return nullptr;
    if (number != 0) return line;
    if (dw_->dwarf_lineaddr(line, &begin) != 0 || begin == 0 || begin > at) return nullptr;
    at = begin - 1;
    if (symbol == nullptr || symbols_->at(module, at + piece.bias) != symbol) return nullptr;
  }
}

void DwarfReader::line_of(Dwfl_Module* module, const Piece& piece, Dwarf_Addr address, SourcePosition& position) {
  int number = 0;
  Dwarf_Line* const line = row_of(module, piece, address, number);
  const char* file = line ? dw_->dwarf_linesrc(line, nullptr, nullptr) : nullptr;
  if (!file) return;
  position.file = whole_path(piece.unit, file);
  position.line = static_cast<std::uint32_t>(number);
}

// GCC's calls of libgomp have no line but that of what is before them. If that was put there from another function, as
// the same line in it shows, the call of that function is the nearest place that the construct's own function has.
void DwarfReader::leave_inlined(const Piece& piece, Dwarf_Addr address, SourcePosition& position) {
  const Dwarf_Addr from = address - piece.bias;
  const std::size_t depth = inlined_->around_call(piece.unit, from + 1).size();
  for (Dwarf_Addr at = from, begin = 0;; at = begin - 1) {
    int number = 0;
    Dwarf_Line* const row = dw_->dwarf_getsrc_die(piece.unit, at);
    const char* const file = row ? dw_->dwarf_linesrc(row, nullptr, nullptr) : nullptr;
    if (!file || dw_->dwarf_lineno(row, &number) != 0 || static_cast<std::uint32_t>(number) != position.line ||
        whole_path(piece.unit, file) != position.file || dw_->dwarf_lineaddr(row, &begin) != 0 || begin == 0 ||
        begin > at)
      return;
    for (const Dwarf_Addr before : {at, begin}) {
      const std::vector<InlinedCall> calls = inlined_->at(piece.unit, before);
      if (calls.size() <= depth || calls[depth].line == 0) continue;
      position.file = whole_path(piece.unit, calls[depth].file);
      position.line = calls[depth].line;
      return;
    }
  }
}

std::string DwarfReader::whole_path(Dwarf_Die* unit, const std::string& file) const {
  Dwarf_Attribute attribute;
  if (file.empty() || file[0] == '/' || !dw_->dwarf_attr(unit, DW_AT_comp_dir, &attribute)) return file;
  const char* directory = dw_->dwarf_formstring(&attribute);
  return directory ? std::string(directory) + "/" + file : file;
}

/// What the compiler outlined and put back (clang's .omp_outlined_debug__) is no function of the user's: only the line
/// goes on.
std::vector<SourceFrame> DwarfReader::frames_of(const Piece& piece, Dwarf_Addr address,
                                                const SourcePosition& position) {
  const std::vector<InlinedCall> calls = inlined_->at(piece.unit, address - piece.bias);
  std::vector<SourceFrame> frames{{position.function, position.file, position.line}};
  for (const InlinedCall& call : calls) {
    frames.back().file = whole_path(piece.unit, call.file);
    frames.back().line = call.line;
    if (!is_outlined(call.function)) frames.push_back({user_name(call.function), "", 0});
  }
  frames.back().file = position.file;
  frames.back().line = position.line;
  if (frames.size() == 1) frames.clear();
  return frames;
}

/// The user's function around code that the compiler outlined without its name: by the line at which that code is, or
/// calls what was inlined into it.
std::string DwarfReader::enclosing(const Piece& piece, Dwarf_Addr address, const SourcePosition& position) {
  std::string file = position.file;
  std::uint32_t line = position.line;
  for (const InlinedCall& call : inlined_->at(piece.unit, address - piece.bias)) {
    if (is_outlined(call.function)) continue;
    file = whole_path(piece.unit, call.file);
    line = call.line;
    break;
  }
  if (line == 0) return {};
  Enclosing e{dw_, piece.unit, &file, static_cast<int>(line), 0, {}};
  dw_->dwarf_getfuncs(piece.unit, consider, &e, 0);
  return user_name(e.best);
}

SourcePosition DwarfReader::look_up(std::uint64_t address, const Module& mapped, bool with_inlined) {
  SourcePosition position;
  if (!dwfl_ || address == 0) return position;
  const Dwarf_Addr call = address - 1;
  Dwfl_Module* module = dw_->dwfl_addrmodule(dwfl_.get(), call);
  if (!module) return position;
  const unsigned char* bits = nullptr;
  GElf_Addr note = 0;
  const int size = dw_->dwfl_module_build_id(module, &bits, &note);
  if (!mapped.build_id.empty() &&
      (size <= 0 || hexadecimal({bits, static_cast<std::size_t>(size)}) != mapped.build_id)) {
    not_read_[mapped.path] = "another file than the one that ran";
    return position;
  }
  const Piece* piece = piece_at(module, call);
  if (piece) line_of(module, *piece, call, position);
  if (piece && !with_inlined && position.line != 0) leave_inlined(*piece, call, position);
  if (const char* symbol = symbols_->at(module, call)) position.function = user_name(symbol);
  if (position.function.empty() && piece) position.function = enclosing(*piece, call, position);
  // A construct is in the function that it is written in, whatever the compiler has put that into.
  if (!with_inlined && piece)
    for (const InlinedCall& inner : inlined_->around_call(piece->unit, address - piece->bias))
      if (!inner.function.empty() && !is_outlined(inner.function)) position.function = user_name(inner.function);
  position.function = name_in_file(std::move(position.function), position.file);
  if (with_inlined && piece) position.frames = frames_of(*piece, call, position);
  return position;
}

/// Which module is at an address; of several that overlap the first.
class ModulePlaces {
 public:
  explicit ModulePlaces(std::vector<Module> modules) : modules_(std::move(modules)) {
    std::map<std::uint64_t, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> borders;  // begin, end
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (modules_[i].begin >= modules_[i].end) continue;
      borders[modules_[i].begin].first.push_back(i);
      borders[modules_[i].end].second.push_back(i);
    }
    std::set<std::size_t> there;
    for (const auto& [address, border] : borders) {
      there.insert(border.first.begin(), border.first.end());
      for (const std::size_t ended : border.second) there.erase(ended);
      first_from_.emplace_hint(first_from_.end(), address, there.empty() ? modules_.size() : *there.begin());
    }
  }
  const Module* at(std::uint64_t address) const {
    const auto behind = first_from_.upper_bound(address);
    if (behind == first_from_.begin()) return nullptr;
    const std::size_t first = std::prev(behind)->second;
    return first < modules_.size() ? &modules_[first] : nullptr;
  }

 private:
  std::vector<Module> modules_;
  std::map<std::uint64_t, std::size_t> first_from_;  ///< an address on, to the next one; as many as there are: none
};

}  // namespace

std::string why_no_lines() {
  return libdw() == nullptr ? no_libdw : "";
}

Symbolizer make_symbolizer(std::vector<Module> modules, bool with_inlined, NotRead not_read) {
  return [places = ModulePlaces{std::move(modules)}, with_inlined,
          tell = std::move(not_read)](const std::vector<std::uint64_t>& addresses) {
    // Only modules that are requested are opened: a program may have mapped hundreds.
    std::vector<Module> used;
    std::set<std::pair<std::uint64_t, std::string_view>> known;
    for (const std::uint64_t address : addresses)
      if (const Module* m = places.at(address - 1); m != nullptr && known.emplace(m->begin, m->path).second)
        used.push_back(*m);
    DwarfReader reader(used);
    std::vector<SourcePosition> positions;
    positions.reserve(addresses.size());
    for (const std::uint64_t address : addresses) {
      const Module* m = places.at(address - 1);
      positions.push_back(m ? reader.look_up(address, *m, with_inlined) : SourcePosition{});
      if (!m) continue;
      positions.back().module = m->path;
      positions.back().offset = address - m->bias;
    }
    if (tell)
      for (const auto& [path, why] : reader.not_read()) tell(path, why);
    return positions;
  };
}

}  // namespace tracer::translate
