// Ragged fields through the loader, with every kind of worker.
#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/loader/support/ragged_dataset.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::check_ragged_rows;
using test::delivered_ragged_bytes;
using test::expect_error;
using test::RaggedDataset;

LEAT_LOADER_TEST(every_row, "ragged: every row has its own length, and a short last batch its own rows") {
  const RaggedDataset dataset(100);
  DataLoader loader(dataset, workers.with({.batch_size = 16}));
  std::size_t rows = 0;
  for (const HostBatch& batch : loader.epoch(0)) {
    check_ragged_rows(batch, dataset);
    rows += batch.size();
    CHECK(batch.size() == (batch.number() == 6 ? 4 : 16));
  }
  CHECK(rows == 100);
}

LEAT_LOADER_TEST(same_bytes, "ragged: the same bytes as inline, random lengths included") {
  const RaggedDataset dataset(257);
  DataLoaderOptions options{.batch_size = 32, .shuffle = true, .drop_last = true, .seed = 77};
  DataLoader reference(dataset, options);
  DataLoader loader(dataset, workers.with(options));
  for (const std::uint64_t epoch : {0, 3}) {
    CHECK(delivered_ragged_bytes(loader, epoch) == delivered_ragged_bytes(reference, epoch));
  }
}

LEAT_LOADER_TEST(extremes, "ragged: batches of empty rows, and of rows of the greatest length") {
  const auto by_batch = [](std::size_t index) { return index / 8 % 2 == 0 ? 0 : RaggedDataset::kMaxTokens; };
  const RaggedDataset dataset(32, by_batch);
  DataLoader loader(dataset, workers.with({.batch_size = 8}));
  for (const HostBatch& batch : loader.epoch(0)) {
    check_ragged_rows(batch, dataset);
    const auto tokens = batch.ragged<std::int32_t>("tokens");
    CHECK(tokens.longest() == by_batch(8 * batch.number()));
    CHECK(tokens.values().size() == 8 * tokens.longest());
  }
}

LEAT_LOADER_TEST(too_long, "ragged: a row that is too long loses its batch, and no other") {
  const RaggedDataset dataset(40, [](std::size_t index) { return index == 13 ? 8 : index % 8; });
  DataLoader loader(dataset, workers.with({.batch_size = 4}));
  for (std::uint64_t batch = 0; batch < 10; ++batch) {
    if (batch == 3) {
      expect_error<SampleError>([&] { loader.next(); },
                                {"sample 13", "batch 3", "'tokens'", "length 8", "max_length 7"});
    } else {
      check_ragged_rows(*loader.next(), dataset);
    }
  }
  CHECK_FALSE(loader.next());
}

LEAT_LOADER_TEST(mismatch,
                 "a tensor of the wrong shape is an error with its field, both shapes and its sample") {
  class Images final : public Dataset {
   public:
    std::size_t size() const override { return 6; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t index, Rng&, SampleWriter& out) const override {
      const std::vector<std::uint8_t> pixels(6, static_cast<std::uint8_t>(index));
      out.set_tensor("image.pixels", DType::u8, index == 4 ? Shape{3, 2} : Shape{2, 3}, pixels.data());
    }

   private:
    Schema schema_{{{"image.pixels", DType::u8, {2, 3}}}};
  };
  const Images dataset;
  DataLoader loader(dataset, workers.with({.batch_size = 3}));
  CHECK(loader.next()->view<std::uint8_t, 3>("image.pixels")(2, 1, 0) == 2);
  expect_error<SampleError>([&] { loader.next(); }, {"sample 4 of batch 1", "'image.pixels'",
                                                     "expects u8 [2, 3]", "the sample has u8 [3, 2]"});
}

LEAT_LOADER_TEST(held_batches, "ragged: batches that are held keep their bytes, after the loader too") {
  const RaggedDataset dataset(200);
  std::vector<HostBatch> held;
  {
    DataLoader loader(dataset, workers.with({.batch_size = 8, .max_held_batches = 3}));
    while (auto batch = loader.next()) {
      if (held.size() == 2) held.erase(held.begin());
      held.push_back(std::move(*batch));
      for (const HostBatch& any : held) check_ragged_rows(any, dataset);
    }
  }
  for (const HostBatch& any : held) check_ragged_rows(any, dataset);
}

// Lengths 0 to 7; samples 13 and 14 (neighbors in a chunk), 3 (last of a batch) and 20 (first of one) are bad.
LEAT_LOADER_TEST(left_out, "ragged: a bad sample is left out without a trace in its batch") {
  const RaggedDataset whole(24, [](std::size_t index) { return index % 8; });
  const RaggedDataset dataset(24, [](std::size_t index) {
    const bool bad = index == 3 || index == 13 || index == 14 || index == 20;
    return bad ? RaggedDataset::kMaxTokens + 1 : index % 8;
  });
  DataLoader loader(dataset, workers.with({.batch_size = 4, .on_bad_sample = SampleErrorPolicy::skip}));
  std::vector<std::uint64_t> indices;
  for (const HostBatch& batch : loader.epoch(0)) {
    check_ragged_rows(batch, whole);
    indices.insert(indices.end(), batch.indices().begin(), batch.indices().end());
  }
  CHECK(indices ==
        std::vector<std::uint64_t>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 21, 22, 23});
}

LEAT_LOADER_TEST(stood_in_for, "ragged: a bad sample's neighbor stands in for it, at its own length") {
  const RaggedDataset whole(8, [](std::size_t index) { return index; });
  const RaggedDataset dataset(8, [](std::size_t index) {
    const bool bad = index == 0 || index == 5 || index == 6;
    return bad ? RaggedDataset::kMaxTokens + 1 : index;
  });
  DataLoader loader(dataset, workers.with({.batch_size = 8, .on_bad_sample = SampleErrorPolicy::substitute}));
  const auto batch = loader.next();
  check_ragged_rows(*batch, whole);
  CHECK(std::vector<std::uint64_t>(batch->indices().begin(), batch->indices().end()) ==
        std::vector<std::uint64_t>{1, 1, 2, 3, 4, 4, 4, 7});
}

// Bad in several ways: before anything is written, after some is, in a row, and a whole batch of 16.
bool is_bad(std::size_t index) {
  return index % 7 == 3 || index % 16 == 0 || index == 20 || index == 21 || index / 16 == 5;
}

RaggedDataset with_bad_samples() {
  RaggedDataset dataset(200,
                        [](std::size_t index) { return is_bad(index) && index % 2 == 0 ? 8 : index % 8; });
  dataset.interrupt = [](std::size_t index) {
    if (is_bad(index)) throw DataError("file", "is bad");
  };
  return dataset;
}

LEAT_LOADER_TEST(half_written, "ragged: bad samples leave no trace, however far they were written") {
  const RaggedDataset dataset = with_bad_samples();
  for (const SampleErrorPolicy policy : {SampleErrorPolicy::skip, SampleErrorPolicy::substitute}) {
    DataLoaderOptions options{.batch_size = 16, .on_bad_sample = policy};
    options.bad_sample_limit = {.allowance = 200};
    DataLoader loader(dataset, workers.with(options));
    std::size_t good = 0, rows = 0;
    for (const HostBatch& batch : loader.epoch(0)) {
      check_ragged_rows(batch, dataset);
      for (const std::uint64_t index : batch.indices()) good += is_bad(index) ? 0 : 1;
      rows += batch.size();
    }
    CHECK(good == rows);
    CHECK(rows == (policy == SampleErrorPolicy::substitute ? 200 - 16 : 200 - loader.bad_sample_count()));
    DataLoader reference(dataset, options);
    CHECK(delivered_ragged_bytes(loader, 1) == delivered_ragged_bytes(reference, 1));
  }
}

TEST_CASE("ragged: a sample that ends its workers is left out, and the rows behind it are not", "[process]") {
  RaggedDataset dataset(640);
  const DataLoaderOptions options{.batch_size = 64, .on_bad_sample = SampleErrorPolicy::skip};
  dataset.interrupt = [](std::size_t index) {
    if (index == 500) throw DataError("file", "is bad");
  };
  DataLoader reference(dataset, options);
  const auto expected = delivered_ragged_bytes(reference, 0);
  dataset.interrupt = [](std::size_t index) {
    if (index == 500) ::raise(SIGKILL);
  };
  DataLoader loader(dataset, test::Workers{WorkerKind::processes, 2}.with(options));
  CHECK(delivered_ragged_bytes(loader, 0) == expected);
  CHECK(loader.bad_sample_count() == 1);
}

TEST_CASE("ragged: the same bytes where workers die in the middle of chunks", "[process]") {
  const SharedMemory memory("tries", sizeof(std::atomic<int>) * 300);
  auto* const tries = reinterpret_cast<std::atomic<int>*>(memory.bytes().data());
  const auto length = [](std::size_t index) { return index * 7 % 8; };
  const RaggedDataset healthy(300, length);
  const RaggedDataset dying(300, [&](std::size_t index) {
    if (index % 37 == 5 && tries[index].fetch_add(1) == 0) ::raise(SIGSEGV);
    return length(index);
  });
  DataLoaderOptions options{.batch_size = 32, .shuffle = true};
  DataLoader reference(healthy, options);
  options.num_workers = 2;
  options.on_warning = [](const std::string&) {};
  DataLoader loader(dying, options);
  for (const std::uint64_t epoch : {0, 1}) {
    CHECK(delivered_ragged_bytes(loader, epoch) == delivered_ragged_bytes(reference, epoch));
  }
}

TEST_CASE("ragged rows are padded on request") {
  const RaggedDataset dataset(8);
  DataLoader loader(dataset, {.batch_size = 4});
  const std::optional<HostBatch> batch = loader.next();  // 0, 1, 2 and 3 tokens
  const auto tokens = batch->ragged<std::int32_t>("tokens");

  const auto plain = tokens.padded(-1);
  CHECK(plain.shape == Shape{4, 3});
  CHECK(plain.values == std::vector<std::int32_t>{-1, -1, -1, 100, -1, -1, 200, 201, -1, 300, 301, 302});
  CHECK(tokens.padded(-1, 2).shape == Shape{4, 4});
  CHECK(tokens.padded(-1, 3).shape == Shape{4, 3});
  expect_error<ArgumentError>([&] { tokens.padded(-1, 0); }, {"multiple of 0"});

  std::vector<std::int32_t> out(4 * 5, 7);
  tokens.pad_into(out, 5, -1);
  CHECK(out[5] == 100);
  CHECK(out[6] == -1);
  CHECK(out.back() == -1);
  expect_error<ArgumentError>([&] { tokens.pad_into(out, 6, -1); }, {"'tokens'", "[4, 6]", "20 elements"});
  expect_error<ArgumentError>([&] { tokens.pad_into(out, 2, -1); },
                              {"'tokens'", "row 3", "length 3", "to 2"});
}

TEST_CASE("ragged rows of elements with a shape are padded by whole elements") {
  const RaggedDataset dataset(3);
  DataLoader loader(dataset, {.batch_size = 3});
  const std::optional<HostBatch> batch = loader.next();  // 0, 1 and 2 boxes
  const auto boxes = batch->ragged<const float>("boxes.corners").padded(-1);
  CHECK(boxes.shape == Shape{3, 2, 4});
  const std::vector<float> expected{-1, -1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1,
                                    -1, -1, -1, -1, 2,  2,  2,  2,  2, 2, 2, 2};
  CHECK(boxes.values == expected);
  CHECK(batch->ragged_values("boxes.corners").shape == Shape{3, 4});
  CHECK(batch->ragged_offsets("boxes.corners").shape == Shape{4});
}

TEST_CASE("views of a batch refuse what its fields are not") {
  const RaggedDataset dataset(4);
  DataLoader loader(dataset, {.batch_size = 4});
  const std::optional<HostBatch> batch = loader.next();
  expect_error<ArgumentError>([&] { (*batch)["tokens"]; }, {"'tokens'", "ragged"});
  expect_error<ArgumentError>([&] { batch->ragged<std::int64_t>("label"); }, {"'label'", "fixed shape"});
  expect_error<ArgumentError>([&] { batch->ragged<float>("tokens"); }, {"i32", "f32"});
  expect_error<ArgumentError>([&] { batch->ragged<float>("token"); }, {"'token'", "tokens, label"});
  expect_error<ArgumentError>([&] { batch->text("tokens", 0); }, {"i32", "u8"});
  expect_error<ArgumentError>([&] { batch->text("caption", 4); }, {"row 4", "has 4"});
  expect_error<ArgumentError>([&] { batch->view<std::int64_t, 2>("label"); }, {"[4]", "2"});
  expect_error<ArgumentError>([&] { batch->view<float, 1>("label"); }, {"i64", "f32"});
}

// Captions of up to 8 GiB: more than there is, were it taken for all rows that may be.
class Generous final : public RaggedDataset {
 public:
  Generous() : RaggedDataset(40), schema_({Field::text("caption", std::size_t{8} << 30)}) {}
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    if (index == 5) throw DataError("five", "is bad");
    out.set_text(0, caption(index));
  }

 private:
  Schema schema_;
};

LEAT_LOADER_TEST(generous, "ragged: a generous max_length costs no memory") {
  const Generous dataset;
  auto options = workers.with({.batch_size = 4, .on_bad_sample = SampleErrorPolicy::substitute});
  DataLoader loader(dataset, options);
  std::size_t next = 0;
  for (const HostBatch& batch : loader.epoch(0)) {
    for (std::size_t row = 0; row < batch.size(); ++row, ++next) {
      CHECK(batch.text("caption", row) == RaggedDataset::caption(next == 5 ? 4 : next));
    }
  }
  CHECK(next == 40);
}

TEST_CASE("addresses for ragged fields are asked for by their greatest length") {
  class Long final : public RaggedDataset {
   public:
    Long() : RaggedDataset(1), schema_({Field::text("book", std::size_t{1} << 44)}) {}
    const Schema& schema() const override { return schema_; }

   private:
    Schema schema_;
  };
  const Long dataset;
  expect_error<MemoryError>([&] { DataLoader(dataset, {.batch_size = 4}); }, {"batch slots", "bytes"});
}

}  // namespace
}  // namespace leat
