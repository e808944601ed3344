/// \file
/// Samples as a format stores them: named fields of bytes, not decoded. Datasets for training decode them, and
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
  /// Makes a field whose bytes are kept elsewhere, for as long as the field is used.
  StoredField(std::string field_name, Encoding how, std::span<const std::byte> where)
      : name(std::move(field_name)), encoding(std::move(how)), view_(where) {}

  std::string name;   ///< A column, or a suffix; unique in its sample.
  Encoding encoding;  ///< What the bytes mean.

  /// Returns the bytes, valid until the sample is changed.
  std::span<const std::byte> bytes() const noexcept { return is_view() ? view_ : memory_; }
  /// Returns the bytes as text.
  std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes().data()), bytes().size()};
  }

  /// Returns memory of the field itself, for a source to fill; it replaces what view() set.
  std::vector<std::byte>& memory() noexcept { return view_ = {}, memory_; }
  /// Whether the bytes are kept elsewhere.
  bool is_view() const noexcept { return view_.data() != nullptr; }
  /// Makes `where` the bytes, for as long as the field is used.
  void view(std::span<const std::byte> where) noexcept { view_ = where; }

 private:
  std::vector<std::byte> memory_;
  std::span<const std::byte> view_{};  // null: the bytes are in memory_
};

/// The fields of one sample, in the format's order. Its memory is used again for the next sample. Two objects share
/// nothing.
class LEAT_EXPORT StoredSample {
 public:
  /// No fields.
  StoredSample() = default;
  /// Fields may view memory of the sample, which a copy would not have.
  StoredSample(const StoredSample&) = delete;
  /// As the constructor.
  StoredSample& operator=(const StoredSample&) = delete;
  /// The other one may only be destroyed or assigned to.
  StoredSample(StoredSample&&) noexcept = default;
  /// As the constructor.
  StoredSample& operator=(StoredSample&&) noexcept = default;

  /// Removes all fields.
  void clear() noexcept { size_ = 0; }
  /// Adds a field with empty bytes of its own.
  StoredField& add(std::string_view name, Encoding encoding);

  /// Returns all fields.
  std::span<const StoredField> fields() const noexcept { return std::span(fields_).first(size_); }
  /// Returns the field of this name; null if there is none.
  const StoredField* find(std::string_view name) const noexcept;

  /// Takes the bytes of the field at this position out of the sample; copies them if they are kept elsewhere.
  std::vector<std::byte> release(std::size_t position);

  /// Returns memory of the sample as a whole, which fields may view.
  std::vector<std::byte>& memory() noexcept { return memory_; }

 private:
  std::vector<StoredField> fields_;
  std::size_t size_ = 0;
  std::vector<std::byte> memory_;
};

/// Which fields to read; the others need not be touched.
class LEAT_EXPORT FieldChoice {
 public:
  /// Chooses all fields.
  FieldChoice() = default;
  /// Chooses the fields of these names; names that a sample does not have are ignored.
  explicit FieldChoice(std::vector<std::string> names) : all_(false), names_(std::move(names)) {}

  /// Whether the field of this name is to be read.
  bool wants(std::string_view name) const noexcept;
  /// Returns the names; null if all fields are wanted.
  const std::vector<std::string>* names() const noexcept { return all_ ? nullptr : &names_; }

 private:
  bool all_ = true;
  std::vector<std::string> names_;
};

/// The samples of a file, a folder or a set of shards. Derive from it to read a format of your own.
///
/// Thread-safe, and usable in forked processes: read files at given offsets only, and keep no position.
class LEAT_EXPORT SampleSource {
 public:
  virtual ~SampleSource() = default;

  /// Returns the number of samples; constant.
  virtual std::size_t size() const = 0;

  /// Replaces `sample` by the chosen fields of sample `index`. Throws ArgumentError if there is no such sample,
  /// DataError that names the file if what it holds is damaged, SystemError if it cannot be read.
  virtual void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const = 0;

  /// Reads fields of fixed size straight to where they belong. `rows` has one span for each field of schema(); one that
  /// is not empty has the size of its field and gets its bytes. Returns false, having done nothing, if the source
  /// cannot. Throws as read().
  virtual bool read_into(std::size_t index, std::span<const std::span<std::byte>> rows) const {
    return (void)index, (void)rows, false;
  }

  /// Hints that these fields of sample `index` (below size()) will be read soon; see Dataset::read_ahead().
  virtual void read_ahead(std::size_t index, const FieldChoice& choice) const noexcept {
    (void)index, (void)choice;
  }
  /// Whether read_ahead() does anything; constant.
  virtual bool reads_ahead() const noexcept { return false; }

  /// Whether samples should be read in order, by one thread, since anything else costs a lot.
  virtual bool is_sequential() const noexcept { return false; }

  /// Returns where the sample is stored, for messages: "train-000017.tar, sample dir/n0153_17".
  virtual std::string describe(std::size_t index) const = 0;

  /// Returns the name of the sample in its format, such as a WebDataset key; empty if samples have none. Valid as long
  /// as the source.
  virtual std::string_view key(std::size_t index) const {
    check_index(index);
    return {};
  }

  /// Returns the names of the classes whose numbers are the labels; empty if the format does not tell them.
  virtual std::vector<std::string> classes() const { return {}; }

  /// Returns the fields of every sample, in the order in which read() delivers them, as records can hold them. Null if
  /// only reading all samples could tell them.
  virtual const RecordSchema* schema() const noexcept { return nullptr; }

  /// Returns a number that changes if samples are renamed, exchanged or replaced, as far as can be told without reading
  /// all of them. A conversion that was interrupted compares it before it continues. Nullopt if only reading all
  /// samples could tell.
  virtual std::optional<std::uint64_t> fingerprint() const { return std::nullopt; }

  /// Returns what a user should know though nothing was refused, in one sentence; empty if there is nothing to tell.
  /// See Dataset::warnings().
  virtual std::string warnings() const { return {}; }

  /// Returns a description from which open_source() opens the same samples, in any process: a JSON object, see
  /// docs/dataset-spec.md. Nullopt if there is none.
  const std::optional<std::string>& spec() const noexcept { return spec_; }
  /// Sets what spec() returns. Call it before others use the source.
  void set_spec(std::string spec) { spec_ = std::move(spec); }

 protected:
  SampleSource() = default;
  /// Copies and moves are for derived classes.
  SampleSource(const SampleSource&) = default;
  /// Copies and moves are for derived classes.
  SampleSource& operator=(const SampleSource&) = default;

  /// Throws ArgumentError if there is no sample `index`.
  void check_index(std::size_t index) const;

 private:
  std::optional<std::string> spec_{};
};

/// Returns the number that a field holds: a number of an integer dtype, an array of one integer, or decimal text.
/// Throws DataError that names the field if it holds anything else, or a number that does not fit into 64 bits.
LEAT_EXPORT std::int64_t integer_of(const StoredField& field);

}  // namespace leat
