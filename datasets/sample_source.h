/// \file
/// Stored samples, as formats hold them: named fields of bytes, not decoded. Datasets for training decode them, and
/// conversions copy them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/datasets/encoding.h"
#include "leat/datasets/export.h"
#include "leat/datasets/record_schema.h"

namespace leat {

/// One field of a stored sample.
class LEAT_EXPORT StoredField {
 public:
  /// Makes a field without a name or bytes.
  StoredField() = default;
  /// Makes a field whose bytes are owned elsewhere. They must stay valid as long as the field is used.
  StoredField(std::string field_name, Encoding how, std::span<const std::byte> where)
      : name(std::move(field_name)), encoding(std::move(how)), view_(where) {}

  std::string name;   ///< The name of a column, or a suffix; unique within its sample.
  Encoding encoding;  ///< The meaning of the bytes.

  /// Returns the bytes, valid until the sample is changed.
  std::span<const std::byte> bytes() const noexcept { return is_view() ? view_ : memory_; }
  /// Returns the bytes as text.
  std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes().data()), bytes().size()};
  }

  /// Returns the field's own memory, for a source to fill. It replaces the bytes that view() set.
  std::vector<std::byte>& memory() noexcept { return view_ = {}, memory_; }
  /// Whether the bytes are owned elsewhere.
  bool is_view() const noexcept { return view_.data() != nullptr; }
  /// Sets bytes that are owned elsewhere. They must stay valid as long as the field is used.
  void view(std::span<const std::byte> where) noexcept { view_ = where; }

 private:
  std::vector<std::byte> memory_;
  std::span<const std::byte> view_{};  // null if the bytes are in memory_
};

/// The fields of one sample, in the format's order. The memory is reused for the next sample. Two objects share
/// nothing.
class LEAT_EXPORT StoredSample {
 public:
  /// Makes a sample without fields.
  StoredSample() = default;
  /// Not copyable: fields may view memory of the sample, which a copy would not have.
  StoredSample(const StoredSample&) = delete;
  /// Not copyable, see the copy constructor.
  StoredSample& operator=(const StoredSample&) = delete;
  /// A moved-from sample may only be destroyed or assigned to.
  StoredSample(StoredSample&&) noexcept = default;
  /// A moved-from sample may only be destroyed or assigned to.
  StoredSample& operator=(StoredSample&&) noexcept = default;

  /// Removes all fields.
  void clear() noexcept { size_ = 0; }
  /// Adds a field that owns its bytes; they are empty.
  StoredField& add(std::string_view name, Encoding encoding);

  /// Returns all fields.
  std::span<const StoredField> fields() const noexcept { return std::span(fields_).first(size_); }
  /// Returns the field with this name, or null if there is none.
  const StoredField* find(std::string_view name) const noexcept;

  /// Moves the bytes of the field at this position out of the sample. Copies them if they are owned elsewhere.
  std::vector<std::byte> release(std::size_t position);

  /// Returns the memory of the sample as a whole, which fields may view.
  std::vector<std::byte>& memory() noexcept { return memory_; }

 private:
  std::vector<StoredField> fields_;
  std::size_t size_ = 0;
  std::vector<std::byte> memory_;
};

/// Which fields to read. Sources may skip the others.
class LEAT_EXPORT FieldChoice {
 public:
  /// Chooses all fields.
  FieldChoice() = default;
  /// Chooses the fields with these names. Names that a sample does not have are ignored.
  explicit FieldChoice(std::vector<std::string> names) : all_(false), names_(std::move(names)) {}

  /// Whether the field with this name is to be read.
  bool wants(std::string_view name) const noexcept;
  /// Returns the names, or null if all fields are chosen.
  const std::vector<std::string>* names() const noexcept { return all_ ? nullptr : &names_; }

 private:
  bool all_ = true;
  std::vector<std::string> names_;
};

/// Provides the samples of a file, a folder or a set of shards. Derive from it to read your own format.
///
/// Must be thread-safe and usable in forked processes: read files at given offsets only, and keep no file position.
class LEAT_EXPORT SampleSource {
 public:
  virtual ~SampleSource() = default;

  /// Returns the number of samples. Must be constant.
  virtual std::size_t size() const = 0;

  /// Replaces the content of `sample` by the chosen fields of sample `index`. Throws ArgumentError if there is no
  /// such sample, DataError that names the file if its content is damaged, and SystemError if it cannot be read.
  virtual void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const = 0;

  /// Reads fields of fixed size directly to their destination. `rows` has one span for each field of schema(). A span
  /// that is not empty has the size of its field and receives the field's bytes. Returns false, without doing
  /// anything, if the source does not support this. Throws like read().
  virtual bool read_into(std::size_t index, std::span<const std::span<std::byte>> rows) const {
    return (void)index, (void)rows, false;
  }

  /// Hints that these fields of sample `index` (below size()) will be read soon; see Dataset::read_ahead().
  virtual void read_ahead(std::size_t index, const FieldChoice& choice) const noexcept {
    (void)index, (void)choice;
  }
  /// Whether read_ahead() does anything. Must be constant.
  virtual bool reads_ahead() const noexcept { return false; }

  /// Whether samples should be read in order, by one thread, because any other order is much slower.
  virtual bool is_sequential() const noexcept { return false; }

  /// Returns where the sample is stored, for messages: "train-000017.tar, sample dir/n0153_17".
  virtual std::string describe(std::size_t index) const = 0;

  /// Returns the name of the sample in its format, such as a WebDataset key. Empty if samples have no names. Valid as
  /// long as the source.
  virtual std::string_view key(std::size_t index) const {
    check_index(index);
    return {};
  }

  /// Returns the names of the classes, which labels are indices of. Empty if the format does not provide names.
  virtual std::vector<std::string> classes() const { return {}; }

  /// Returns the fields of every sample as records can hold them, in the order in which read() delivers them. Null if
  /// finding them would require reading all samples.
  virtual const RecordSchema* schema() const noexcept { return nullptr; }

  /// Returns a number that changes if samples are renamed, exchanged or replaced, as far as this can be detected
  /// without reading all of them. An interrupted conversion compares it before it continues. Nullopt if detecting
  /// changes would require reading all samples.
  virtual std::optional<std::uint64_t> fingerprint() const { return std::nullopt; }

  /// Returns what a user should know although nothing was rejected, in one sentence. Empty if there is nothing to
  /// report. See Dataset::warnings().
  virtual std::string warnings() const { return {}; }

  /// Returns a description from which open_source() opens the same samples, in any process: a JSON object, see
  /// docs/dataset-spec.md. Nullopt if there is none.
  const std::optional<std::string>& spec() const noexcept { return spec_; }
  /// Sets the result of spec(). Call it before others use the source.
  void set_spec(std::string spec) { spec_ = std::move(spec); }

 protected:
  SampleSource() = default;
  /// Only derived classes can copy and move.
  SampleSource(const SampleSource&) = default;
  /// Only derived classes can copy and move.
  SampleSource& operator=(const SampleSource&) = default;

  /// Throws ArgumentError if there is no sample `index`.
  void check_index(std::size_t index) const;

 private:
  std::optional<std::string> spec_{};
};

/// Returns the integer that a field holds: a number of an integer dtype, an array of one integer, or decimal text.
/// Throws DataError that names the field if it holds anything else, or an integer that does not fit into 64 bits.
LEAT_EXPORT std::int64_t integer_of(const StoredField& field);

}  // namespace leat
