// SPDX-License-Identifier: BSD-3-Clause
// The options of snapshot and attach for the OMPD plugin.
#pragma once

#include "tracer/cli/options/arguments.hpp"
#include "tracer/ompd/plugin.hpp"

namespace tracer::cli {

inline void add_plugin_options(Arguments& app, ompd::PluginChoice& choice) {
  app.add_option("--ompd", choice.file, "The runtime's plugin (default: searched beside libomp)")
      ->type_name("LIBOMPD.SO")
      ->check(existing_file());
  app.add_option("--ompd-safe-path", choice.safe_path,
                 "Also take the plugin from below this directory for processes of other users and containers, and as "
                 "root for core files; may be repeated")
      ->type_name("DIR")
      ->check(existing_directory())
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace tracer::cli
