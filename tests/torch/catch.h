// Catch2's macros in a source that includes LibTorch, whose log defines one of the same name. To be included first.
#pragma once

#include <c10/util/Logging.h>
#undef CHECK

#include <catch2/catch_test_macros.hpp>
