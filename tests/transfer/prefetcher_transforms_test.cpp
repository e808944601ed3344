// What a prefetcher computes of batches beside normalization: names, shapes and parameters. What the operations compute
// is tested by the contract of devices.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>

#include "leat/loader/data_loader.h"
#include "leat/transfer/host/host_device.h"
#include "leat/transfer/mixing_draws.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"

using namespace leat;
using namespace leat::detail;

using test::expect_error;

namespace {

constexpr std::size_t kClasses = 5;
constexpr std::size_t kPixels = 4 * 6 * 3;

// Sample i has i % 8 tokens, the class i % 5, and is mirrored if i % 3 is 0.
class Samples final : public Dataset {
 public:
  std::size_t size() const override { return 30; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    const auto image = out.values<std::uint8_t>("image");
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = pixel(index, i);
    out.set("mirror", static_cast<std::uint8_t>(index % 3 == 0 ? 1 : 0));
    out.set("label", static_cast<std::int32_t>(index % kClasses));
    const auto tokens = out.ragged<std::uint16_t>("tokens", index % 8);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = token(index, i);
  }
  static std::uint8_t pixel(std::size_t index, std::size_t i) {
    return static_cast<std::uint8_t>(7 * index + i);
  }
  static std::uint16_t token(std::size_t index, std::size_t i) {
    return static_cast<std::uint16_t>(60'000 + 10 * index + i);
  }

 private:
  Schema schema_{{{"image", DType::u8, {4, 6, 3}},
                  {"mirror", DType::u8, {}},
                  {"label", DType::i32, {}},
                  Field::ragged("tokens", DType::u16, {.max_length = 7})}};
};

// A prefetcher of batches of six samples, on the CPU.
struct Scene {
  explicit Scene(std::vector<BatchTransform> transforms)
      : feed(loader, host_device(), {.transforms = std::move(transforms)}) {}

  std::optional<DeviceBatch> next() {
    auto batch = feed.next(stream);
    stream.ref().synchronize();
    return batch;
  }

  const Samples samples{};
  DataLoader loader{samples, {.batch_size = 6}};
  const Stream stream = host_device().make_stream();
  Prefetcher feed;
};

FieldNormalization floats(const std::string& output = "") {
  FieldNormalization floats{.field = "image", .output = output, .how = {}};
  floats.how.layout = PixelLayout::nhwc;
  return floats;
}

void expect_refusal(std::vector<BatchTransform> transforms,
                    std::initializer_list<std::string_view> fragments) {
  expect_error<ArgumentError>([&] { Scene scene(std::move(transforms)); }, fragments);
}

}  // namespace

TEST_CASE("ragged rows are padded to the longest of their batch, with a mask and lengths") {
  Scene scene({FieldPadding{.field = "tokens",
                            .output = "padded",
                            .multiple_of = 4,
                            .fill = std::uint16_t{9},
                            .mask = "mask",
                            .lengths = "lengths"}});
  while (const auto batch = scene.next()) {
    std::size_t longest = 0;
    for (const std::uint64_t index : batch->indices()) longest = std::max<std::size_t>(longest, index % 8);
    const std::size_t length = (longest + 3) / 4 * 4;
    const TensorView padded = (*batch)["padded"], mask = (*batch)["mask"], lengths = (*batch)["lengths"];
    REQUIRE(padded.shape == Shape{6, length});
    REQUIRE(mask.shape == Shape{6, length});
    REQUIRE(lengths.shape == Shape{6});
    CHECK(mask.dtype == DType::boolean);
    const auto* const flags = static_cast<const std::uint8_t*>(mask.data);
    for (std::size_t row = 0; row < 6; ++row) {
      const std::size_t index = batch->indices()[row];
      CHECK(lengths.as<std::int64_t>()[row] == static_cast<std::int64_t>(index % 8));
      for (std::size_t i = 0; i < length; ++i) {
        CHECK(padded.as<std::uint16_t>()[row * length + i] == (i < index % 8 ? Samples::token(index, i) : 9));
        CHECK(flags[row * length + i] == (i < index % 8 ? 1 : 0));
      }
    }
    CHECK(batch->ragged_values("tokens").shape.size() == 1);  // still there
  }
}

TEST_CASE("padded rows hide the ragged field if they have its name, and are widened") {
  Scene scene({FieldPadding{.field = "tokens", .length = 7}, FieldWidening{.field = "tokens"}});
  const auto batch = scene.next();
  const TensorView tokens = (*batch)["tokens"];
  REQUIRE(tokens.shape == Shape{6, 7});
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t i = 0; i < 7; ++i)
      CHECK(tokens.as<std::int64_t>()[row * 7 + i] == (i < row % 8 ? Samples::token(row, i) : 0));
  }
  expect_error<ArgumentError>([&] { batch->ragged_values("tokens"); }, {"\"tokens\"", "padded", "output"});
}

TEST_CASE("a batch without any element pads to rows of none") {
  class Empty final : public Dataset {
   public:
    std::size_t size() const override { return 4; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override { out.ragged<float>("values", 0); }

   private:
    Schema schema_{{Field::ragged("values", DType::f32, {.max_length = 3})}};
  };
  const Empty empty;
  DataLoader loader(empty, {.batch_size = 2});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(loader, host_device(), {.transforms = {FieldPadding{.field = "values"}}});
  for (const DeviceBatch& batch : feed.epoch(0, stream)) CHECK(batch["values"].shape == Shape{2, 0});
  stream.ref().synchronize();
}

TEST_CASE("a row that is longer than the length it is padded to is an error in its batch's place, or cut") {
  Scene strict({FieldPadding{.field = "tokens", .length = 5}});
  CHECK(strict.next()->number() == 0);  // samples 0 to 5
  expect_error<ArgumentError>([&] { strict.next(); }, {"batch 1", "\"tokens\"", "7 elements", "padded to 5"});
  Scene cut({FieldPadding{.field = "tokens", .length = 5, .truncate = true}});
  cut.next();
  const auto batch = cut.next();  // samples 6 to 11
  const auto tokens = (*batch)["tokens"].as<std::uint16_t>();
  REQUIRE(tokens.size() == 30);
  CHECK(tokens[5 + 4] == Samples::token(7, 4));
  CHECK(tokens[5 + 5] == 0);  // sample 8 has no tokens
}

TEST_CASE("labels become targets") {
  Scene scene({FieldOneHot{.field = "label", .output = "target", .classes = kClasses, .smoothing = 0.1}});
  const auto batch = scene.next();
  const TensorView targets = (*batch)["target"];
  REQUIRE(targets.shape == Shape{6, kClasses});
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t c = 0; c < kClasses; ++c)
      CHECK(targets.as<float>()[row * kClasses + c] == (c == row % kClasses ? 0.92F : 0.02F));
  }
  CHECK((*batch)["label"].dtype == DType::i32);
}

TEST_CASE("images are mirrored where a field of the dataset says so") {
  FieldNormalization mirrored = floats();
  mirrored.flipped = "mirror";
  Scene scene({floats("plain"), mirrored});
  const auto batch = scene.next();
  const auto plain = (*batch)["plain"].as<float>(), image = (*batch)["image"].as<float>();
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 6; ++x) {
        const std::size_t source = row % 3 == 0 ? 5 - x : x;
        for (std::size_t c = 0; c < 3; ++c)
          CHECK(image[row * kPixels + (y * 6 + x) * 3 + c] ==
                plain[row * kPixels + (y * 6 + source) * 3 + c]);
      }
    }
  }
}

TEST_CASE("images and targets of a batch are mixed by one lambda, which differs by batch") {
  Scene scene({floats("plain"), floats(), FieldOneHot{.field = "label", .classes = kClasses},
               BatchMixUp{.images = "image", .targets = "label", .seed = 3}});
  std::set<double> lambdas;
  for (const std::uint64_t epoch : {0, 1}) {
    scene.feed.start_epoch(epoch);
    while (const auto batch = scene.next()) {
      Rng rng = mixing_rng(3, epoch, batch->number());
      const double lambda = draw_mixup(rng, 1).lambda;
      lambdas.insert(lambda);
      const auto plain = (*batch)["plain"].as<float>(), image = (*batch)["image"].as<float>();
      const auto targets = (*batch)["label"].as<float>();
      for (std::size_t row = 0; row < 6; ++row) {
        const std::size_t partner = (row + 5) % 6;
        const double expected =
            lambda * plain[row * kPixels + 1] + (1 - lambda) * plain[partner * kPixels + 1];
        CHECK(std::abs(image[row * kPixels + 1] - expected) < 1e-6);
        const std::size_t own = batch->indices()[row] % kClasses,
                          other = batch->indices()[partner] % kClasses;
        CHECK(std::abs(targets[row * kClasses + own] - lambda - (own == other ? 1 - lambda : 0)) < 1e-6);
      }
    }
  }
  CHECK(lambdas.size() == 10);
}

TEST_CASE("a box of each image comes from its neighbor") {
  Scene scene({floats("plain"), floats(), FieldOneHot{.field = "label", .classes = kClasses},
               BatchCutMix{.images = "image", .targets = "label", .seed = 5}});
  while (const auto batch = scene.next()) {
    Rng rng = mixing_rng(5, 0, batch->number());
    const PixelBox box = draw_cutmix(rng, 1, 4, 6).box;
    const auto plain = (*batch)["plain"].as<float>(), image = (*batch)["image"].as<float>();
    for (std::size_t row = 0; row < 6; ++row) {
      for (std::size_t i = 0; i < 24; ++i) {
        const std::size_t x = i % 6, y = i / 6;
        const bool is_inside = x >= box.left && x < box.right && y >= box.top && y < box.bottom;
        const std::size_t from = is_inside ? (row + 5) % 6 : row;
        CHECK(image[row * kPixels + i * 3] == plain[from * kPixels + i * 3]);
      }
    }
  }
}

TEST_CASE("transforms run on each device that has what they are made of") {
  const Samples samples;
  DataLoader loader(samples, {.batch_size = 6});
  HostDevice first, second;
  Device &images = first, &labels = second;
  const Stream image_stream = images.make_stream(), label_stream = labels.make_stream();
  const std::vector<StreamRef> streams{image_stream, label_stream};
  Prefetcher feed(loader, {images},
                  {.normalize = {floats()},
                   .transforms = {FieldOneHot{.field = "label", .classes = kClasses}},
                   .placements = {{"label", &labels}}});
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, streams)) {
    CHECK(parts[0]["image"].dtype == DType::f32);
    CHECK(parts[1]["label"].shape == Shape{6, kClasses});
    image_stream.ref().synchronize();
    label_stream.ref().synchronize();
  }
}

TEST_CASE("a transform that cannot take a field names it, and says what it can take") {
  expect_refusal({FieldPadding{.field = "label"}}, {"\"label\"", "not ragged"});
  expect_refusal({FieldPadding{.field = "token"}}, {"\"token\"", "\"tokens\"", "cpu"});
  expect_refusal({FieldPadding{.field = "tokens", .multiple_of = 0}}, {"\"tokens\"", "multiple of 0"});
  expect_refusal({FieldPadding{.field = "tokens", .fill = 0.5F}}, {"\"tokens\"", "f32", "u16"});
  expect_refusal({FieldPadding{.field = "tokens", .mask = "label"}}, {"\"label\"", "taken"});
  expect_refusal({FieldWidening{.field = "tokens"}}, {"\"tokens\"", "ragged", "FieldPadding"});
  expect_refusal({floats(), FieldWidening{.field = "image"}}, {"\"image\"", "f32"});
  expect_refusal({FieldOneHot{.field = "image", .classes = 3}}, {"\"image\"", "one integer"});
  expect_refusal({FieldOneHot{.field = "label", .classes = 0}}, {"\"label\"", "class"});
  expect_refusal({FieldOneHot{.field = "label", .classes = 3, .smoothing = 1}}, {"\"label\"", "smoothing"});
  expect_refusal({BatchMixUp{.images = "image", .targets = "label"}}, {"\"label\"", "FieldOneHot"});
  const FieldOneHot targets{.field = "label", .output = "target", .classes = 3};
  expect_refusal({targets, BatchMixUp{.images = "image", .targets = "target"}}, {"\"image\"", "u8"});
  expect_refusal({floats(), targets, BatchCutMix{.images = "image", .targets = "target", .alpha = -1}},
                 {"\"image\"", "alpha"});
  expect_refusal(
      {floats(), targets, BatchCutMix{.images = "image", .targets = "target", .layout = PixelLayout::nchw}},
      {"\"image\"", "layout"});
  expect_refusal({FieldPadding{.field = "tokens", .truncate = true}}, {"\"tokens\"", "none is given"});
  FieldNormalization mirrored = floats();
  mirrored.flipped = "label";
  expect_refusal({mirrored}, {"\"label\"", "i32", "mirrored"});
}

TEST_CASE("what has a device of its own is not mixed with what has not") {
  const Samples samples;
  DataLoader loader(samples, {.batch_size = 6});
  HostDevice other;
  Device& cpu = host_device();
  expect_error<ArgumentError>(
      [&] {
        Prefetcher(loader, {cpu},
                   {.normalize = {floats()},
                    .transforms = {FieldOneHot{.field = "label", .classes = kClasses},
                                   BatchMixUp{.images = "image", .targets = "label"}},
                    .placements = {{"label", &cpu}}});
      },
      {"\"image\"", "\"label\"", "same rows"});
}
