#pragma once
#include <catch2/catch.hpp>

namespace Catch {
using Detail::Approx;  // where version 3 has it
}
