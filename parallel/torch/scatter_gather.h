/// \file
/// Dividing batches of LibTorch's tensors among devices, and joining results.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <c10/core/Device.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/torch/device_threads.h"
#include "leat/transfer/row_range.h"

namespace leat::torch {

namespace detail {

// How to visit the tensors in a T, make a T of other tensors, and join several Ts. Types that hold no tensors:
template <class T>
struct Nested {
  static_assert(!std::is_reference_v<T>,
                "a tuple of references, as of std::tie(), is not divided: use std::tuple");
  static constexpr bool can_be_joined = false;
  template <class Visit>
  static void visit(const T&, Visit&&) {}
  template <class Map>
  static T map(const T& value, Map&&) {
    return value;
  }
};

template <>
struct Nested<::at::Tensor> {
  static constexpr bool can_be_joined = true;
  template <class Visit>
  static void visit(const ::at::Tensor& tensor, Visit&& visitor) {
    if (tensor.defined()) visitor(tensor);
  }
  template <class Map>
  static ::at::Tensor map(const ::at::Tensor& tensor, Map&& mapper) {
    return tensor.defined() ? mapper(tensor) : tensor;
  }
  template <class Join>
  static ::at::Tensor join(const std::vector<const ::at::Tensor*>& parts, Join&& joiner) {
    std::vector<::at::Tensor> tensors;
    for (const ::at::Tensor* each : parts) {
      if (each->defined()) tensors.push_back(*each);
    }
    if (tensors.empty()) return {};
    if (tensors.size() != parts.size())
      throw ArgumentError("gather: some results have a tensor where others have an undefined one");
    return joiner(tensors);
  }
};

// The same member of all parts, joined. `member` returns a reference.
template <class Part, class Join, class Member>
auto join_members(const std::vector<const Part*>& parts, Join&& joiner, Member&& member) {
  using T = std::remove_cvref_t<decltype(member(*parts[0]))>;
  std::vector<const T*> members;
  for (const Part* each : parts) members.push_back(&member(*each));
  return Nested<T>::join(members, joiner);
}

template <class T, class Allocator>
struct Nested<std::vector<T, Allocator>> {
  using Vector = std::vector<T, Allocator>;
  static constexpr bool can_be_joined = Nested<T>::can_be_joined;
  template <class Visit>
  static void visit(const Vector& values, Visit&& visitor) {
    for (const T& each : values) Nested<T>::visit(each, visitor);
  }
  template <class Map>
  static Vector map(const Vector& values, Map&& mapper) {
    Vector mapped;
    for (const T& each : values) mapped.push_back(Nested<T>::map(each, mapper));
    return mapped;
  }
  template <class Join>
  static Vector join(const std::vector<const Vector*>& parts, Join&& joiner) {
    for (const Vector* each : parts) {
      if (each->size() != parts[0]->size())
        throw ArgumentError("gather: one result has " + std::to_string(each->size()) +
                            " elements where the first has " + std::to_string(parts[0]->size()));
    }
    Vector joined;
    for (std::size_t i = 0; i < parts[0]->size(); ++i)
      joined.push_back(join_members(parts, joiner, [i](const Vector& part) -> const T& { return part[i]; }));
    return joined;
  }
};

// std::optional, and torch::optional, which is another type before LibTorch 2.
template <class O>
concept Optional = requires(const O& value) {
  typename O::value_type;
  value.has_value();
  *value;
};

template <Optional O>
struct Nested<O> {
  using T = typename O::value_type;
  static constexpr bool can_be_joined = Nested<T>::can_be_joined;
  template <class Visit>
  static void visit(const O& value, Visit&& visitor) {
    if (value) Nested<T>::visit(*value, visitor);
  }
  template <class Map>
  static O map(const O& value, Map&& mapper) {
    if (!value.has_value()) return O();
    return O(Nested<T>::map(*value, mapper));
  }
  template <class Join>
  static O join(const std::vector<const O*>& parts, Join&& joiner) {
    for (const auto* each : parts) {
      if (each->has_value() != parts[0]->has_value())
        throw ArgumentError("gather: some results have an optional value that others do not have");
    }
    if (!parts[0]->has_value()) return O();
    return O(join_members(parts, joiner, [](const O& part) -> const T& { return *part; }));
  }
};

template <class Keyed>
struct NestedMap {
  using T = typename Keyed::mapped_type;
  static constexpr bool can_be_joined = Nested<T>::can_be_joined;
  template <class Visit>
  static void visit(const Keyed& values, Visit&& visitor) {
    for (const auto& each : values) Nested<T>::visit(each.second, visitor);
  }
  template <class Map>
  static Keyed map(const Keyed& values, Map&& mapper) {
    Keyed mapped;
    for (const auto& each : values) mapped.emplace(each.first, Nested<T>::map(each.second, mapper));
    return mapped;
  }
  template <class Join>
  static Keyed join(const std::vector<const Keyed*>& parts, Join&& joiner) {
    Keyed joined;
    for (const auto& each : *parts[0]) {
      const auto& key = each.first;
      for (const Keyed* part : parts) {
        if (part->size() != parts[0]->size() || part->count(key) == 0)
          throw ArgumentError("gather: the results are maps with different keys");
      }
      joined.emplace(key, join_members(parts, joiner, [&key](const Keyed& part) -> const T& {
                       return part.find(key)->second;
                     }));
    }
    return joined;
  }
};

template <class... Ts>
struct Nested<std::map<Ts...>> : NestedMap<std::map<Ts...>> {};
template <class... Ts>
struct Nested<std::unordered_map<Ts...>> : NestedMap<std::unordered_map<Ts...>> {};

// Pairs, tuples and arrays, whose elements are those of the sequence 0, 1, ...
template <class Tuple, class Sequence>
struct NestedTuple;
template <class Tuple, std::size_t... i>
struct NestedTuple<Tuple, std::index_sequence<i...>> {
  template <std::size_t at>
  using Element = std::tuple_element_t<at, Tuple>;
  static constexpr bool can_be_joined = (Nested<Element<i>>::can_be_joined && ...);
  template <class Visit>
  static void visit(const Tuple& values, [[maybe_unused]] Visit&& visitor) {
    (Nested<Element<i>>::visit(std::get<i>(values), visitor), ...);
  }
  template <class Map>
  static Tuple map(const Tuple& values, [[maybe_unused]] Map&& mapper) {
    return Tuple{Nested<Element<i>>::map(std::get<i>(values), mapper)...};
  }
  template <class Join>
  static Tuple join(const std::vector<const Tuple*>& parts, [[maybe_unused]] Join&& joiner) {
    return Tuple{join_members(parts, joiner,
                              [](const Tuple& part) -> const Element<i>& { return std::get<i>(part); })...};
  }
};

template <class... Ts>
struct Nested<std::tuple<Ts...>> : NestedTuple<std::tuple<Ts...>, std::index_sequence_for<Ts...>> {};
template <class A, class B>
struct Nested<std::pair<A, B>> : NestedTuple<std::pair<A, B>, std::make_index_sequence<2>> {};
template <class T, std::size_t n>
struct Nested<std::array<T, n>> : NestedTuple<std::array<T, n>, std::make_index_sequence<n>> {};

// Whether a copy need not be waited for: between GPUs, their streams order it. Copies from and to the CPU are waited
// for; the source may be page-locked memory that is not LibTorch's, which would be filled again before the copy is
// made.
inline bool is_ordered(::at::Device from, ::at::Device to) {
  return from.is_cuda() && to.is_cuda();
}

inline ::at::Tensor moved(const ::at::Tensor& tensor, ::at::Device device) {
  if (tensor.device() == device) return tensor;
  return tensor.to(device, tensor.scalar_type(), is_ordered(tensor.device(), device));
}

// Moves all tensors in a value; those that are there already are not copied.
template <class T>
T all_moved(const T& value, ::at::Device device) {
  return Nested<T>::map(value, [device](const ::at::Tensor& each) { return moved(each, device); });
}

}  // namespace detail

/// Divides the rows of a batch among devices, as torch.nn.parallel.scatter does in Python: n rows among k devices are
/// chunks of ceil(n / k) rows along dimension 0, of which the last may be shorter. If there are fewer rows than needed,
/// there are fewer chunks than devices: 5 rows among 4 devices are chunks of 2, 2 and 1. Zero rows are one empty chunk.
///
/// A batch is a tensor; or a vector, array, map, optional, pair or tuple of batches. What else it contains, such as a
/// number, is the same in each chunk. Unlike in Python, all tensors of a batch must have the same number of rows.
///
/// Chunks on the device that the batch is on are views; others are copies. Gradients flow back to the batch. Devices
/// may repeat: {at::kCPU, at::kCPU} makes two chunks on the CPU.
///
/// Throws ArgumentError if there are no devices, and for tensors without dimensions or with different numbers of rows.
template <class Batch>
std::vector<Batch> scatter(const Batch& batch, const std::vector<::at::Device>& devices) {
  if (devices.empty()) throw ArgumentError("scatter: there are no devices");
  std::int64_t rows = -1;
  detail::Nested<Batch>::visit(batch, [&rows](const ::at::Tensor& each) {
    if (each.dim() == 0) throw ArgumentError("scatter: a tensor of the batch has no dimensions");
    if (rows >= 0 && each.size(0) != rows)
      throw ArgumentError("scatter: tensors of the batch have " + std::to_string(rows) + " and " +
                          std::to_string(each.size(0)) + " rows");
    rows = each.size(0);
  });
  const std::vector<::at::Device> places = detail::numbered(devices);
  std::vector<Batch> chunks;
  if (rows < 0) {  // without tensors: the same for each device
    chunks.assign(places.size(), batch);
    return chunks;
  }
  std::vector<RowRange> ranges = chunk_rows(static_cast<std::size_t>(rows), places.size());
  if (ranges.empty()) ranges.push_back({});
  for (const RowRange& range : ranges) {
    const ::at::Device device = places[chunks.size()];
    chunks.push_back(detail::Nested<Batch>::map(batch, [&range, device](const ::at::Tensor& each) {
      return detail::moved(
          each.narrow(0, static_cast<std::int64_t>(range.first), static_cast<std::int64_t>(range.size())),
          device);
    }));
  }
  return chunks;
}

/// Joins results on one device, as torch.nn.parallel.gather does in Python: concatenates tensors along dimension 0, in
/// the order of `outputs`; tensors without dimensions become the elements of a vector. Gradients flow back to
/// `outputs`.
///
/// An output is a tensor; or a vector, array, map, optional, pair or tuple of outputs.
///
/// Throws ArgumentError if there are no outputs, or if they differ in their numbers of elements or their keys;
/// c10::Error if shapes do not fit.
template <class Output>
Output gather(const std::vector<Output>& outputs, ::at::Device output_device) {
  static_assert(detail::Nested<Output>::can_be_joined,
                "gather() joins tensors, and vectors, arrays, maps, optionals, pairs and tuples of tensors");
  if (outputs.empty()) throw ArgumentError("gather: there are no outputs");
  const ::at::Device place = detail::numbered({output_device})[0];
  std::vector<const Output*> parts;
  for (const Output& each : outputs) parts.push_back(&each);
  return detail::Nested<Output>::join(parts, [place](const std::vector<::at::Tensor>& tensors) {
    std::vector<::at::Tensor> moved;
    for (const ::at::Tensor& each : tensors) {
      const ::at::Tensor here = detail::moved(each, place);
      moved.push_back(here.dim() == 0 ? here.unsqueeze(0) : here);
    }
    return moved.size() == 1 ? moved[0] : ::at::cat(moved, 0);
  });
}

}  // namespace leat::torch
