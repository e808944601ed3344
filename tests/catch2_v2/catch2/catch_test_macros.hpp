// Debian 12 ships Catch2 2.13: this folder gives it the header names of Catch2 3, which the tests use.
#pragma once
#include <catch2/catch.hpp>
