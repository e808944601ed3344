// Scenes under a daytime sky.
#include <algorithm>

#include "tools/synthetic/scenes.h"

namespace leat::tools::scenes {

namespace {

void day_sky(Painter& p, int horizon) {
  const Color top = p.blend_of({{40, 90, 180}, {90, 140, 210}, {120, 150, 180}});
  const Color bottom = p.blend_of({{180, 205, 230}, {205, 210, 215}, {225, 215, 200}});
  p.gradient(0, horizon + 1, top, bottom);
  const int cover = p.between(15, 55);
  p.clouds(horizon, p.blend_of({{250, 250, 250}, {200, 205, 212}}), cover);
}

Color sand(Painter& p) {
  return p.blend_of({{222, 190, 140}, {235, 215, 175}, {205, 160, 110}});
}

}  // namespace

void beach(Painter& p) {
  const int horizon = p.share_of_height(25, 42), shore = p.share_of_height(52, 72);
  day_sky(p, horizon);
  const Color water = p.blend_of({{30, 110, 150}, {40, 140, 160}, {50, 100, 130}});
  p.gradient(horizon, p.height(), lit(water, 200), mix(water, {190, 220, 215}, 120));
  p.plane_texture(p.level(horizon), horizon, p.height(), {90, 14, 4, 110});
  const int bays = p.between(120, 300);
  Profile line = p.ridge(shore, p.between(10, 30), bays, 3);
  const int tilt = p.between(-25, 25);
  for (int x = 0; x < p.width(); ++x) line[std::size_t(x)] += (x - p.width() / 2) * tilt / 100;
  Profile foam = line;
  for (int& row : foam) row -= p.between(7, 11);
  p.fill_below(foam, p.height(), {245, 248, 248}, {235, 240, 240});
  const Color near = sand(p);
  p.fill_below(line, p.height(), lit(near, 190), near);
  p.texture(line, p.height(), {6, 5, 3, 70});
}

void desert(Painter& p) {
  const int horizon = p.share_of_height(30, 55);
  day_sky(p, horizon);
  const int share = p.between(0, 256);
  const Color warm = p.blend_of({{215, 140, 80}, {225, 190, 140}});
  const Color color = mix(sand(p), warm, share);
  p.gradient(horizon, p.height(), lit(color, 200), color);
  const int dunes = p.between(3, 5);
  for (int i = 0; i < dunes; ++i) {
    const int row = horizon + (p.height() - horizon) * i / dunes + p.between(-12, 12);
    const int cell = p.between(140, 320);
    const Profile crest = p.ridge(row, p.between(30, 70), cell, 2);
    const Color foot = lit(color, p.between(110, 170));
    p.fill_below(crest, p.height() + 60, lit(color, p.between(245, 290)), foot);
    p.texture(crest, p.height(), {p.between(60, 120), p.between(5, 9), 3, 45});
  }
}

void forest(Painter& p) {
  const bool autumn = p.chance(20);
  const Color leaves = autumn ? p.blend_of({{150, 100, 40}, {120, 110, 40}})
                              : p.blend_of({{50, 100, 40}, {80, 120, 50}, {40, 80, 50}});
  const int ground = p.share_of_height(68, 88);
  const Color shade = lit(leaves, p.between(160, 260));
  p.gradient(0, ground, lit(leaves, p.between(280, 420)), shade);
  p.texture(p.level(0), ground, {30, 34, 4, 200});
  p.gradient(ground, p.height(), lit(leaves, 120), p.blend_of({{70, 60, 40}, {50, 60, 35}}));
  p.texture(p.level(ground), p.height(), {14, 7, 3, 180});
  const Color bark = p.blend_of({{70, 55, 40}, {95, 85, 75}, {45, 38, 32}});
  const int trunks = p.between(7, 16);
  for (int i = 0; i < trunks; ++i) {
    const int width = p.between(8, 26) + i * 26 / trunks, left = p.between(-20, p.width()),
              lean = p.between(-12, 12);
    const int foot = ground + (p.height() - ground) * i / trunks, light = p.between(150, 280);
    for (int y = 0; y < foot; ++y) {
      const int shift = left + (foot - y) * lean / 100;
      for (int x = 0; x < width; ++x)
        p.paint(shift + x, y, lit(bark, light * (width * 2 - x) / (width * 2)), 240);
    }
  }
  p.texture(p.level(0), p.share_of_height(10, 45), {22, 18, 4, 220});
}

void meadow(Painter& p) {
  const int horizon = p.share_of_height(25, 55);
  day_sky(p, horizon);
  const Color grass = p.blend_of({{80, 140, 50}, {120, 150, 60}, {60, 110, 50}});
  p.gradient(horizon, p.height(), mix(grass, {170, 190, 190}, 110), grass);
  const int cell = p.between(150, 350);
  const Profile hills = p.ridge(horizon, p.between(5, 35), cell, 2);
  p.fill_below(hills, p.height(), mix(grass, {170, 190, 190}, 70), lit(grass, 200));
  p.plane_texture(hills, horizon - 50, p.height(), {26, 40, 4, 190});
  const Color petals = p.blend_of({{235, 60, 50}, {240, 210, 60}, {240, 240, 235}, {170, 90, 190}});
  const int flowers = p.between(60, 400);
  for (int i = 0; i < flowers; ++i) {
    const int x = p.between(0, p.width() - 1), y = p.between(horizon, p.height() - 1);
    if (y > hills[std::size_t(x)] + 10)
      p.disc(x, y, 1 + (y - horizon) * 5 / p.height(), lit(petals, p.between(190, 290)));
  }
}

void mountain(Painter& p) {
  const int horizon = p.share_of_height(55, 75);
  day_sky(p, horizon);
  const Color rock = p.blend_of({{95, 95, 105}, {110, 100, 90}, {75, 85, 100}});
  const int ranges = p.between(1, 2);
  for (int i = 0; i < ranges; ++i) {
    Profile peaks = p.ridge(horizon, 26, 40, 4);
    const int summits = p.between(1, 3);
    for (int k = 0; k < summits; ++k) {
      const int center = p.share_of_width(0, 100), slope = p.between(55, 130),
                top = p.share_of_height(12, 30) + i * 60;
      for (int x = 0; x < p.width(); ++x) {
        int& row = peaks[std::size_t(x)];
        row = std::min(row, top + std::abs(x - center) * slope / 100 + (row - horizon));
      }
    }
    p.fill_below(peaks, p.height(), mix(rock, {160, 180, 205}, 110 - 60 * i), rock);
    const int snow_line = p.share_of_height(30, 48);
    const Profile edge = p.ridge(snow_line, 60, 24, 3);
    for (int x = 0; x < p.width(); ++x) {
      for (int y = std::max(0, peaks[std::size_t(x)]); y < edge[std::size_t(x)]; ++y)
        p.paint(x, y, {235, 240, 248}, 225);
    }
    p.texture(peaks, p.height(), {36, 28, 5, 170});
  }
  const Profile wood = p.ridge(p.share_of_height(72, 90), 24, 30, 4);
  const Color meadows = p.blend_of({{60, 85, 45}, {90, 95, 70}});
  p.fill_below(wood, p.height(), p.blend_of({{40, 60, 45}, {60, 75, 50}}), meadows);
  p.texture(wood, p.height(), {8, 10, 3, 160});
}

void ocean(Painter& p) {
  const int horizon = p.share_of_height(22, 58);
  day_sky(p, horizon);
  const Color water = p.blend_of({{20, 80, 130}, {40, 120, 140}, {60, 90, 105}, {30, 60, 90}});
  const Color near = lit(water, p.between(150, 230));
  p.gradient(horizon, p.height(), mix(water, {190, 205, 215}, p.between(20, 90)), near);
  const int waves = p.between(90, 200);
  p.plane_texture(p.level(horizon), horizon, p.height(), {waves, waves / 4, 5, p.between(120, 220)});
  const int crests = p.between(10, 60);
  for (int i = 0; i < crests; ++i) {
    const int y = p.between(horizon + 4, p.height() - 1), x = p.between(0, p.width() - 1);
    const int length = 3 + (y - horizon) * p.between(5, 25) / 100;
    for (int k = 0; k < length * 2; ++k) p.paint(x + k, y + p.between(-1, 1), {240, 245, 245}, 170);
  }
}

}  // namespace leat::tools::scenes
