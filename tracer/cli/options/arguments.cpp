// SPDX-License-Identifier: BSD-3-Clause
// See arguments.hpp.
#include "tracer/cli/options/arguments.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tracer::cli {
namespace {

template <class Validator>
Check checked_by(Validator validator) {
  return [validator = std::move(validator)](CLI::Option& option) { option.check(validator); };
}

/// A number without a sign wraps around in the option parser: -1 would be the largest one.
template <class Value>
constexpr bool is_without_sign = std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>;
template <class Value>
constexpr bool is_without_sign<std::vector<Value>> = is_without_sign<Value>;

std::string wrong_sign(const std::string& value) {
  return value.starts_with('-') ? value + " is negative" : std::string{};
}

/// To say nothing, an option is left out: an empty word is a variable of a script that was never set.
std::string missing_text(const std::string& value) {
  return value.empty() ? "the value is empty" : std::string{};
}

}  // namespace

Check one_of(std::initializer_list<const char*> values) {
  return checked_by(CLI::IsMember(std::vector<std::string>(values.begin(), values.end())));
}

Check in_range(int least, int most) {
  return checked_by(CLI::Range(least, most));
}

Check in_range(unsigned least, unsigned most) {
  return checked_by(CLI::Range(least, most));
}

Check in_range(double least, double most) {
  return checked_by(CLI::Range(least, most));
}

/// The option parser's own names the largest number there is.
Check positive_number() {
  const auto wrong = [](const std::string& value) {
    return CLI::PositiveNumber(value).empty() ? std::string{} : value + " is not a number above 0";
  };
  return checked_by(CLI::Validator{wrong, "POSITIVE"});
}

Check non_negative_number() {
  const auto wrong = [](const std::string& value) {
    return CLI::NonNegativeNumber(value).empty() ? std::string{} : value + " is not a number from 0 on";
  };
  return checked_by(CLI::Validator{wrong, "NONNEGATIVE"});
}

Check not_negative() {
  return checked_by(CLI::Validator{wrong_sign, ""});
}

Check existing_file() {
  return checked_by(CLI::ExistingFile);
}

Check existing_directory() {
  return checked_by(CLI::ExistingDirectory);
}

Check valid_by(std::function<std::string(const std::string&)> wrong) {
  return checked_by(std::move(wrong));
}

std::string wrong_file(const std::string& name) {
  return CLI::ExistingFile(name);
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

Option& Option::check(const Check& check) {
  check(*option_);
  return *this;
}

Option& Option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Option& Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::take_all() {
  option_->take_all();
  return *this;
}

Option& Option::allow_extra_args(bool allow) {
  option_->allow_extra_args(allow);
  return *this;
}

Option& Option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

template <class Value>
Option Arguments::add_option(const std::string& names, Value& value, const std::string& description) {
  Option option{app_.add_option(names, value, description)};
  if constexpr (is_without_sign<Value>) option.check(not_negative());
  if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>)
    option.check(checked_by(CLI::Validator{missing_text, ""}));
  return option;
}

template <class Value>
Option Arguments::add_flag(const std::string& names, Value& value, const std::string& description) {
  // CLI11 from 2.4 on adds a number's flags up and validates its 0 also where the flag is not given.
  CLI::Option* const flag = app_.add_flag(names, value, description);
  flag->force_callback(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->default_str("");
  return Option{flag};
}

template Option Arguments::add_option(const std::string&, std::string&, const std::string&);
template Option Arguments::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Arguments::add_option(const std::string&, std::vector<unsigned>&, const std::string&);
template Option Arguments::add_option(const std::string&, unsigned&, const std::string&);
template Option Arguments::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Arguments::add_option(const std::string&, std::int64_t&, const std::string&);
template Option Arguments::add_option(const std::string&, double&, const std::string&);
template Option Arguments::add_flag(const std::string&, bool&, const std::string&);
template Option Arguments::add_flag(const std::string&, unsigned&, const std::string&);
template Option Arguments::add_flag(const std::string&, std::string&, const std::string&);

void Arguments::add_flag_callback(const std::string& names, std::function<void()> set, const std::string& description) {
  app_.add_flag_callback(names, std::move(set), description);
}

void Arguments::footer(const std::string& text) {
  app_.footer(text);
}

void Arguments::hide() {
  app_.group("");
}

void Arguments::prefix_command() {
  app_.prefix_command();
}

std::vector<std::string> Arguments::remaining() const {
  return app_.remaining();
}

const CLI::App& Arguments::all_commands() const {
  return *app_.get_parent();
}

}  // namespace tracer::cli
