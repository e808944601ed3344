// Converts the samples of any source to leat records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leat/datasets/formats/field_inference.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

struct RecordConversionOptions {
  // The image field's name in the source; empty: guess_image_fields().
  std::string image_field = {};
  // Called with the number of samples that have been examined: with 0 first, and with size() at the end. Not called
  // if the source knows its schema.
  std::function<void(std::size_t samples)> on_progress = {};
};

// If the source knows its schema, records have its fields. Otherwise records have the fields of the samples, as
// FieldInference infers them, in the first sample's order. Names:
//
//   the one image or RGB array    image     as guess_image_fields() finds it
//   the one whole-number label    label     as guess_image_fields() finds it; always i64. Brings the source's classes
//                                           along. If there is no image, only a field called cls or label is a label
//   txt                           text
//   depth.jpg, note.txt, x.bin    depth, note, x: the field's name before such a suffix; WebDatasetShardWriter writes
//                                 such names. Samples with png where the first sample has jpg have the same field
//   the sample's key              name      text (see utf8_name()), if samples have keys and no field has this name
//
// A field keeps its own name if the new one clashes with another field's: the names are equal, or one is the group of
// the other.
//
// An array u8 [height, width, 3] called image holds RGB pixels.
//
// Immutable and thread-safe: many threads may call read() at once, unless is_sequential().
class RecordConversion {
 public:
  // Unless the source knows its schema, reads every sample once, one after the other, because records state the
  // greatest length of each field. A sample that cannot be read is skipped here, and is an error of read(). Throws
  // DataError naming the sample and the field if samples have different fields, or values that no field can hold.
  // Throws the first sample's error if no sample can be read. Throws ArgumentError if there are no samples, if
  // records cannot have one of the names, or if there is no field `image_field`.
  explicit RecordConversion(std::shared_ptr<const SampleSource> source,
                            const RecordConversionOptions& options = {});

  std::size_t size() const { return source_->size(); }
  // The greatest lengths are bounds; they need not occur.
  const RecordSchema& schema() const noexcept { return schema_; }
  // Returns sample `index`, below size(). Throws DataError if the sample is missing, damaged or too long;
  // SystemError.
  Record read(std::size_t index) const;
  bool is_sequential() const noexcept { return source_->is_sequential(); }
  std::string describe(std::size_t index) const { return source_->describe(index); }
  std::string warnings() const { return source_->warnings(); }
  // Returns the source's fingerprint; if it has none, a checksum of the samples' names and contents, if they were
  // read.
  std::uint64_t fingerprint() const;

 private:
  struct Column {
    std::string stored_name;
    std::string name;
    FieldInference inference{};
  };
  void take_schema(const RecordConversionOptions& options);
  void infer_schema(const RecordConversionOptions& options);
  void look_at_all(const RecordConversionOptions& options);
  void begin(const StoredSample& sample, const std::string& image_field);
  std::vector<Column>::iterator find_column(const StoredSample& sample, const std::string& name);
  void add(std::size_t index, const StoredSample& sample, const std::vector<StoredValue>& values);
  bool is_free(const std::string& name, const Column& wanted_by) const;
  std::string usual_name(Column& column, bool has_image) const;
  std::vector<RecordField> make_fields();
  Record converted(std::size_t index, const StoredSample& sample) const;

  std::shared_ptr<const SampleSource> source_;
  std::vector<Column> columns_;  // none if the source knows its schema
  std::string image_, label_;    // stored names, of the first sample; empty: not clear
  bool has_key_ = false;
  std::size_t longest_key_ = 0;
  std::uint64_t contents_ = 0;  // a checksum
  RecordSchema schema_;
};

}  // namespace leat::detail
