#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_array.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

using Engine = std::mt19937;

constexpr int kCases = 300;
constexpr std::size_t kMany = 1'100'000;  // more items than a grid has threads

std::size_t below(Engine& random, std::size_t limit) {
  return random() % limit;
}

// A batch as the host sees it. Images are numbers that the dtype can represent.
struct Batch {
  PixelShape shape;
  PixelLayout layout = PixelLayout::nchw;
  DType dtype = DType::f32;
  std::vector<float> images;
  std::vector<float> targets;
  std::size_t classes = 0;
  std::vector<std::uint32_t> partners;  // empty: the rows before
  std::size_t skip = 0;

  std::size_t per_image() const { return shape.h * shape.w * shape.c; }
  std::size_t partner(std::size_t row) const {
    return partners.empty() ? (row + shape.n - 1) % shape.n : partners[row];
  }
};

// Bytes of values, each rounded to the dtype, a NaN with its usual bits.
std::vector<std::byte> encode(const std::vector<float>& values, DType dtype) {
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = std::isnan(values[i]) ? std::numeric_limits<float>::quiet_NaN() : values[i];
    const auto f16 = static_cast<std::uint16_t>(to_half(value));
    const auto bf16 = static_cast<std::uint16_t>(to_bfloat16(value));
    if (dtype == DType::f32) std::memcpy(&bytes[i * size], &value, size);
    if (dtype == DType::f16) std::memcpy(&bytes[i * size], &f16, size);
    if (dtype == DType::bf16) std::memcpy(&bytes[i * size], &bf16, size);
  }
  return bytes;
}

float representable(float value, DType dtype) {
  if (dtype == DType::f16) return to_float(to_half(value));
  if (dtype == DType::bf16) return to_float(to_bfloat16(value));
  return value;
}

float random_value(Engine& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kRare[] = {0.0F, -0.0F, kInfinity, -kInfinity, 1e-40F, 65504.0F, 6e-8F, 3e38F};
  if (below(random, 50) == 0) return kRare[below(random, std::size(kRare))];
  if (below(random, 200) == 0) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-29F;
}

Batch random_batch(Engine& random) {
  constexpr DType kDtypes[] = {DType::f32, DType::f16, DType::bf16};
  Batch made;
  made.dtype = kDtypes[below(random, 3)];
  made.layout = below(random, 2) == 0 ? PixelLayout::nchw : PixelLayout::nhwc;
  const std::size_t width = below(random, 2) == 0 ? 8 * (1 + below(random, 2)) : 1 + below(random, 11);
  made.shape = {below(random, 5), 1 + below(random, 4), width, 1 + below(random, 4)};
  made.classes = below(random, 10);
  made.skip = below(random, 2) == 0 ? 0 : below(random, 9);
  made.images.resize(made.shape.count());
  for (float& value : made.images) value = representable(random_value(random), made.dtype);
  made.targets.resize(made.shape.n * made.classes);
  for (float& value : made.targets) value = random_value(random);
  if (below(random, 2) == 0) {
    for (std::size_t row = 0; row < made.shape.n; ++row)
      made.partners.push_back(static_cast<std::uint32_t>(below(random, made.shape.n)));
    if (below(random, 8) == 0 && made.shape.n > 0)
      made.partners[below(random, made.shape.n)] =
          static_cast<std::uint32_t>(below(random, 2) == 0 ? made.shape.n : ~std::uint32_t{0});
  }
  return made;
}

// The batch in a device's memory.
class Uploaded {
 public:
  Uploaded(const Stream& stream, const Batch& batch)
      : has_partners_(!batch.partners.empty()),
        images_(stream, encode(batch.images, batch.dtype), batch.skip * size_of(batch.dtype)),
        mixed_images_(stream,
                      std::vector<std::byte>(batch.images.size() * size_of(batch.dtype), std::byte{7}),
                      batch.skip * size_of(batch.dtype)),
        targets_(stream, batch.targets, batch.skip),
        mixed_targets_(stream, std::vector<float>(batch.targets.size(), 7), batch.skip),
        partners_(stream, batch.partners, batch.skip) {}

  MixOperands operands(const Batch& batch) const {
    return {.mixed_images = mixed_images_.data(),
            .images = images_.data(),
            .shape = batch.shape,
            .layout = batch.layout,
            .dtype = batch.dtype,
            .mixed_targets = mixed_targets_.data(),
            .targets = targets_.data(),
            .classes = batch.classes,
            .partners = has_partners_ ? partners_.data() : nullptr};
  }
  std::vector<std::byte> mixed_images() const { return mixed_images_.values(); }
  std::vector<float> mixed_targets() const { return mixed_targets_.values(); }

 private:
  bool has_partners_;
  DeviceArray<std::byte> images_;
  DeviceArray<std::byte> mixed_images_;
  DeviceArray<float> targets_;
  DeviceArray<float> mixed_targets_;
  DeviceArray<std::uint32_t> partners_;
};

// The formula of MixUp, in f32 for the bits; what it gives is compared with f64.
std::vector<float> mix(const std::vector<float>& values, const Batch& batch, std::size_t per_row,
                       double lambda) {
  std::vector<float> mixed;
  const auto own = static_cast<float>(lambda), other = static_cast<float>(1 - lambda);
  bool is_near = true;
  for (std::size_t row = 0; row < batch.shape.n; ++row) {
    for (std::size_t i = 0; i < per_row; ++i) {
      const std::size_t partner = batch.partner(row);
      if (partner >= batch.shape.n) {
        mixed.push_back(std::numeric_limits<float>::quiet_NaN());
        continue;
      }
      const float x = values[row * per_row + i], y = values[partner * per_row + i];
      const volatile float first = own * x, second = other * y;  // volatile: must not be fused
      mixed.push_back(first + second);
      const double exact = lambda * static_cast<double>(x) + (1 - lambda) * static_cast<double>(y);
      const double bound =
          3e-7 * (std::abs(static_cast<double>(x)) + std::abs(static_cast<double>(y))) + 1e-44;
      if (std::isfinite(exact) && std::isfinite(mixed.back()))
        is_near = is_near && std::abs(static_cast<double>(mixed.back()) - exact) <= bound;
    }
  }
  CHECK(is_near);
  return mixed;
}

std::vector<float> quiet(std::vector<float> values) {
  for (float& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  }
  return values;
}

void check_mixup(const Stream& stream, const Batch& batch, double lambda) {
  const Uploaded uploaded(stream, batch);
  stream.ref().device().apply(MixUp{uploaded.operands(batch), lambda}, stream);
  const auto images = encode(mix(batch.images, batch, batch.per_image(), lambda), batch.dtype);
  CHECK(are_same_bits(uploaded.mixed_images(), images));
  CHECK(are_same_bits(uploaded.mixed_targets(), quiet(mix(batch.targets, batch, batch.classes, lambda))));
}

std::vector<float> paste(const Batch& batch, const PixelBox& box) {
  const PixelShape& shape = batch.shape;
  std::vector<float> pasted;
  for (std::size_t i = 0; i < batch.images.size(); ++i) {
    const bool is_planar = batch.layout == PixelLayout::nchw;
    const std::size_t pixel = is_planar ? i : i / shape.c;  // of planes or of images
    const std::size_t x = pixel % shape.w, y = pixel / shape.w % shape.h;
    const std::size_t row = i / batch.per_image(), partner = batch.partner(row);
    const bool is_inside = x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    const std::size_t source = is_inside ? partner : row;
    pasted.push_back(source < shape.n ? batch.images[source * batch.per_image() + i % batch.per_image()]
                                      : std::numeric_limits<float>::quiet_NaN());
  }
  return pasted;
}

void check_cutmix(const Stream& stream, const Batch& batch, const PixelBox& box) {
  const Uploaded uploaded(stream, batch);
  const CutMix cut{uploaded.operands(batch), box};
  stream.ref().device().apply(cut, stream);
  const double area = static_cast<double>(batch.shape.h * batch.shape.w);
  std::size_t inside = 0;
  for (std::size_t y = box.top; y < box.bottom; ++y) inside += box.right - box.left;
  CHECK(cut.lambda() == 1 - static_cast<double>(inside) / area);
  CHECK(are_same_bits(uploaded.mixed_images(), encode(paste(batch, box), batch.dtype)));
  CHECK(
      are_same_bits(uploaded.mixed_targets(), quiet(mix(batch.targets, batch, batch.classes, cut.lambda()))));
}

std::string describe(const Batch& batch) {
  const PixelShape& shape = batch.shape;
  return std::to_string(shape.n) + "x" + std::to_string(shape.h) + "x" + std::to_string(shape.w) + "x" +
         std::to_string(shape.c) + (batch.layout == PixelLayout::nchw ? " nchw " : " nhwc ") +
         std::string(name_of(batch.dtype)) + ", skip " + std::to_string(batch.skip);
}

void mixes_up(Device& device) {
  const Stream stream = device.make_stream();
  Engine random(21);
  for (int i = 0; i < kCases; ++i) {
    const double lambdas[] = {0, 1, 0.5, 0.3, static_cast<double>(random()) * 0x1p-32};
    const double lambda = lambdas[below(random, std::size(lambdas))];
    const Batch batch = random_batch(random);
    INFO("seed 21, case " << i << ": " << describe(batch) << ", lambda " << lambda);
    check_mixup(stream, batch, lambda);
  }
}

void cuts_and_mixes(Device& device) {
  const Stream stream = device.make_stream();
  Engine random(22);
  for (int i = 0; i < kCases; ++i) {
    const Batch batch = random_batch(random);
    const std::size_t left = below(random, batch.shape.w + 1), top = below(random, batch.shape.h + 1);
    const PixelBox box{left, top, left + below(random, batch.shape.w - left + 1),
                       top + below(random, batch.shape.h - top + 1)};
    INFO("seed 22, case " << i << ": " << describe(batch) << ", box " << box.left << " " << box.top << " "
                          << box.right << " " << box.bottom);
    check_cutmix(stream, batch, box);
  }
}

Batch ramp(const PixelShape& shape, DType dtype, std::size_t skip) {
  Batch batch;
  batch.shape = shape;
  batch.dtype = dtype;
  batch.skip = skip;
  batch.images.resize(shape.count());
  for (std::size_t i = 0; i < shape.count(); ++i) batch.images[i] = static_cast<float>(i % 251);
  return batch;
}

void mixes_large_batches(Device& device) {
  const Stream stream = device.make_stream();
  const Batch batch = ramp({kMany / 5, 1, 5, 1}, DType::f16, 1);
  check_mixup(stream, batch, 0.25);
  check_cutmix(stream, batch, {1, 0, 3, 1});
}

void lambda_1_changes_nothing(Device& device) {
  const Stream stream = device.make_stream();
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    Batch batch = ramp({3, 4, 8, 3}, dtype, 0);
    const Uploaded uploaded(stream, batch);
    device.apply(MixUp{uploaded.operands(batch), 1}, stream);
    CHECK(uploaded.mixed_images() == encode(batch.images, dtype));
    device.apply(CutMix{uploaded.operands(batch), {2, 1, 2, 3}}, stream);
    CHECK(uploaded.mixed_images() == encode(batch.images, dtype));
  }
}

void mixes_images_or_targets_alone(Device& device) {
  const Stream stream = device.make_stream();
  Batch batch = ramp({2, 1, 8, 1}, DType::f32, 0);
  batch.classes = 2;
  batch.targets = {1, 0, 0, 1};
  const Uploaded images(stream, batch);
  const Uploaded targets(stream, batch);
  MixOperands no_targets = images.operands(batch);
  no_targets.targets = no_targets.mixed_targets = nullptr;
  MixOperands no_images = targets.operands(batch);
  no_images.images = no_images.mixed_images = nullptr;
  device.apply(MixUp{no_targets, 0.25}, stream);
  device.apply(CutMix{no_images, {0, 0, 6, 1}}, stream);
  CHECK(images.mixed_images() == encode(mix(batch.images, batch, 8, 0.25), DType::f32));
  CHECK(images.mixed_targets() == std::vector<float>(4, 7));
  CHECK(targets.mixed_images() == std::vector<std::byte>(64, std::byte{7}));
  CHECK(targets.mixed_targets() == std::vector<float>{0.25F, 0.75F, 0.75F, 0.25F});
}

void refuses_wrong_mixing(Device& device) {
  const Stream stream = device.make_stream();
  Batch batch = ramp({2, 4, 8, 1}, DType::f32, 0);
  batch.classes = 2;
  batch.targets = {1, 0, 0, 1};
  const Uploaded uploaded(stream, batch);
  const MixOperands right = uploaded.operands(batch);
  const auto refuse = [&](const BatchOperation& wrong, std::initializer_list<std::string_view> fragments) {
    expect_error<ArgumentError>([&] { device.apply(wrong, stream); }, fragments);
  };
  const auto changed = [&](auto change) {
    MixOperands operands = right;
    change(operands);
    return operands;
  };
  refuse(MixUp{right, 1.5}, {"lambda is 1.5"});
  refuse(MixUp{right, -0.25}, {"lambda is -0.25"});
  refuse(MixUp{right, std::nan("")}, {"lambda is nan"});
  refuse(CutMix{right, {0, 0, 9, 1}}, {"columns 0 to 9", "8 x 4"});
  refuse(CutMix{right, {0, 0, 1, 5}}, {"lines 0 to 5"});
  refuse(CutMix{right, {3, 0, 2, 1}}, {"columns 3 to 2"});
  refuse(CutMix{right, {0, 3, 1, 2}}, {"lines 3 to 2"});
  refuse(MixUp{changed([](MixOperands& all) { all.dtype = DType::f64; })}, {"f32, f16, bf16, not f64"});
  refuse(MixUp{changed([](MixOperands& all) { all.images = nullptr; })}, {"images is null"});
  refuse(MixUp{changed([](MixOperands& all) { all.mixed_targets = nullptr; })}, {"mixed_targets is null"});
  refuse(MixUp{changed([](MixOperands& all) { all.images = all.mixed_images; })},
         {"mixed_images and images overlap"});
  refuse(CutMix{changed([](MixOperands& all) { all.mixed_targets = const_cast<float*>(all.targets) + 2; })},
         {"mixed_targets and targets overlap"});
}

}  // namespace

std::vector<Clause> mixing_clauses() {
  return {{"MixUp gives the bits of its definition", mixes_up},
          {"CutMix gives the bits of its definition", cuts_and_mixes},
          {"MixUp and CutMix take large batches", mixes_large_batches},
          {"MixUp with a lambda of 1 and CutMix with an empty box change nothing", lambda_1_changes_nothing},
          {"MixUp and CutMix mix images or targets alone", mixes_images_or_targets_alone},
          {"MixUp and CutMix refuse what they cannot do", refuses_wrong_mixing}};
}

}  // namespace leat::test
