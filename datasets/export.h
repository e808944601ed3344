// The macro for symbols that a shared library of leat exports.
#pragma once

/// Marks a class or function as part of the public interface. In a shared library, everything else is hidden.
#define LEAT_EXPORT __attribute__((visibility("default")))
