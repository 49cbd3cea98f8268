// SPDX-License-Identifier: BSD-3-Clause
// See numbering.hpp.
#include "formats/otf2/write/numbering.hpp"

#include <array>
#include <limits>
#include <numeric>

#include "formats/otf2/write/encode.hpp"

namespace tracer::otf2 {
namespace {

template <typename T>
std::vector<std::uint32_t> number(const std::vector<T>& items) {
  std::vector<std::uint32_t> references;
  references.reserve(items.size());
  std::uint32_t next = 0;
  for (const T& item : items) references.push_back(item.used ? next++ : undefined_ref);
  return references;
}

/// Whether a used one stands behind one that is not.
bool has_gap(const std::vector<std::uint32_t>& references) {
  for (std::uint32_t i = 0; i < references.size(); ++i)
    if (references[i] != i && references[i] != undefined_ref) return true;
  return false;
}

/// A mapping table: kind 5, length, what it maps, number of entries, 0 (dense), the entries.
void append(std::vector<std::uint8_t>& to, std::uint8_t what, const std::vector<std::uint32_t>& references) {
  constexpr std::uint8_t mapping_table = 5, dense = 0, long_record = 0xff;
  constexpr std::size_t most_of_number = 9;
  std::vector<std::uint8_t> body((references.size() + 2) * most_of_number);
  std::uint8_t* end = put_u8(body.data(), what);
  end = put_u8(put(end, std::uint64_t{references.size()}), dense);
  for (const std::uint32_t ref : references)
    end = put(end, ref == undefined_ref ? std::numeric_limits<std::uint64_t>::max() : std::uint64_t{ref});
  body.resize(static_cast<std::size_t>(end - body.data()));
  std::array<std::uint8_t, 10> head;
  std::uint8_t* begun = put_u8(head.data(), mapping_table);
  begun = body.size() < long_record ? put_u8(begun, static_cast<std::uint8_t>(body.size()))
                                    : put_full(put_u8(begun, long_record), body.size());
  to.insert(to.end(), head.data(), begun);
  to.insert(to.end(), body.begin(), body.end());
}

}  // namespace

Numbering::Numbering(const Definitions& definitions)
    : attributes_(number(definitions.attributes)),
      parameters_(number(definitions.parameters)),
      groups_(number(definitions.groups)),
      comms_(number(definitions.comms)),
      windows_(number(definitions.windows)) {
  constexpr std::uint8_t of_attributes = 1, of_groups = 4, of_comms = 6, of_parameters = 7,
                         of_windows = 8;  // OTF2_MappingType
  constexpr std::size_t most = 8 << 20;   // half of the largest chunk, into which they must go; else gaps do less harm
  if (has_gap(attributes_)) append(tables_, of_attributes, attributes_);
  if (has_gap(groups_)) append(tables_, of_groups, groups_);
  if (has_gap(comms_)) append(tables_, of_comms, comms_);
  if (has_gap(parameters_)) append(tables_, of_parameters, parameters_);
  if (has_gap(windows_)) append(tables_, of_windows, windows_);
  if (tables_.size() <= most) return;
  tables_.clear();
  for (References* references : {&attributes_, &parameters_, &groups_, &comms_, &windows_})
    std::iota(references->begin(), references->end(), 0U);
}

}  // namespace tracer::otf2
