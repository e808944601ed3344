// Images that are called by the kind of their file: in a tar, 1.jpg and 2.png are the same field of two samples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/sample_source.h"

namespace leat::detail {

// What the field "x.jpg" can be called in other samples: "x.jpeg" and "x.png". None where the name's last part is not
// jpg, jpeg or png.
std::vector<std::string> other_image_names(std::string_view name);

// The field of this name, or else under another of them; null where there is none.
const StoredField* find_image(const StoredSample& sample, std::string_view name);

}  // namespace leat::detail
