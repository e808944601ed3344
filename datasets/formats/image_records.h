// Pictures and their labels out of any format, as samples for training.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/formats/raw_source.h"
#include "leat/datasets/image/decode_options.h"
#include "leat/datasets/image/transform.h"
#include "leat/datasets/image_warnings.h"
#include "leat/datasets/labelled_image.h"

namespace leat {

// The fields that hold picture and label.
struct ImageFields {
  std::string image;
  std::string label;
};

// Looks for them in a sample. Picture: the one field whose encoding is jpeg, png or pil, or else the one
// whose bytes start as a JPEG or PNG file does. Label: a field called cls, label, image/class/label, class, target or
// y, or else the one whole number there is. A name is empty where that is not one field.
ImageFields guess_image_fields(const RawSample& sample);

// The guess from the source's first sample. Throws DataError that lists the fields where a name would be empty.
ImageFields find_image_fields(const RawSource& source);

struct ImageRecordsOptions {
  ImageFields fields = {};  // empty names are found by find_image_fields()
  DecodeOptions decode = {};
};

// Fields as of LabelledImage. JPEG and PNG files and pixels (encoding pil, grey or RGB) go through
// the same transforms; other kinds of files are a DataError that names the kind. A sample without the picture's field may
// have it under the name of another kind of file (other_picture_names()).
// Thread-safe.
class ImageRecords final : public Dataset {
 public:
  // `source` is shared with whoever else reads it. Throws ArgumentError where the transforms do not make all pictures
  // equally large, and what find_image_fields() throws.
  ImageRecords(std::shared_ptr<const RawSource> source, TransformPipeline transforms,
               ImageRecordsOptions options = {});

  std::size_t size() const override { return source_->size(); }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override { source_->read_ahead(index, both_); }
  bool reads_ahead() const noexcept override { return source_->reads_ahead(); }
  std::string warnings() const override {
    return warnings_.text([this](std::size_t index) { return describe(index); });
  }
  // How many images were decoded with warnings so far, in all processes that load from this dataset.
  ImageWarnings::Counts image_warnings() const noexcept { return warnings_.counts(); }
  std::string describe(std::size_t index) const override { return source_->describe(index); }

  std::int64_t label_of(std::size_t index) const;  // reads the label alone
  const RawSource& source() const noexcept { return *source_; }

 private:
  void read(std::size_t index, RawSample& sample) const;
  void load(std::size_t index, Rng& rng, SampleWriter& out) const;

  std::shared_ptr<const RawSource> source_;
  TransformPipeline transforms_;
  ImageFields fields_;
  DecodeOptions decode_;
  FieldChoice both_, otherwise_, label_;  // otherwise_: with the picture's other names
  LabelledImage image_;
  Schema schema_;
  ImageWarnings warnings_;
};

}  // namespace leat
