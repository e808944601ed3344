// The table of scenes, and the scenes that are not under a daytime sky.
#include "tools/synthetic/scenes.h"

#include <algorithm>
#include <array>

#include "tools/synthetic/noise.h"

namespace leat::tools {

namespace scenes {

void brick_wall(Painter& p) {
  const Color brick = p.blend_of({{165, 80, 60}, {190, 130, 95}, {205, 185, 155}, {130, 110, 105}});
  const Color mortar = p.blend_of({{190, 185, 175}, {130, 125, 120}, {215, 205, 190}});
  const int length = p.between(50, 120), course = length * p.between(28, 42) / 100,
            joint = std::max(3, course / 7);
  const int slant = p.between(-90, 90), vanishing = p.share_of_height(20, 80);
  const std::uint32_t key = p.key();
  for (int x = 0; x < p.width(); ++x) {
    // The wall recedes to one side: across it, everything is scaled by `scale` / 256, and u is the distance along it.
    const int scale = 256 + slant * x / p.width();
    const int u = x * (256 + slant * x / (2 * p.width())) / 256 + 10000 * length;
    for (int y = 0; y < p.height(); ++y) {
      const int v = (y - vanishing) * scale / 256 + 10000 * course;
      const int row = v / course, along = u + row % 2 * length / 2;
      const bool in_joint = v % course < joint || along % length < joint;
      const int light = 205 + int(hash32(key, std::uint32_t(row), std::uint32_t(along / length)) % 100);
      p.paint(x, y, in_joint ? mortar : lit(brick, light));
    }
  }
  p.texture(p.level(0), p.height(), {7, 7, 3, 80});
  p.texture(p.level(0), p.height(), {p.between(120, 400), p.between(120, 400), 2, 120});
}

namespace {

// Paints one building with lit windows, from `left` down to the street.
void building(Painter& p, int left, int top, int width, int street, Color wall) {
  p.rectangle(left, top, left + width, street, wall);
  const int step = p.between(9, 18), size = step * p.between(40, 65) / 100, occupied = p.between(30, 75);
  const Color lamp = p.blend_of({{255, 215, 130}, {255, 240, 200}, {200, 220, 255}});
  for (int y = top + step / 2; y + size < street; y += step) {
    for (int x = left + step / 2; x + size < left + width; x += step) {
      const Color window = p.chance(occupied) ? lit(lamp, p.between(120, 256)) : lit(wall, 170);
      p.rectangle(x, y, x + size * 2 / 3, y + size, window);
    }
  }
}

}  // namespace

void city_night(Painter& p) {
  const int street = p.share_of_height(78, 92);
  const Color haze = p.blend_of({{120, 85, 95}, {150, 105, 75}, {75, 90, 150}});
  p.gradient(0, street, p.blend_of({{8, 10, 28}, {20, 18, 40}, {5, 8, 14}}), haze);
  const int cover = p.between(10, 50);
  p.clouds(street, p.blend_of({{70, 60, 70}, {40, 40, 60}}), cover);
  if (p.chance(40)) {
    const int radius = p.between(10, 24), y = p.share_of_height(6, 20);
    p.disc(p.share_of_width(10, 90), y, radius, {235, 230, 205});
  }
  for (int layer = 0; layer < 2; ++layer) {
    const Color wall = p.blend_of({{34, 34, 48}, {54, 46, 50}, {24, 32, 44}});
    for (int x = -p.between(0, 40); x < p.width();) {
      const int width = p.between(40, 110);
      building(p, x, p.share_of_height(layer == 0 ? 15 : 35, layer == 0 ? 50 : 75), width, street,
               lit(wall, 200 + 70 * layer));
      x += width + p.between(-6, 14);
    }
  }
  p.gradient(street, p.height(), {150, 115, 85}, {70, 56, 54});
  for (int i = p.between(10, 24); i > 0; --i) {
    const int radius = p.between(12, 40), y = p.between(street, p.height());
    p.glow(p.share_of_width(0, 100), y, radius, {255, 190, 100}, 200);
  }
  p.texture(p.level(0), p.height(), {10, 10, 4, 90});
}

void space(Painter& p) {
  const Color depth = p.blend_of({{6, 4, 14}, {14, 8, 20}});
  p.gradient(0, p.height(), p.blend_of({{4, 4, 12}, {10, 8, 24}, {2, 6, 10}}), depth);
  const Color nebula = p.blend_of({{120, 50, 140}, {40, 90, 160}, {160, 70, 60}, {40, 130, 120}});
  p.clouds(p.height(), nebula, p.between(10, 45));
  p.texture(p.level(0), p.height(), {12, 12, 4, 200});
  for (int i = p.between(150, 700); i > 0; --i) {
    const int light = p.between(40, 256);
    const Color star = lit(p.blend_of({{255, 250, 240}, {200, 215, 255}, {255, 220, 180}}), light);
    const int y = p.share_of_height(0, 100);
    p.disc(p.share_of_width(0, 100), y, light > 245 ? 2 : light > 180 ? 1 : 0, star);
  }
  if (p.chance(75)) {
    const int x = p.share_of_width(15, 85), y = p.share_of_height(15, 85), radius = p.share_of_width(8, 24);
    const Color planet = p.blend_of({{200, 150, 100}, {90, 130, 190}, {190, 90, 60}, {150, 150, 160}});
    p.disc(x, y, radius, planet);
    const int shift = radius * p.between(20, 60) / 100;  // the night side: a dark disc, shifted
    for (int dy = -radius; dy <= radius; ++dy) {
      for (int dx = -radius; dx <= radius; ++dx) {
        const int sunward = (dx - shift) * (dx - shift) + (dy - shift / 2) * (dy - shift / 2);
        const int shade = std::clamp((sunward - radius * radius / 2) * 256 / (radius * radius), 0, 240);
        if (dx * dx + dy * dy <= radius * radius) p.paint(x + dx, y + dy, {4, 4, 10}, shade);
      }
    }
  }
}

void sunset(Painter& p) {
  const int horizon = p.share_of_height(50, 75);
  const Color top = p.blend_of({{60, 50, 110}, {110, 70, 110}, {50, 70, 120}});
  const Color low = p.blend_of({{250, 150, 60}, {240, 110, 70}, {250, 190, 110}});
  p.gradient(0, horizon + 1, top, low);
  const int cover = p.between(20, 60);
  p.clouds(horizon, p.blend_of({{230, 110, 90}, {150, 80, 100}, {250, 170, 110}}), cover);
  const int x = p.share_of_width(15, 85), y = horizon - p.share_of_height(-2, 14);
  p.glow(x, y, p.share_of_width(30, 60), {255, 210, 130}, 190);
  p.disc(x, y, p.share_of_width(3, 8), {255, 240, 200});
  if (p.chance(50)) {
    p.gradient(horizon, p.height(), lit(low, 150), lit(top, 130));
    p.glow(x, p.height(), p.height() - horizon, {255, 190, 110}, 150);
    p.plane_texture(p.level(horizon), horizon, p.height(), {80, 16, 4, 200});
  } else {
    const int cell = p.between(60, 200);
    const Profile hills = p.ridge(horizon, p.between(15, 45), cell, 4);
    p.fill_below(hills, p.height(), {38, 28, 36}, {14, 12, 18});
    p.texture(hills, p.height(), {9, 9, 3, 160});
  }
}

}  // namespace scenes

std::span<const Scene> synthetic_scenes() noexcept {
  static constexpr std::array kScenes{
      Scene{"beach", scenes::beach, 17},           Scene{"brick_wall", scenes::brick_wall, 11},
      Scene{"city_night", scenes::city_night, 15}, Scene{"desert", scenes::desert, 20},
      Scene{"forest", scenes::forest, 14},         Scene{"meadow", scenes::meadow, 14},
      Scene{"mountain", scenes::mountain, 15},     Scene{"ocean", scenes::ocean, 16},
      Scene{"space", scenes::space, 22},           Scene{"sunset", scenes::sunset, 18},
  };
  return kScenes;
}

}  // namespace leat::tools
