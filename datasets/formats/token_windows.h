// Flat files of token numbers, as windows of a fixed length.
//
// A file is nothing but little-endian u16 or u32 numbers (as nanoGPT and Megatron write them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/formats/file_reader.h"
#include "leat/datasets/formats/index_cache.h"

namespace leat {

struct TokenOptions {
  DType stored = DType::u16;     // u16 or u32
  DType delivered = DType::i64;  // u16, i32, u32 or i64; at least as wide as what is stored
  std::size_t length = 1024;  // of a window, in tokens; one more than a model's context gives the targets too
  std::optional<std::size_t> stride = {};  // between the starts of windows; default: length
  // Documents end with this token, which belongs to them. Found by reading the file once; the index is kept.
  std::optional<std::uint32_t> end_of_document = {};
  // Or: a file of u64, little-endian, the first token of each document, ascending from 0.
  std::filesystem::path document_starts = {};
  IndexOptions index = {};
};

// Without documents, window i is tokens [i * stride, i * stride + length); what is left at the end is dropped, and the
// one field is "tokens", [length]. With documents, no window reaches over the end of one: each has windows from its
// start on until its last token is in one, the last one short; "tokens" is ragged, at most `length`.
//
// Reads with pread, straight into the batch; thread-safe. Memory: 16 bytes per document.
class TokenWindows final : public Dataset {
 public:
  // Throws ArgumentError on options that contradict each other, DataError on a file that is no whole number of tokens
  // and on document starts that do not fit it, SystemError.
  explicit TokenWindows(const std::filesystem::path& file, TokenOptions options = {});

  std::size_t size() const override { return windows_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;

  std::uint64_t tokens() const noexcept { return tokens_; }

 private:
  struct Window {
    std::uint64_t first;
    std::size_t length;
  };
  struct Document {
    std::uint64_t first;         // token
    std::size_t windows_before;  // of all documents before it
  };

  bool has_documents() const noexcept {
    return options_.end_of_document || !options_.document_starts.empty();
  }
  std::vector<std::uint64_t> document_starts() const;
  std::vector<std::byte> scan_for_ends() const;
  std::vector<std::uint64_t> starts_from_ends() const;
  void lay_out_documents(const std::vector<std::uint64_t>& starts);
  std::size_t windows_of(std::uint64_t tokens) const;
  Window window(std::size_t index) const;
  void read(const Window& window, std::span<std::byte> row) const;

  FileReader file_;
  TokenOptions options_;
  std::size_t stride_;
  std::uint64_t tokens_ = 0;
  std::size_t windows_ = 0;
  std::vector<Document> documents_;
  Schema schema_;
};

}  // namespace leat
