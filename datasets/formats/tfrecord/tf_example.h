// tf.train.Example: a map from names to lists of bytes, floats or 64-bit integers; and tf.train.SequenceExample,
// which also has sequences of such lists.
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

// Adds the chosen features to `sample`, sorted by name (a map has no order). Encodings: one value of bytes is
// `bytes`, or jpeg or png if it starts like such a file; one integer is `int`, one float `float32`; n of them are
// `ndarray:int64:n` and `ndarray:float32:n` (also for n = 0); several values of bytes, or none, are `list[bytes]`:
// u32 0, u32 n, n times u32 size, the values. A feature without a list is an empty list[bytes]. If a name occurs
// twice, the last one counts, as in any protobuf map. Unknown fields are skipped.
//
// A sequence of n steps is an array of n if each step has one number, and an array of n x k if each step has k
// numbers: `ndarray:int64:n,k`. If each step has one value of bytes, the sequence is a list[bytes] of n; so is a
// sequence of no steps. Sequences come after the features.
//
// Throws DataError naming the source and the offset in the data if the data is not such a message, if there are more
// than 4096 features or 2^24 values, if the steps of a sequence differ in length or type or have several values of
// bytes, or if a sequence has the name of a feature.
void parse_tf_example(std::span<const std::byte> data, std::string_view source, const FieldChoice& choice,
                      StoredSample& sample);

}  // namespace leat::detail
