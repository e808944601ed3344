// One prefetcher on several GPUs of the fake CUDA runtime; ragged fields; graphs that are replayed.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/scripted_source.h"
#include "tests/transfer/support/uneven_dataset.h"
#include "tests/transfer/support/view_bytes.h"

namespace leat::test {
namespace {

using Bytes = std::vector<std::byte>;

// The bytes of device memory, as the consumer's stream sees them.
class Seen {
 public:
  Seen(const TensorView& view, StreamRef stream) : copy_(stream.device().allocate_pinned(view.bytes())) {
    if (view.bytes() == 0) return;
    stream.device().copy(copy_.data(), view.data, view.bytes(), stream);
    cuda_fake::use(static_cast<cudaStream_t>(stream.handle()), view.data, view.bytes(),
                   cuda_fake::Access::read);
  }
  // To be called when the stream is synchronized.
  Bytes bytes() const { return {copy_.data(), copy_.data() + copy_.size()}; }

 private:
  PinnedBuffer copy_;
};

struct SeenPart {
  std::uint64_t number;
  RowRange rows;
  Seen image, label, values, offsets;
};

using test::bytes_of;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto* const first = reinterpret_cast<const std::byte*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

void check_part(const SeenPart& part, const HostBatch& whole) {
  const auto offsets = whole.ragged_offsets("tokens").as<std::int64_t>();
  const auto [first, last] = part.rows;
  std::vector<std::int64_t> own;
  for (std::size_t row = first; row <= last; ++row) own.push_back(offsets[row] - offsets[first]);
  CHECK((part.image.bytes() == bytes_of(whole["image"].rows(first, last))));
  CHECK((part.label.bytes() == bytes_of(whole["label"].rows(first, last))));
  CHECK((part.offsets.bytes() == bytes_of(own)));
  CHECK((part.values.bytes() ==
         bytes_of(whole.ragged_values("tokens").rows(static_cast<std::size_t>(offsets[first]),
                                                     static_cast<std::size_t>(offsets[last])))));
}

// Has the fields of an UnevenDataset. The values of "tokens" take many pages of each slot, and less than a third of the
// room for them.
class LongRows final : public Dataset {
 public:
  static std::size_t length(std::size_t index) { return 1500 + index % 7; }

  std::size_t size() const override { return 22; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    std::ranges::fill(out.values<std::uint8_t>("image"), static_cast<std::uint8_t>(5 * index));
    const auto tokens = out.ragged<std::int32_t>("tokens", length(index));
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(100 * index + i);
    out.set("label", static_cast<std::int64_t>(index));
  }

  static std::size_t fixed_bytes(std::size_t rows) { return rows * (900 + sizeof(std::int64_t)); }
  static std::size_t value_bytes(std::size_t first, std::size_t last) {
    std::size_t sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += length(i) * sizeof(std::int32_t);
    return sum;
  }
  static std::size_t offset_bytes(std::size_t rows) { return (rows + 1) * sizeof(std::int64_t); }

 private:
  Schema schema_{{{"image", DType::u8, {900}},
                  Field::ragged("tokens", DType::i32, {.max_length = 5000}),
                  {"label", DType::i64, {}}}};
};

// Loads an epoch of LongRows in batches of 4 on these GPUs, checks what arrives, and returns the figures.
PrefetcherStats load_long_rows(const std::vector<std::reference_wrapper<Device>>& devices,
                               std::vector<std::string>& warnings) {
  const LongRows data;
  DataLoader loader(data, {.batch_size = 4}), expected(data, {.batch_size = 4});
  std::vector<Stream> owned;
  for (Device& device : devices) owned.push_back(device.make_stream());
  const std::vector<StreamRef> streams(owned.begin(), owned.end());
  Prefetcher feed(loader, devices,
                  {.on_warning = [&](const std::string& text) { warnings.push_back(text); }});
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, streams)) {
    std::vector<SeenPart> seen;
    for (const DeviceBatch& part : parts) {
      const StreamRef stream = part.stream();
      seen.push_back({part.number(), part.rows(), Seen(part["image"], stream), Seen(part["label"], stream),
                      Seen(part.ragged_values("tokens"), stream),
                      Seen(part.ragged_offsets("tokens"), stream)});
    }
    for (const StreamRef stream : streams) stream.synchronize();
    const HostBatch whole = expected.next().value();
    for (const SeenPart& part : seen) check_part(part, whole);
  }
  CHECK_FALSE(expected.next().has_value());
  return feed.stats();
}

// Some of the fields of fixed shape, or none.
std::vector<std::string> some_fields(std::uint64_t choice) {
  std::vector<std::string> fields;
  if ((choice & 1) != 0) fields.emplace_back("image");
  if ((choice & 2) != 0) fields.emplace_back("label");
  return fields;
}

void load_on_both(std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  cuda_fake::run_randomly(random());
  const UnevenDataset data(20 + random() % 30);
  const DataLoaderOptions options{.batch_size = 2 + random() % 7, .shuffle = true};
  DataLoader loader(data, options), expected(data, options);
  const Stream first = cuda_device(0).make_stream(), second = cuda_device(1).make_stream();
  const std::vector<StreamRef> streams{first, second};
  std::vector<SeenPart> seen;
  {
    Prefetcher feed(loader, {cuda_device(0), cuda_device(1)},
                    {.buffers = 1 + random() % 3,
                     .normalize = {{"image", "float", {}}},
                     .mapped = some_fields(random() % 4)});
    for (const std::vector<DeviceBatch>& parts : feed.epoch(2, streams)) {
      for (const DeviceBatch& part : parts) {
        const StreamRef stream = part.stream();
        seen.push_back({part.number(), part.rows(), Seen(part["image"], stream), Seen(part["label"], stream),
                        Seen(part.ragged_values("tokens"), stream),
                        Seen(part.ragged_offsets("tokens"), stream)});
      }
    }
  }
  for (const StreamRef stream : streams) stream.synchronize();
  cuda_fake::go_free();
  expected.start_epoch(2);
  auto part = seen.begin();
  while (const auto whole = expected.next()) {
    for (const RowRange rows : chunk_rows(whole->size(), 2)) {
      REQUIRE(part != seen.end());
      CHECK(part->number == whole->number());
      CHECK(part->rows == rows);
      check_part(*part++, *whole);
    }
  }
  CHECK(part == seen.end());
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE(
    "in any order of streams, two GPUs get their rows of each batch, of ragged and of mapped fields too") {
  const auto before = cuda_fake::counts().pageable_copies;
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 100; ++seed) load_on_both(seed);
  CHECK(cuda_fake::counts().pageable_copies == before);
}

TEST_CASE("the slots are registered once for all GPUs, and every copy comes from them") {
  ScriptedSource source({.batches = 8});
  const auto before = cuda_fake::counts().pageable_copies;
  const auto registered = cuda_fake::holdings().registrations;
  const Stream first = cuda_device(0).make_stream(), second = cuda_device(1).make_stream();
  const std::vector<StreamRef> streams{first, second};
  Prefetcher feed(source.source(), {cuda_device(0), cuda_device(1)});
  CHECK(cuda_fake::holdings().registrations == registered + 1);
  std::size_t parts = 0;
  for (const std::vector<DeviceBatch>& both : feed.epoch(0, streams)) parts += both.size();
  CHECK(parts == 15);  // the last batch has one row
  CHECK(feed.stats().direct_batches == 8);
  CHECK(feed.stats().bounced_batches == 0);
  CHECK(cuda_fake::counts().pageable_copies == before);
}

TEST_CASE("of a ragged field, only what the rows hold is copied") {
  const UnevenDataset data(24);
  DataLoader loader(data, {.batch_size = 6});
  const Stream stream = cuda_device(0).make_stream();
  Prefetcher feed(loader, cuda_device(0));
  for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, stream)) continue;
  stream.ref().synchronize();
  const std::size_t fixed = 24 * (4 * 4 * 3 + sizeof(std::int64_t));
  const std::size_t ragged = UnevenDataset::elements(0, 24) * 2 * sizeof(std::int32_t);
  CHECK(feed.stats().devices[0].copied_bytes == fixed + ragged + 4 * 7 * sizeof(std::int64_t));
}

TEST_CASE("of batches with ragged fields, only values and moved offsets go through page-locked buffers") {
  const auto pageable = cuda_fake::counts().pageable_copies;
  const cuda_fake::Holdings before = cuda_fake::holdings();
  std::vector<std::string> warnings;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    INFO("seed " << seed);
    cuda_fake::run_randomly(seed);
    const PrefetcherStats one = load_long_rows({cuda_device(0)}, warnings);
    CHECK(one.bounced_batches == 6);
    CHECK(one.direct_batches == 0);
    CHECK(one.devices[0].bounced_bytes == LongRows::value_bytes(0, 22));
    CHECK(one.devices[0].copied_bytes == LongRows::fixed_bytes(22) + LongRows::value_bytes(0, 22) +
                                             5 * LongRows::offset_bytes(4) + LongRows::offset_bytes(2));
    const PrefetcherStats two = load_long_rows({cuda_device(0), cuda_device(1)}, warnings);
    std::size_t first = 0, second = 0;
    for (std::size_t row = 0; row < 22; ++row)  // the last batch has a row for each
      (row < 20 ? row % 4 < 2 : row == 20) ? first += LongRows::value_bytes(row, row + 1)
                                           : second += LongRows::value_bytes(row, row + 1);
    CHECK(two.devices[0].bounced_bytes == first);
    CHECK(two.devices[1].bounced_bytes == second + 5 * LongRows::offset_bytes(2) + LongRows::offset_bytes(1));
  }
  cuda_fake::go_free();
  CHECK(warnings.empty());
  CHECK(cuda_fake::counts().pageable_copies == pageable);
  CHECK(cuda_fake::holdings() == before);
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("if a part of the slots cannot be page-locked, none is, which a warning tells") {
  const auto pageable = cuda_fake::counts().pageable_copies;
  const cuda_fake::Holdings before = cuda_fake::holdings();
  std::vector<std::string> warnings;
  cuda_fake::fail_call(3, cudaErrorMemoryAllocation, "cudaHostRegister");
  const PrefetcherStats stats = load_long_rows({cuda_device(0)}, warnings);
  CHECK(cuda_fake::failed_call() == "cudaHostRegister");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("could not be page-locked") != std::string::npos);
  CHECK(stats.devices[0].bounced_bytes == stats.devices[0].copied_bytes);
  CHECK(cuda_fake::counts().pageable_copies == pageable);
  CHECK(cuda_fake::holdings() == before);
}

TEST_CASE("a GPU and the CPU divide a batch") {
  ScriptedSource source({.batches = 4});
  const Stream gpu = cuda_device(1).make_stream(), cpu = host_device().make_stream();
  const std::vector<StreamRef> streams{gpu, cpu};
  Prefetcher feed(source.source(), {cuda_device(1), host_device()});
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, streams)) {
    if (parts.size() < 2) continue;
    cpu.ref().synchronize();
    const auto slot = ScriptedSource::slot_bytes(source.layout(), 0, parts[0].number());
    const std::size_t row = 6 * 4 * 3;
    CHECK((bytes_of(parts[1]["image"]) == Bytes(slot.begin() + 2 * static_cast<std::ptrdiff_t>(row),
                                                slot.begin() + 4 * static_cast<std::ptrdiff_t>(row))));
  }
}

TEST_CASE("a graph for each buffer, captured once, is replayed on every batch") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  auto* const raw = static_cast<cudaStream_t>(stream.ref().handle());
  const std::size_t bytes = 4 * 6 * 4 * 3;
  const PinnedBuffer result = device.allocate_pinned(bytes);
  Prefetcher feed(source.source(), device, {.buffers = 3});
  std::map<std::size_t, std::unique_ptr<FakeGraph>> graphs;
  for (const std::uint64_t epoch : {0, 1}) {
    for (const DeviceBatch& batch : feed.epoch(epoch, stream)) {
      if (batch.size() < 4) continue;
      auto& graph = graphs[batch.buffer()];
      if (graph == nullptr) {
        const TensorView image = batch["image"];
        graph = std::make_unique<FakeGraph>(
            raw, [&] { device.copy(result.data(), image.data, image.bytes(), stream); });
      }
      graph->launch(raw);
      stream.ref().synchronize();
      auto expected = ScriptedSource::slot_bytes(source.layout(), epoch, batch.number());
      expected.resize(bytes);
      CHECK((Bytes(result.data(), result.data() + bytes) == expected));
    }
  }
  CHECK(graphs.size() <= 3);  // for 14 batches
  graphs.clear();
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("buffers beyond a GPU's memory are refused with what is needed and what is free") {
  expect_error<DeviceError>([] { cuda_device(1).allocate(std::size_t{5} << 30); },
                            {"cuda:1", "5368709120 bytes", "4294967296 bytes are free"});
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  const cuda_fake::Holdings before = cuda_fake::holdings();
  ScriptedSource source({});
  cuda_fake::fail_call(2, cudaErrorMemoryAllocation, "cudaMalloc");  // for the second buffer
  expect_error<DeviceError>([&] { Prefetcher feed(source.source(), cuda_device(1)); },
                            {"cuda:1", "cudaMalloc of", "bytes are free"});
  CHECK(cuda_fake::holdings() == before);
}

TEST_CASE("a GPU that is lost ends an epoch on two with an error, and slots are given back") {
  ScriptedSource source({.batches = 8});
  const cuda_fake::Holdings before = cuda_fake::holdings();
  {
    const Stream first = cuda_device(0).make_stream(), second = cuda_device(1).make_stream();
    const std::vector<StreamRef> streams{first, second};
    Prefetcher feed(source.source(), {cuda_device(0), cuda_device(1)});
    expect_error<DeviceError>(
        [&] {
          for (const std::vector<DeviceBatch>& parts : feed.epoch(0, streams)) {
            if (parts[0].number() == 2) cuda_fake::lose(cudaErrorIllegalAddress);
          }
        },
        {"cuda:", "cudaErrorIllegalAddress", "earlier"});
  }
  cuda_fake::recover();
  CHECK(source.leased() == 0);
  CHECK(cuda_fake::holdings() == before);
  cudaGetLastError();
}

}  // namespace
}  // namespace leat::test
