// SPDX-License-Identifier: BSD-3-Clause
// The options of a command: a narrow view of the option parser, whose own header takes the compiler seconds in each
// file.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tracer::cli {

/// What a value must be: describes itself in the help, and refuses the others.
using Check = std::function<void(CLI::Option&)>;
Check one_of(std::initializer_list<const char*> values);
Check in_range(int least, int most);
Check in_range(unsigned least, unsigned most);
Check in_range(double least, double most);
Check positive_number();
Check non_negative_number();
/// The same for an option whose help describes the number itself.
Check not_negative();
Check existing_file();
Check existing_directory();
/// `wrong` returns what is wrong with a value; empty: nothing.
Check valid_by(std::function<std::string(const std::string&)> wrong);
/// For such a function: what is wrong with a name that must be a file's.
std::string wrong_file(const std::string& name);

/// One option; each call returns it again.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* operator->() { return this; }
  Option& required();
  Option& type_name(const char* name);
  Option& check(const Check& check);
  Option& expected(int least, int most);
  Option& delimiter(char between);
  Option& take_all();
  Option& allow_extra_args(bool allow);
  Option& capture_default_str();

 private:
  CLI::Option* option_;
};

/// The options of one command, which live as long as the parser.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}
  /// For the types that arguments.cpp lists.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& description);
  template <class Value>
  Option add_flag(const std::string& names, Value& value, const std::string& description);
  void add_flag_callback(const std::string& names, std::function<void()> set, const std::string& description);
  void footer(const std::string& text);
  void hide();            ///< not listed among the commands
  void prefix_command();  ///< from the first word that is no option on, all remains
  std::vector<std::string> remaining() const;
  const CLI::App& all_commands() const;

 private:
  CLI::App& app_;
};

}  // namespace tracer::cli
