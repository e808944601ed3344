// Pictures that are called by the kind of their file: in a tar, 1.jpg and 2.png are the same field of two samples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/formats/raw_source.h"

namespace leat {

// What the field "x.jpg" can be called in other samples: "x.jpeg" and "x.png". None where the name's last part is not
// jpg, jpeg or png.
std::vector<std::string> other_picture_names(std::string_view name);

// The field of this name, or else under another of them; null where there is none.
const RawField* find_picture(const RawSample& sample, std::string_view name);

}  // namespace leat
