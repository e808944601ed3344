// Pictures in leat records, prepared like those of an image folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/image/decode_options.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/image/transform.h"
#include "leat/datasets/image_warnings.h"
#include "leat/datasets/labelled_image.h"
#include "leat/datasets/records/record_set.h"

namespace leat {

// Of sets with a JPEG or RGB field, and an i64 scalar "label". Fields as of LabelledImage, as ImageFolder's; for the
// same files, transforms and generator the same bytes. Pictures that are stored as pixels need no decoder; where all
// are of one size and nothing is to be done to them, they go from the file into the batch's row. Thread-safe.
class RecordImages final : public Dataset {
 public:
  // No transforms: pixels of one size as they are stored. Throws ArgumentError where the pictures are not, or are not
  // made, equally large, DataError where the records hold no pictures or no labels, and what RecordSet throws.
  explicit RecordImages(const std::filesystem::path& path, std::optional<TransformPipeline> transforms = {},
                        const DecodeOptions& decode = {});

  std::size_t size() const override { return set_.size(); }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override { set_.read_ahead(index); }
  bool reads_ahead() const noexcept override { return true; }
  std::string warnings() const override {
    return warnings_.text([this](std::size_t index) { return describe(index); });
  }
  // How many images were decoded with warnings so far, in all processes that load from this dataset.
  ImageWarnings::Counts image_warnings() const noexcept { return warnings_.counts(); }
  std::string describe(std::size_t index) const override { return set_.describe(index); }

  // Names of the labels; empty where the set has none.
  const std::vector<std::string>& classes() const noexcept { return set_.schema().classes(); }
  const RecordSet& records() const noexcept { return set_; }

  // Reads it alone, unchecked, where the record is not compressed and the label stands before all ragged fields; else
  // the whole record.
  std::int64_t label_of(std::size_t index) const;

 private:
  Size size_of(const RecordView& record) const;
  DecodeWarnings prepare(const RecordView& record, Rng& rng, const PixelOutput& out) const;

  RecordSet set_;
  std::optional<TransformPipeline> transforms_;
  DecodeOptions decode_;
  std::size_t image_;  // fields of the set
  std::size_t label_;
  std::size_t extents_ = 0;  // of pixels of different sizes
  LabelledImage delivered_;
  Schema schema_;
  ImageWarnings warnings_;
};

}  // namespace leat
