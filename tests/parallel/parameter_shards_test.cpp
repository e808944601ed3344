#include "leat/parallel/parameter_shards.h"

#include <array>
#include <catch2/catch_test_macros.hpp>

#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::size_t, 9> kCounts{3, 1000, 0, 17, 17, 500, 1, 250, 90'000};

struct Model {
  Model() {
    for (const std::size_t count : kCounts) values.emplace_back(count);
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      parameters.push_back({.name = std::to_string(i),
                            .value = {.data = values[i].data(), .dtype = DType::f32, .shape = {kCounts[i]}}});
    }
  }
  std::vector<std::vector<float>> values{};
  std::vector<Parameter> parameters{};
};

TEST_CASE("each rank updates its share, and all ranks have all values then, whatever the size of messages") {
  for (const int ranks : {1, 2, 3, 12}) {
    for (const double cap : {1e-6, 0.0021, 25.0}) {
      INFO(ranks << " ranks, messages of " << cap << " MiB");
      const Group group = local_group(ranks, 20s);
      run_ranks(ranks, [&](int rank) {
        Model model;
        ParameterShards shards(*group[static_cast<std::size_t>(rank)], model.parameters, cap);
        const Stream stream = host_device().make_stream();
        for (int step = 1; step < 4; ++step) {
          for (const std::size_t i : shards.owned()) {
            auto* const values = &model.values[i];
            host_device().enqueue(stream, [values, step, i] {
              std::fill(values->begin(), values->end(), static_cast<float>(step * 100 + static_cast<int>(i)));
            });
          }
          shards.exchange(stream);
          stream.ref().synchronize();
          for (std::size_t i = 0; i < kCounts.size(); ++i) {
            const std::vector<float> wanted(kCounts[i], static_cast<float>(step * 100 + static_cast<int>(i)));
            expect(model.values[i] == wanted, "the new values of parameter " + std::to_string(i));
          }
        }
      });
    }
  }
}

TEST_CASE("every parameter has one owner, and shares are as equal as whole parameters allow") {
  const Group group = local_group(3, 20s);
  std::array<std::vector<int>, 3> owners;
  std::array<std::size_t, 3> elements{};
  run_ranks(3, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Model model;
    const ParameterShards shards(*group[r], model.parameters);
    for (std::size_t i = 0; i < shards.size(); ++i) owners[r].push_back(shards.owner(i));
    for (const std::size_t i : shards.owned()) {
      expect_equal(shards.owner(i), rank, "the owner");
      elements[r] += kCounts[i];
    }
  });
  CHECK(owners[1] == owners[0]);
  CHECK(owners[2] == owners[0]);
  CHECK(elements == std::array<std::size_t, 3>{90'000, 1000, 788});
}

TEST_CASE("parameters that cannot be divided are refused") {
  const Group alone = local_group(1, 20s);
  Model model;
  const auto make = [&](double cap) { ParameterShards(*alone[0], model.parameters, cap); };
  expect_error<ArgumentError>([&] { make(0); }, {"bucket_cap_mb is 0"});
  model.parameters[3].value.data = nullptr;
  expect_error<ArgumentError>([&] { make(1); }, {"\"3\"", "no memory"});
  const Group group = local_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    Model other;
    if (rank == 1) other.parameters[1].value.shape = {10, 100};
    const ParameterShards shards(*group[static_cast<std::size_t>(rank)], other.parameters);
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("number 1 is") != std::string::npos);
  }
  Model good;
  const ParameterShards shards(*alone[0], good.parameters);
  expect_error<ArgumentError>([&] { shards.owner(9); }, {"parameter 9", "there are 9"});
}

}  // namespace
}  // namespace leat::test
