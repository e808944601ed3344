// What a shared library of leat exports.
#pragma once

/// Marks a class or function as part of the public interface. Everything else is hidden where leat is a shared library.
#define LEAT_EXPORT __attribute__((visibility("default")))
