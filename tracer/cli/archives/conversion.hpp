// SPDX-License-Identifier: BSD-3-Clause
// What `run`, `convert` and others share about making archives of raw traces.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tracer/base/config.hpp"
#include "tracer/cli/options/arguments.hpp"
#include "tracer/convert/summary.hpp"
#include "tracer/merge/merge.hpp"

namespace tracer::cli {

/// A run that did not end by the book is recovered.
ConvertResult convert_or_recover(const std::filesystem::path& raw, const std::filesystem::path& directory,
                                 const ConvertOptions& options);

/// A progress bar on a terminal, which goes when the work is done (1).
std::function<void(double)> conversion_bar();

/// The same as convert_or_recover(), with a progress bar.
ConvertResult convert_with_progress(const std::filesystem::path& raw, const std::filesystem::path& directory,
                                    ConvertOptions options);

/// That another process converts what this one was to convert.
void print_waiting(const std::filesystem::path& directory);

/// The lines about a merged job.
void print_merged(const MergeResult& result, bool quiet);

/// That the parts of a job stay as they are, and the command that merges them. `why`: "", or begins with a comma.
std::string why_not_merged(const std::filesystem::path& job, const std::string& why);

/// That more than the archive in `directory` is there, where that is a job's: the parts of its other processes.
void print_rest_of_job(const std::filesystem::path& directory);

/// Of a command itself, by the environment: prints a line for each TRACER_* variable that is not valid.
Config own_settings();

/// TRACER_THREADS and TRACER_KEEP_RAW of a program that ran with `settings` (NAME=VALUE); its tool has named what is
/// not valid.
ConvertOptions conversion_of_run(const std::vector<std::string>& settings);

/// The same by own_settings().
ConvertOptions own_conversion();

/// -j, whose 0 stands for TRACER_THREADS.
void add_threads(Arguments& app, unsigned& threads, const std::string& what_for);

/// TRACER_OUTPUT as it was written: `given`, or the environment's, or the default.
std::string wanted_output(const std::string& given);

/// The newest of this user's ./tracer-* that has a raw trace; "" none.
std::filesystem::path newest_raw_trace();

/// Whether only this user (and root) can put files there: in other places symbolic links may wait for what we write.
/// True also for what does not exist.
bool is_own_place(const std::filesystem::path& directory);

/// Throws tracer::Error for a place that is not, with the advice `what_else`, and for what is no directory.
void require_own_place(const std::filesystem::path& directory, const std::string& what_else);

/// Before the work whose result becomes an archive in `directory`, which is made with those above it: throws
/// tracer::Error where something is in it, others can write there, or this user cannot. "": one with a new name in the
/// working directory. Changes nothing.
void require_place_for_archive(const std::filesystem::path& directory);

}  // namespace tracer::cli
