// A tf.train.Example message.
#include "leat/datasets/formats/tfrecord/tf_example.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leat::fuzz::accept_errors([&] {
    leat::StoredSample sample;
    leat::detail::parse_tf_example(leat::fuzz::bytes_of(data, size), "example", {}, sample);
  });
}
