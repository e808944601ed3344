#include "leat/parallel/gradient_reducer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <future>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 20s;

// One rank's model: y = w x, trained on rows (x, 2x) with the loss sum or mean of (y - 2x)^2.
struct Line {
  float w = 1;
  std::vector<Parameter> parameters() {
    return {{.name = "w", .value = {.data = &w, .dtype = DType::f32, .shape = {1}}}};
  }
  float gradient_of_sum(const std::vector<float>& x) const {
    float sum = 0;
    for (const float value : x) sum += 2 * (w * value - 2 * value) * value;
    return sum;
  }
};

// Each rank adds weight * (gradient of the summed loss over its rows) and gets what the reducer makes of it.
std::vector<float> reduced(const std::vector<std::vector<float>>& rows, const std::vector<double>& weights) {
  const int ranks = static_cast<int>(rows.size());
  const Group group = local_group(ranks, kPatience);
  std::vector<float> results(rows.size());
  run_ranks(ranks, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Line line;
    GradientReducer reducer(*group[r], line.parameters());
    const Stream stream = host_device().make_stream();
    auto* gradient = static_cast<float*>(reducer.gradient(0).data);
    host_device().enqueue(
        stream, [&] { *gradient = static_cast<float>(weights[r]) * line.gradient_of_sum(rows[r]); });
    reducer.mark_ready(0, stream);
    reducer.finish(stream);
    stream.ref().synchronize();
    results[r] = *gradient;
  });
  return results;
}

TEST_CASE("local gradients -2 and -26 give -14 on both ranks") {
  const double half = per_rank_loss_weight(2);
  CHECK(reduced({{0, 1}, {2, 3}}, {half, half}) == std::vector<float>{-14, -14});
}

TEST_CASE("exact weights give the gradient of the global mean where rows are split 3 to 1") {
  const std::vector<std::vector<float>> rows{{0, 1, 2}, {3}};
  SECTION("exact: -7") {
    // The mean's gradient is the sum's over n_r, so the weight n_r/N times 1/n_r is 1/N.
    const std::vector<double> weights{exact_loss_weight(3, 4) / 3, exact_loss_weight(1, 4) / 1};
    CHECK(reduced(rows, weights) == std::vector<float>{-7, -7});
  }
  SECTION("mean of the ranks' means, as DDP has it: -10.667") {
    const double half = per_rank_loss_weight(2);
    const std::vector<float> result = reduced(rows, {half / 3, half / 1});
    CHECK(std::abs(result[0] - -32.0F / 3) < 1e-5F);
    CHECK(result[0] == result[1]);
  }
  SECTION("a rank without rows has weight 0") {
    CHECK(reduced({{0, 1, 2, 3}, {}}, {exact_loss_weight(4, 4) / 4, exact_loss_weight(0, 4)}) ==
          std::vector<float>{-7, -7});
  }
}

TEST_CASE("loss weights refuse what cannot be") {
  expect_error<ArgumentError>([] { exact_loss_weight(5, 4); }, {"5 local rows of 4"});
  expect_error<ArgumentError>([] { exact_loss_weight(0, 0); }, {"0 local rows of 0"});
  expect_error<ArgumentError>([] { per_rank_loss_weight(0); }, {"0 ranks"});
}

TEST_CASE("ranks that begin with weights 1 and 77 both train rank 0's") {
  const Group group = local_group(2, kPatience);
  std::vector<Line> lines{{.w = 1}, {.w = 77}};
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const GradientReducer reducer(*group[r], lines[r].parameters());
  });
  CHECK(lines[0].w == 1);
  CHECK(lines[1].w == 1);
}

TEST_CASE("gradients accumulated over two passes are reduced once") {
  const Group group = local_group(2, kPatience);
  std::vector<float> local(2), results(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Line line;
    GradientReducer reducer(*group[r], line.parameters());
    const Stream stream = host_device().make_stream();
    auto* gradient = static_cast<float*>(reducer.gradient(0).data);
    const std::vector<float> x = rank == 0 ? std::vector<float>{0, 1} : std::vector<float>{2, 3};
    *gradient += 0.5F * line.gradient_of_sum(x);
    local[r] = 2 * *gradient;
    *gradient += 0.5F * line.gradient_of_sum(x);
    reducer.mark_ready(0, stream);
    reducer.finish(stream);
    stream.ref().synchronize();
    results[r] = *gradient;
  });
  CHECK(local == std::vector<float>{-2, -26});
  CHECK(results == std::vector<float>{-28, -28});
}

TEST_CASE("ranks with other parameters all refuse, naming the first that differs") {
  const auto errors_for = [](std::vector<std::vector<Shape>> shapes, const std::string& last_name) {
    const Group group = local_group(3, kPatience);
    return errors_of_ranks(3, [&](int rank) {
      std::vector<float> memory(1000);
      std::vector<Parameter> parameters;
      for (const Shape& shape : shapes[static_cast<std::size_t>(rank)]) {
        parameters.push_back({.name = "p" + std::to_string(parameters.size()),
                              .value = {.data = memory.data(), .dtype = DType::f32, .shape = shape}});
      }
      if (rank == 2) parameters.back().name = last_name;
      const GradientReducer reducer(*group[static_cast<std::size_t>(rank)], parameters);
    });
  };
  const auto all_say = [](const std::vector<std::string>& errors, const std::string& fragment) {
    for (const std::string& error : errors) {
      INFO(error);
      CHECK(error.find(fragment) != std::string::npos);
    }
  };
  all_say(errors_for({{{2}, {3, 4}}, {{2}, {3, 4}}, {{2}, {4, 3}}}, "p1"),
          "number 1 is \"p1\" f32 [3, 4] on rank 0, but \"p1\" f32 [4, 3] on rank 2");
  all_say(errors_for({{{2}}, {{2}, {7}}, {{2}}}, "p0"),
          "number 1 is no parameter on rank 0, but \"p1\" f32 [7] on rank 1");
  all_say(errors_for({{{2}}, {{2}}, {{2}}}, "bias"),
          "\"p0\" f32 [2] on rank 0, but \"bias\" f32 [2] on rank 2");
}

// A model of several parameters with random gradients, reduced with mark_ready() in a random order per rank.
struct Model {
  std::vector<Shape> shapes{{300, 7}, {7}, {1}, {64, 65}, {2}, {1000}};
  std::vector<std::vector<float>> values;

  std::vector<Parameter> parameters() {
    std::vector<Parameter> list;
    for (const Shape& shape : shapes) {
      TensorView view{.data = nullptr, .dtype = DType::f32, .shape = shape};
      values.emplace_back(view.count(), 1.0F);
      view.data = values.back().data();
      list.push_back({.name = "p" + std::to_string(list.size()), .value = view});
    }
    return list;
  }
};

std::vector<float> step_of(int rank, unsigned seed, GradientReducer& reducer, StreamRef stream,
                           bool overlap) {
  std::mt19937 random(seed + static_cast<unsigned>(rank));
  std::normal_distribution<float> normal;
  std::vector<std::size_t> order(reducer.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < reducer.size(); ++i) {
    for (float& value : TensorView(reducer.gradient(i)).as<float>()) value = normal(random);
  }
  std::shuffle(order.begin(), order.end(), random);
  if (overlap) {
    for (const std::size_t i : order) reducer.mark_ready(i, stream);
  } else {
    reducer.mark_rest_ready(stream);
  }
  reducer.finish(stream);
  stream.synchronize();
  std::vector<float> all;
  for (std::size_t i = 0; i < reducer.size(); ++i) {
    const auto gradient = TensorView(reducer.gradient(i)).as<float>();
    all.insert(all.end(), gradient.begin(), gradient.end());
  }
  return all;
}

TEST_CASE("gradients agree bit for bit, whatever the bucket sizes, orders and overlap") {
  constexpr int kRanks = 3;
  constexpr double kByte = 1.0 / (1024 * 1024);
  std::vector<std::vector<float>> seen;
  std::mutex mutex;
  for (const double cap : {kByte, 300 * kByte, 20'000 * kByte, 1.0, 25.0}) {
    for (const bool overlap : {true, false}) {
      const Group group = local_group(kRanks, kPatience);
      run_ranks(kRanks, [&](int rank) {
        Model model;
        GradientReducer reducer(*group[static_cast<std::size_t>(rank)], model.parameters(),
                                {.bucket_cap_mb = cap, .first_bucket_mb = std::min(cap, 1.0)});
        const Stream stream = host_device().make_stream();
        std::vector<float> both = step_of(rank, 1, reducer, stream, overlap);
        const std::vector<float> second = step_of(rank, 99, reducer, stream, overlap);
        both.insert(both.end(), second.begin(), second.end());
        const std::lock_guard lock(mutex);
        seen.push_back(std::move(both));
      });
    }
  }
  REQUIRE(seen.size() == std::size_t{10} * kRanks);
  for (const auto& gradients : seen) {
    CHECK(same_bits(gradients, seen[0]));
  }
}

TEST_CASE("parameters with gradients of their own are reduced there") {
  const Group group = local_group(2, kPatience);
  std::vector<std::vector<float>> gradients(2, std::vector<float>(5));
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    std::vector<float> value(5);
    const TensorView own{.data = gradients[r].data(), .dtype = DType::f32, .shape = {5}};
    GradientReducer reducer(
        *group[r],
        {{.name = "own", .value = {.data = value.data(), .dtype = DType::f32, .shape = {5}}, .gradient = own},
         {.name = "lent", .value = {.data = value.data(), .dtype = DType::f32, .shape = {5}}}});
    expect(reducer.gradient(0).data == own.data, "the own memory");
    expect(reducer.gradient(1).data != nullptr, "memory of the reducer");
    const Stream stream = host_device().make_stream();
    std::fill(gradients[r].begin(), gradients[r].end(), static_cast<float>(rank + 1));
    reducer.mark_ready(0, stream);
    reducer.zero_unready(stream);
    reducer.finish(stream);
    stream.ref().synchronize();
  });
  CHECK(gradients[0] == std::vector<float>(5, 3));
  CHECK(gradients[1] == std::vector<float>(5, 3));
}

TEST_CASE("missing gradients are named, and zero_unready() puts it in order") {
  const Group group = local_group(1, kPatience);
  Model model;
  GradientReducer reducer(*group[0], model.parameters());
  const Stream stream = host_device().make_stream();
  for (std::size_t i = 0; i < reducer.size(); ++i) {
    for (float& value : TensorView(reducer.gradient(i)).as<float>()) value = 5;
  }
  reducer.mark_ready(3, stream);
  expect_error<ArgumentError>([&] { reducer.finish(stream); },
                              {"5 of 6", "p0, p1, p2, p4, p5", "zero_unready"});
  reducer.zero_unready(stream);
  reducer.finish(stream);
  stream.ref().synchronize();
  CHECK(TensorView(reducer.gradient(3)).as<float>()[0] == 5);
  CHECK(TensorView(reducer.gradient(2)).as<float>()[0] == 0);
  expect_error<ArgumentError>([&] { reducer.finish(stream); }, {"6 of 6", "..."});
  expect_error<ArgumentError>([&] { reducer.gradient(6); }, {"gradient 6", "there are 6"});
  expect_error<ArgumentError>([&] { reducer.is_ready(6); }, {"gradient 6", "there are 6"});
  expect_error<ArgumentError>([&] { reducer.mark_ready(6); }, {"gradient 6", "there are 6"});
}

// Three parameters of one element each, whose gradients are set by the rank.
struct Three {
  std::array<float, 3> values{};
  std::vector<Parameter> parameters() {
    std::vector<Parameter> list;
    for (float& value : values) {
      list.push_back({.name = "p" + std::to_string(list.size()),
                      .value = {.data = &value, .dtype = DType::f32, .shape = {1}}});
    }
    return list;
  }
};

float& gradient(GradientReducer& reducer, std::size_t i) {
  return *static_cast<float*>(reducer.gradient(i).data);
}

TEST_CASE("ranks that end a pass together know which gradients any of them marked") {
  const Group group = local_group(3, kPatience);
  run_ranks(3, [&](int rank) {
    Three model;
    GradientReducer reducer(*group[static_cast<std::size_t>(rank)], model.parameters());
    const Stream stream = host_device().make_stream();
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t i = 0; i < 3; ++i) gradient(reducer, i) = 100;  // what is not marked counts as 0
      expect(!reducer.in_pass(), "no pass");
      if (rank == 1) {
        gradient(reducer, 2) = 7;
        reducer.mark_ready(2);
        expect(reducer.in_pass() && reducer.is_ready(2) && !reducer.is_ready(0), "gradient 2 is ready");
      }
      if (rank != 2) {
        gradient(reducer, 0) = static_cast<float>(rank + 1);
        reducer.mark_ready(0);
      }
      const PassOutcome outcome = reducer.finish_together(stream);
      expect(outcome.used == std::vector<bool>{true, false, true}, "gradients 0 and 2 are used");
      expect_equal(outcome.abandoned_by, -1, "the rank that gave up");
      expect_equal(gradient(reducer, 0), 3.0F, "gradient 0");
      expect_equal(gradient(reducer, 1), 0.0F, "gradient 1");
      expect_equal(gradient(reducer, 2), 7.0F, "gradient 2");
    }
  });
}

TEST_CASE("a rank that gives up a pass leaves zeros on all ranks, and the next pass is as usual") {
  const Group group = local_group(3, kPatience);
  run_ranks(3, [&](int rank) {
    Three model;
    GradientReducer reducer(*group[static_cast<std::size_t>(rank)], model.parameters());
    const Stream stream = host_device().make_stream();
    for (int pass = 0; pass < 4; ++pass) {
      const bool gives_up = pass % 2 == 0 && rank >= 1;
      for (std::size_t i = 0; i < 3; ++i) {
        gradient(reducer, i) = 1;
        if (!gives_up || i > 0) reducer.mark_ready(i);
      }
      const PassOutcome outcome = reducer.finish_together(stream, gives_up);
      expect_equal(outcome.abandoned_by, pass % 2 == 0 ? 2 : -1, "the rank that gave up");
      for (std::size_t i = 0; i < 3; ++i)
        expect_equal(gradient(reducer, i), pass % 2 == 0 ? 0.0F : 3.0F, "a gradient");
    }
  });
}

TEST_CASE("ranks count their rows together") {
  const Group group = local_group(3, kPatience);
  run_ranks(3, [&](int rank) {
    Line line;
    GradientReducer reducer(*group[static_cast<std::size_t>(rank)], line.parameters());
    expect_equal(reducer.global_rows(static_cast<std::size_t>(rank)), std::size_t{3}, "rows");
    expect_equal(reducer.global_rows(std::size_t{1} << 40), std::size_t{3} << 40, "many rows");
    expect_equal(reducer.global_rows(0), std::size_t{0}, "no rows");
  });
}

TEST_CASE("a lost rank ends the pass with an error on the consumer's stream") {
  Group group = local_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Line line;
    GradientReducer reducer(*group[r], line.parameters());
    if (rank == 1) {
      group[1]->abort("rank 1 fell over");
      return;
    }
    const Stream stream = host_device().make_stream();
    reducer.mark_ready(0, stream);
    reducer.finish(stream);
    stream.ref().synchronize();
  });
  INFO(errors[0]);
  CHECK(errors[0].find("rank 1 fell over") != std::string::npos);
}

TEST_CASE("parameters that cannot be trained are refused") {
  const Group group = local_group(1, kPatience);
  std::vector<float> memory(10);
  const TensorView good{.data = memory.data(), .dtype = DType::f32, .shape = {10}};
  const auto make = [&](Parameter parameter, ReducerOptions options = {}) {
    const GradientReducer reducer(*group[0], {std::move(parameter)}, options);
  };
  TensorView bytes = good;
  bytes.dtype = DType::u8;
  TensorView nowhere = good;
  nowhere.data = nullptr;
  TensorView other = good;
  other.shape = {2, 5};
  expect_error<ArgumentError>([&] { make({.name = "a", .value = bytes}); }, {"\"a\"", "u8"});
  expect_error<ArgumentError>([&] { make({.name = "b", .value = nowhere}); }, {"\"b\"", "no memory"});
  expect_error<ArgumentError>([&] { make({.name = "c", .value = good, .gradient = other}); },
                              {"\"c\"", "[10]", "[2, 5]"});
  expect_error<ArgumentError>([&] { make({.name = "d", .value = good}, {.bucket_cap_mb = 0}); },
                              {"bucket_cap_mb"});
}

TEST_CASE("a bucket waits for the last gradient of every stream that writes one, however slow") {
  const Group group = local_group(2, kPatience);
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<int> finished{0};
  std::jthread opener([&] {
    // A reducer that does not wait for the slow streams is done long before.
    const auto deadline = std::chrono::steady_clock::now() + 300ms;
    while (finished.load() < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    gate.set_value();
  });
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    std::array<float, 3> values{};
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < values.size(); ++i) {
      parameters.push_back({.name = "p" + std::to_string(i),
                            .value = {.data = &values[i], .dtype = DType::f32, .shape = {1}}});
    }
    GradientReducer reducer(*group[r], parameters);
    expect_equal(reducer.bucket_count(), std::size_t{1}, "buckets");
    const Stream slow = host_device().make_stream(), fast = host_device().make_stream();
    const auto write = [&](std::size_t i, const Stream& stream) {
      auto* const gradient = static_cast<float*>(reducer.gradient(i).data);
      host_device().enqueue(stream, [gradient, i] { *gradient = static_cast<float>(i + 1); });
      reducer.mark_ready(i, stream);
    };
    write(2, slow);
    host_device().enqueue(slow, [open] { open.wait(); });
    write(0, slow);
    write(1, fast);
    reducer.finish(fast);
    fast.ref().synchronize();
    ++finished;
    for (std::size_t i = 0; i < values.size(); ++i) {
      expect_equal(*static_cast<float*>(reducer.gradient(i).data), static_cast<float>(2 * (i + 1)), "a sum");
    }
  });
}

}  // namespace
}  // namespace leat::test
