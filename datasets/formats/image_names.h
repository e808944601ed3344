// Image fields that are named after the kind of their file: in a tar, 1.jpg and 2.png are the same field of two
// samples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Returns the names that the field "x.jpg" can have in other samples: "x.jpeg" and "x.png". Returns none if the
// name's last part is not jpg, jpeg or png.
std::vector<std::string> other_image_names(std::string_view name);

// Returns the field of this name, or else the field of one of its other names; null if there is none.
const StoredField* find_image(const StoredSample& sample, std::string_view name);

}  // namespace leat::detail
