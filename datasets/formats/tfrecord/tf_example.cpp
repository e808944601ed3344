#include "leat/datasets/formats/tfrecord/tf_example.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/formats/tfrecord/wire_reader.h"
#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

namespace {

using Type = WireReader::Type;

constexpr std::size_t kMaxFeatures = 4096;
constexpr std::size_t kMaxValues = std::size_t{1} << 24;
constexpr std::uint64_t kBytesList = 1, kFloatList = 2, kInt64List = 3;

// A feature's list, which has not been parsed yet.
struct Feature {
  std::uint64_t kind = 0;  // 0: no list
  std::optional<ByteReader> list;
};

using Features = std::map<std::string_view, Feature>;

Feature read_feature(WireReader message) {
  Feature feature;
  while (const auto field = message.next()) {
    if (field->number >= kBytesList && field->number <= kInt64List && field->type == Type::bytes) {
      feature = {field->number, message.bytes()};
    } else {
      message.skip(field->type);
    }
  }
  return feature;
}

void read_entry(WireReader entry, Features& features) {
  std::string_view name;
  Feature feature;
  while (const auto field = entry.next()) {
    if (field->number == 1 && field->type == Type::bytes) {
      ByteReader text = entry.bytes();
      name = text.text(text.remaining());
    } else if (field->number == 2 && field->type == Type::bytes) {
      feature = read_feature(WireReader(entry.bytes()));
    } else {
      entry.skip(field->type);
    }
  }
  features.insert_or_assign(name, feature);
  if (features.size() > kMaxFeatures) entry.fail(fmt::format("more than {} features", kMaxFeatures));
}

// Calls `use` for each nested message with this field number.
template <class Use>
void for_each_message(WireReader message, std::uint64_t number, const Use& use) {
  while (const auto field = message.next()) {
    if (field->number == number && field->type == Type::bytes) {
      use(WireReader(message.bytes()));
    } else {
      message.skip(field->type);
    }
  }
}

void check_count(std::size_t count, const WireReader& list) {
  if (count > kMaxValues) list.fail(fmt::format("a list of more than {} values", kMaxValues));
}

using Values = std::vector<std::span<const std::byte>>;

void read_bytes_list(WireReader list, Values& values) {
  while (const auto field = list.next()) {
    if (field->number != 1 || field->type != Type::bytes) {
      list.skip(field->type);
      continue;
    }
    ByteReader value = list.bytes();
    values.push_back(value.take(value.remaining()));
    check_count(values.size(), list);
  }
}

void write_list(const Values& values, std::string_view name, StoredSample& sample) {
  std::vector<std::byte>& bytes = sample.add(name, parse_encoding("list[bytes]")).memory();
  append_little(bytes, std::uint32_t{0});
  append_little(bytes, static_cast<std::uint32_t>(values.size()));
  for (const auto value : values) append_little(bytes, static_cast<std::uint32_t>(value.size()));
  for (const auto value : values) append_bytes(bytes, value);
}

void write_bytes_list(WireReader list, std::string_view name, StoredSample& sample) {
  Values values;
  read_bytes_list(list, values);
  if (values.size() == 1) {
    const std::string_view kind = image_kind(values[0]);
    const Encoding encoding = kind == "JPEG"  ? Encoding::jpeg
                              : kind == "PNG" ? Encoding::png
                                              : Encoding::bytes;
    append_bytes(sample.add(name, encoding).memory(), values[0]);
    return;
  }
  write_list(values, name, sample);
}

// Reads values that are stored one by one, or packed in one field. `type` is the type of those stored one by one.
template <class Take>
std::size_t read_numbers(WireReader list, Type type, std::vector<std::byte>& bytes, const Take& take) {
  std::size_t count = 0;
  while (const auto field = list.next()) {
    if (field->number == 1 && field->type == type) {
      append_little(bytes, take(list));
      check_count(++count, list);
    } else if (field->number == 1 && field->type == Type::bytes) {
      for (WireReader packed(list.bytes()); !packed.at_end(); check_count(++count, list)) {
        append_little(bytes, take(packed));
      }
    } else {
      list.skip(field->type);
    }
  }
  return count;
}

// Adds the feature's numbers, and returns how many there are.
std::size_t read_numbers(const Feature& feature, std::vector<std::byte>& bytes) {
  const WireReader list(*feature.list);
  if (feature.kind == kFloatList)
    return read_numbers(list, Type::fixed32, bytes, [](WireReader& from) { return from.fixed32(); });
  return read_numbers(list, Type::varint, bytes, [](WireReader& from) { return from.varint(); });
}

void write_numbers(const Feature& feature, std::string_view name, StoredSample& sample) {
  StoredField& field = sample.add(name, {});
  const bool is_float = feature.kind == kFloatList;
  const std::size_t count = read_numbers(feature, field.memory());
  if (count == 1) {
    field.encoding = Encoding::number_of(is_float ? DType::f32 : DType::i64);
  } else {
    field.encoding = Encoding::array_of(is_float ? DType::f32 : DType::i64, {count});
  }
}

bool is_numeric(const Feature& feature) {
  return feature.kind == kFloatList || feature.kind == kInt64List;
}

void write_feature(const Feature& feature, std::string_view name, std::string_view source,
                   StoredSample& sample) {
  if (is_numeric(feature)) return write_numbers(feature, name, sample);
  write_bytes_list(WireReader(feature.list.value_or(ByteReader({}, source))), name, sample);
}

// The steps of a sequence, which have not been parsed yet.
using Sequences = std::map<std::string_view, std::vector<Feature>>;

void read_sequence(WireReader entry, Sequences& sequences) {
  std::string_view name;
  std::vector<Feature> steps;
  while (const auto field = entry.next()) {
    if (field->number == 1 && field->type == Type::bytes) {
      ByteReader text = entry.bytes();
      name = text.text(text.remaining());
    } else if (field->number == 2 && field->type == Type::bytes) {
      steps.clear();
      for_each_message(WireReader(entry.bytes()), 1, [&](WireReader step) {
        steps.push_back(read_feature(step));
        check_count(steps.size(), entry);
      });
    } else {
      entry.skip(field->type);
    }
  }
  sequences.insert_or_assign(name, std::move(steps));
  if (sequences.size() > kMaxFeatures) entry.fail(fmt::format("more than {} sequences", kMaxFeatures));
}

[[noreturn]] void refuse(std::string_view source, std::string_view name, std::string_view problem) {
  throw DataError(std::string(source), fmt::format("sequence '{}': {}", name, problem));
}

void write_numeric_sequence(const std::vector<Feature>& steps, std::string_view name, std::string_view source,
                            StoredSample& sample) {
  StoredField& field = sample.add(name, {});
  std::size_t first = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != steps[0].kind)
      refuse(source, name, fmt::format("step {} is of another type than step 0", i));
    const std::size_t count = read_numbers(steps[i], field.memory());
    if (i == 0) first = count;
    if (count != first)
      refuse(
          source, name,
          fmt::format("step {} has {} values, step 0 has {}; steps of one length are read", i, count, first));
  }
  Shape shape{steps.size()};
  if (first != 1) shape.push_back(first);
  field.encoding =
      Encoding::array_of(steps[0].kind == kFloatList ? DType::f32 : DType::i64, std::move(shape));
}

void write_sequence(const std::vector<Feature>& steps, std::string_view name, std::string_view source,
                    StoredSample& sample) {
  if (sample.find(name) != nullptr) refuse(source, name, "there is a feature with this name, too");
  if (!steps.empty() && is_numeric(steps[0])) return write_numeric_sequence(steps, name, source, sample);
  Values values;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].list && !is_numeric(steps[i])) read_bytes_list(WireReader(*steps[i].list), values);
    if (values.size() != i + 1)
      refuse(source, name, fmt::format("step {} is not one value of bytes, as step 0 is", i));
  }
  write_list(values, name, sample);
}

}  // namespace

void parse_tf_example(std::span<const std::byte> data, std::string_view source, const FieldChoice& choice,
                      StoredSample& sample) {
  Features features;
  for_each_message(WireReader(ByteReader(data, source)), 1, [&](WireReader map) {
    for_each_message(map, 1, [&](WireReader entry) { read_entry(entry, features); });
  });
  for (const auto& [name, feature] : features) {
    if (choice.wants(name)) write_feature(feature, name, source, sample);
  }
  Sequences sequences;
  for_each_message(WireReader(ByteReader(data, source)), 2, [&](WireReader map) {
    for_each_message(map, 1, [&](WireReader entry) { read_sequence(entry, sequences); });
  });
  for (const auto& [name, steps] : sequences) {
    if (choice.wants(name)) write_sequence(steps, name, source, sample);
  }
}

}  // namespace leat::detail
