// SPDX-License-Identifier: BSD-3-Clause
// How definitions of several archives become one where they are equal. For the parts of JoinedDefinitions only.
#pragma once

#include <cstring>
#include <utility>

#include "formats/otf2/join/joined_definitions.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

/// The numbers as bytes: equal definitions have equal ones.
template <typename... Numbers>
std::string key_of(Numbers... numbers) {
  std::string key;
  const auto append = [&](std::uint64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    key.append(bytes, sizeof bytes);
  };
  (append(static_cast<std::uint64_t>(numbers)), ...);
  return key;
}

/// A part's communicators or windows, by the part's own reference.
template <typename Object>
NumberMap<const Object*> by_reference(const std::map<std::uint32_t, Object>& objects) {
  NumberMap<const Object*> result;
  for (const auto& [number, one] : objects)
    if (one.ref) result[*one.ref] = &one;
  return result;
}

inline std::uint32_t narrow(std::uint64_t ref) {
  return static_cast<std::uint32_t>(ref);
}

template <typename T>
std::uint64_t JoinedDefinitions::unify(std::vector<T>& items, std::unordered_map<Key, std::uint64_t>& index, Key key,
                                       T item) {
  const auto [found, is_new] = index.emplace(std::move(key), items.size());
  if (is_new) {
    item.ref = items.size();
    items.push_back(std::move(item));
  }
  return found->second;
}

}  // namespace tracer::otf2
