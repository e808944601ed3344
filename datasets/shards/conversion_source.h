// What conversion reads: samples as the bytes that lie on disk, undecoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/records/record_schema.h"

namespace leat {

// The values of one sample, one per field of the source's schema, dense and little-endian; a ragged field's value has
// as many bytes as its elements.
struct ConversionSample {
  std::vector<std::vector<std::byte>> fields;
};

// Immutable, thread-safe: read() is called by many threads at once.
class ConversionSource {
 public:
  virtual ~ConversionSource() = default;

  virtual std::size_t size() const = 0;

  // The greatest lengths are bounds; they need not occur.
  virtual const RecordSchema& schema() const = 0;

  // Sample `index`, below size(). Throws DataError on a sample that is missing, damaged or too long, SystemError.
  virtual ConversionSample read(std::size_t index) const = 0;

  // Whether samples are to be read in order, by one thread, since anything else costs a lot.
  virtual bool is_sequential() const noexcept { return false; }

  // Where it comes from, for messages: a path, say.
  virtual std::string describe(std::size_t index) const = 0;

  // What a user should know though nothing was refused, in one sentence; empty: nothing. See Dataset::warnings().
  virtual std::string warnings() const { return {}; }

  /// A number that changes, as far as can be told without reading everything once more, when samples are renamed,
  /// exchanged or replaced: what a broken-off conversion compares before it goes on.
  virtual std::uint64_t fingerprint() const = 0;

 protected:
  ConversionSource() = default;
  ConversionSource(const ConversionSource&) = default;
  ConversionSource& operator=(const ConversionSource&) = default;
};

}  // namespace leat
