// What any reader of datasets/formats/ reads, as a source to convert.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leat/datasets/formats/raw_source.h"
#include "leat/datasets/shards/conversion_source.h"
#include "leat/datasets/shards/field_plan.h"

namespace leat {

struct FormatSourceOptions {
  std::string image_field = {};  // the picture's, as the format calls it; empty: guess_image_fields()
  // Called when so many have been looked at: with 0 first, and with size() at the end.
  std::function<void(std::size_t samples)> on_progress = {};
};

// Fields are those of the samples, as FieldPlan has them, in the first sample's order. Names:
//
//   the one picture or RGB array  image     as guess_image_fields() finds it
//   the one whole-number label    label     the same; always i64. The source's classes go along with it. Beside no
//                                           picture, only a field called cls or label is one
//   txt                           text
//   depth.jpg, note.txt, x.bin    depth, note, x: the field's name stands before such suffixes, as WebDatasetFormat
//                                 writes them. Samples with png where the first has jpg have the same field
//   the sample's key              name      text (see utf8_name()), where samples have keys and no field has the name
//
// Where another field has such a name, or one that would make it a group, a field keeps its own.
//
// An array u8 [height, width, 3] called image holds RGB pixels.
class FormatSource final : public ConversionSource {
 public:
  // Reads every sample once, one after the other: records state the greatest length of each field. A sample that
  // cannot be read is passed over then, and is an error of read(). Throws DataError that names sample and field where
  // samples have different fields, or values that no field holds; the first sample's error where none can be read;
  // ArgumentError where there are no samples, or on names that records cannot have.
  explicit FormatSource(std::shared_ptr<const RawSource> source, const FormatSourceOptions& options = {});

  std::size_t size() const override { return source_->size(); }
  const RecordSchema& schema() const override { return schema_; }
  ConversionSample read(std::size_t index) const override;
  bool is_sequential() const noexcept override { return source_->is_sequential(); }
  std::string describe(std::size_t index) const override { return source_->describe(index); }
  std::uint64_t fingerprint() const override { return fingerprint_; }  // of the samples' names and contents

 private:
  struct Column {
    std::string raw_name;
    std::string name;
    FieldPlan plan{};
  };

  void look_at_all(const FormatSourceOptions& options);
  void begin(const RawSample& sample, const std::string& image_field);
  std::vector<Column>::iterator find_column(const RawSample& sample, const std::string& name);
  void add(std::size_t index, const RawSample& sample, const std::vector<RawValue>& values);
  bool is_free(const std::string& name, const Column& wanted_by) const;
  std::string usual_name(Column& column, bool has_picture) const;
  std::vector<RecordField> make_fields();

  std::shared_ptr<const RawSource> source_;
  std::vector<Column> columns_;
  std::string picture_, label_;  // raw names, of the first sample; empty: not clear
  bool has_key_ = false;
  std::size_t longest_key_ = 0;
  std::uint64_t fingerprint_ = 0;
  RecordSchema schema_;
};

}  // namespace leat
