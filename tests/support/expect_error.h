// Checks on errors: their type, and what their text says.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <typeinfo>

#include "leat/datasets/errors.h"

namespace leat::test {

namespace detail {
// One CHECK per fragment that describe(error) must hold.
void check_fragments(const std::exception& error, std::initializer_list<std::string_view> fragments);
[[noreturn]] void fail_no_error(std::string_view wanted);
[[noreturn]] void fail_other_error(std::string_view wanted, const std::exception& error);
}  // namespace detail

// Runs `function`, which must throw an E (or something derived from it) whose text, with the texts nested in
// it, holds every fragment: expect_error<DataError>([&] { open(path); }, {"a.jpg", "truncated"}). Returns the
// text.
template <class E, class Function>
std::string expect_error(Function&& function, std::initializer_list<std::string_view> fragments = {}) {
  try {
    function();
  } catch (const E& error) {
    detail::check_fragments(error, fragments);
    return describe(error);
  } catch (const std::exception& error) {
    detail::fail_other_error(typeid(E).name(), error);
  }
  detail::fail_no_error(typeid(E).name());
}

}  // namespace leat::test
