// A header of the consumer's own, with the name of one of leat's.
#pragma once

#include <string>

namespace consumer {

struct Error {
  std::string text;
};

}  // namespace consumer
