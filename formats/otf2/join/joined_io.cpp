// SPDX-License-Identifier: BSD-3-Clause
// Windows of one-sided communication, files and I/O handles of several archives. See joined_definitions.hpp.
#include <algorithm>

#include "formats/otf2/join/joined_unify.hpp"

namespace tracer::otf2 {

void JoinedDefinitions::add_windows(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps) {
  using R = ReferenceKind;
  const auto window_of = by_reference(identity.mpi->windows);
  for (const RmaWindowDef& w : part.windows) {
    RmaWindowDef own{windows.size(), narrow(maps.at(R::string, w.name)), narrow(maps.at(R::comm, w.comm)), w.flags};
    if (const auto found = window_of.find(w.ref); found != window_of.end()) {
      const auto [same, is_new] =
          mpi_window_index_.emplace(worlds_.identity(*identity.mpi, found->second->identity), narrow(own.ref));
      maps.set(R::rma_window, w.ref, same->second);
      if (!is_new) continue;
    }
    maps.set(R::rma_window, w.ref, own.ref);
    windows.push_back(own);
  }
}

/// What is equal is one: a handle of a communicator is the same one for all of its processes
/// (docs/formats/job-parts.md). I/O paradigms have no mapping, so that one of another name under a number that is taken
/// is not kept.
void JoinedDefinitions::add_io(const TraceDefinitions& part, PartMaps& maps) {
  using R = ReferenceKind;
  const auto map = [&maps](R kind, std::uint32_t ref) {
    return ref == undefined_ref ? undefined_ref : narrow(maps.at(kind, ref));
  };
  const auto node_of = [&maps](std::uint32_t ref) {
    const auto found = maps.nodes.find(ref);
    return found == maps.nodes.end() ? undefined_ref : found->second;
  };
  for (const IoParadigmDef& p : part.io_paradigms) {
    const IoParadigmDef own{p.ref, map(R::string, p.identification), map(R::string, p.name), p.paradigm_class, p.flags};
    const auto same = [&own](const IoParadigmDef& other) { return other.ref == own.ref; };
    const auto known = std::find_if(io_paradigms.begin(), io_paradigms.end(), same);
    if (known == io_paradigms.end()) {
      io_paradigms.push_back(own);
    } else if (known->identification != own.identification) {
      ++not_joined;
    }
  }
  for (const IoFileDef& f : part.io_files) {
    const IoFileDef own{0, map(R::string, f.name), node_of(f.scope), f.is_directory};
    maps.set(R::io_file, f.ref, unify(io_files, io_file_index_, key_of(own.name, own.scope, own.is_directory), own));
  }
  for (const IoHandleDef& h : part.io_handles) {  // parents come first
    const IoHandleDef own{0,       map(R::string, h.name), map(R::io_file, h.file),     h.paradigm,
                          h.flags, map(R::comm, h.comm),   map(R::io_handle, h.parent), h.pre_created};
    maps.set(R::io_handle, h.ref,
             unify(io_handles, io_handle_index_,
                   key_of(own.name, own.file, own.paradigm, own.flags, own.comm, own.parent), own));
  }
}

}  // namespace tracer::otf2
