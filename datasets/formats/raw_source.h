// Samples as a format stores them: named fields of bytes, not decoded. What conversion copies, and what the datasets
// for training decode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat {

// A field's encoding, whatever the format, is called as MDS calls it:
//   bytes, str (UTF-8), json; jpeg, png (whole files);
//   int (i64), int8 to int64, uint8 to uint64, float16, float32, float64: little-endian scalars;
//   bool: a byte, 0 or 1;
//   str_int, str_float, str_decimal: decimal text;
//   pil: u32 width, u32 height, u32 length of mode, mode (L or RGB), the pixels row by row;
//   ndarray:<dtype>:<d0,d1,...>: the values in C order; ndarray and ndarray:<dtype> carry their own headers;
//   list[<encoding>], jpeg_array: as MDS lays them out.
struct RawField {
  std::string name;  // a column, or a suffix; unique in its sample
  std::string encoding;
  std::vector<std::byte> bytes;

  std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// The fields of one sample, in the format's order. Keeps the memory of the samples before.
class RawSample {
 public:
  void clear() noexcept { size_ = 0; }
  RawField& add(std::string_view name, std::string_view encoding);  // with empty bytes

  std::span<const RawField> fields() const noexcept { return std::span(fields_).first(size_); }
  const RawField* find(std::string_view name) const noexcept;  // null: there is none

 private:
  std::vector<RawField> fields_;
  std::size_t size_ = 0;
};

// Which fields to read; what is left out need not be touched.
class FieldChoice {
 public:
  FieldChoice() = default;  // all of them
  explicit FieldChoice(std::vector<std::string> names) : all_(false), names_(std::move(names)) {}

  bool wants(std::string_view name) const noexcept;

 private:
  bool all_ = true;
  std::vector<std::string> names_;
};

// Thread-safe, and usable in forked processes: files are read at given offsets only.
class RawSource {
 public:
  virtual ~RawSource() = default;

  virtual std::size_t size() const = 0;

  // Replaces `sample` by the chosen fields of sample `index`. Throws ArgumentError where there is no such sample,
  // DataError that names the file where what it holds is damaged, SystemError where it cannot be read.
  virtual void read(std::size_t index, const FieldChoice& choice, RawSample& sample) const = 0;

  // As Dataset's, for the chosen fields.
  virtual void read_ahead(std::size_t index, const FieldChoice& choice) const noexcept {
    (void)index, (void)choice;
  }
  virtual bool reads_ahead() const noexcept { return false; }

  // Whether samples are to be read in order, by one thread, since anything else costs a lot.
  virtual bool is_sequential() const noexcept { return false; }

  // Where the sample lies, for messages: "train-000017.tar, sample dir/n0153_17".
  virtual std::string describe(std::size_t index) const = 0;

  // The name that the sample has in its format, a WebDataset key; empty where samples have none. Belongs to the source.
  virtual std::string_view key(std::size_t index) const {
    check_index(index);
    return {};
  }

  // The names of the classes whose numbers are the labels; empty where the format does not tell them.
  virtual std::vector<std::string> classes() const { return {}; }

 protected:
  RawSource() = default;
  RawSource(const RawSource&) = default;
  RawSource& operator=(const RawSource&) = default;

  void check_index(std::size_t index) const;  // throws ArgumentError
};

// The number that a field holds: of an integer encoding, or an ndarray of one integer, or decimal text (str_int, str).
// Throws DataError that names the field where it is none, or does not fit into 64 bits.
std::int64_t integer_of(const RawField& field);

}  // namespace leat
