// tf.train.Example: a map from names to lists of bytes, floats or 64-bit integers; and tf.train.SequenceExample,
// which has sequences of such lists, too.
//
//   Example { Features features = 1; }            Features { map<string, Feature> feature = 1; }
//   Feature { oneof { BytesList = 1; FloatList = 2; Int64List = 3; } }, each { repeated value = 1; }
//   SequenceExample { Features context = 1; FeatureLists feature_lists = 2; }
//   FeatureLists { map<string, FeatureList> feature_list = 1; } FeatureList { repeated Feature feature = 1; }
// Source: TensorFlow, core/example/example.proto and feature.proto.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Adds the chosen features to `sample`, sorted by name (a map has no order). Encodings: one value of bytes is `bytes`,
// or jpeg or png where it starts as such a file does; one integer is `int`, one float `float32`; n of them are
// `ndarray:int64:n` and `ndarray:float32:n` (also n = 0); several values of bytes, or none, are `list[bytes]`: u32 0,
// u32 n, n times u32 size, the values. A feature without a list is an empty list[bytes]. Of one name twice, the last
// counts, as in any protobuf map; unknown fields are passed over.
//
// A sequence of n steps, each of one number, is an array of n; each of k numbers, of n x k: `ndarray:int64:n,k`.
// Steps of one value of bytes each are a list[bytes] of n; so is a sequence of no steps. Sequences come behind the
// features.
//
// Throws DataError that names the source and the offset in the data on what is no such message, on more than 4096
// features or 2^24 values, on a sequence whose steps differ in length or type, or have several values of bytes, and on
// one with the name of a feature.
void parse_tf_example(std::span<const std::byte> data, std::string_view source, const FieldChoice& choice,
                      StoredSample& sample);

}  // namespace leat::detail
