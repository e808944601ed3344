// The ten classes of procedural images.
#pragma once

#include <span>

#include "tools/synthetic/painter.h"

namespace leat::tools {

struct Scene {
  const char* name;
  void (*paint)(Painter& painter);
  int grain;  // for Painter::finish(), so that files of all classes have about the same size
};

// Returns the scenes in the order of their names, which is the order of the labels. Several scenes share palettes
// (beach and desert share sand, ocean and mountain share the sky, city_night and space share darkness), but differ in
// layout and texture.
std::span<const Scene> synthetic_scenes() noexcept;

namespace scenes {
void beach(Painter& p);
void brick_wall(Painter& p);
void city_night(Painter& p);
void desert(Painter& p);
void forest(Painter& p);
void meadow(Painter& p);
void mountain(Painter& p);
void ocean(Painter& p);
void space(Painter& p);
void sunset(Painter& p);
}  // namespace scenes

}  // namespace leat::tools
