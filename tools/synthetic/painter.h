// A painter for procedural scenes. Uses integer arithmetic only, so the image is the same on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "leat/datasets/image/image.h"
#include "leat/datasets/rng.h"

namespace leat::tools {

using namespace detail;

struct Color {  // 0 to 255 each; sums may exceed that until the image is finished
  int red = 0;
  int green = 0;
  int blue = 0;
};

Color mix(Color a, Color b, int share) noexcept;  // share of b, in 256ths
Color lit(Color color, int light) noexcept;       // light in 256ths: 128 halves it

// The texture of a surface: noise with the given number of pixels per cell. It changes the light by +-strength / 256.
struct Texture {
  int cell_width = 32;
  int cell_height = 32;
  int octaves = 4;
  int strength = 60;
};

using Profile = std::vector<int>;  // per column, a row counted from the top

// An image being painted. Coordinates are pixels from the top left; what is outside the image is cut off. A scene
// must make one random choice per statement, because the compiler chooses the order in which a call's arguments are
// evaluated.
class Painter {
 public:
  // First chooses a size of 400 to 600 pixels in each direction.
  explicit Painter(Rng rng);

  int width() const noexcept { return size_.width; }
  int height() const noexcept { return size_.height; }

  // Random choices.
  int between(int low, int high) noexcept;  // both included
  bool chance(int percent) noexcept;
  std::uint32_t key() noexcept { return rng_(); }
  Color blend_of(std::initializer_list<Color> palette) noexcept;  // between two of them, slightly varied

  // Return rows and columns as shares of the image: share_of_height(40, 60) is a row between 40 % and 60 % of the
  // height.
  int share_of_height(int low, int high) noexcept { return height() * between(low * 10, high * 10) / 1000; }
  int share_of_width(int low, int high) noexcept { return width() * between(low * 10, high * 10) / 1000; }

  void paint(int x, int y, Color color, int share = 256) noexcept;
  void gradient(int first_row, int last_row, Color top, Color bottom) noexcept;
  void rectangle(int left, int top, int right, int bottom, Color color) noexcept;
  void disc(int x, int y, int radius, Color color) noexcept;
  void glow(int x, int y, int radius, Color color, int share) noexcept;  // fades to nothing at the radius

  // Paints white or gray patches over the rows above `last_row`. `cover` is in percent.
  void clouds(int last_row, Color color, int cover);
  // Returns a skyline: `row` +- amplitude, with hills of about `cell` columns.
  Profile ridge(int row, int amplitude, int cell, int octaves);
  Profile level(int row) const { return Profile(static_cast<std::size_t>(width()), row); }
  // Fills from the profile down to `last_row`: one color at the profile, another at the last row.
  void fill_below(const Profile& profile, int last_row, Color top, Color bottom);
  void texture(const Profile& profile, int last_row, const Texture& texture);
  // Does the same on a plane that recedes to `horizon`: the texture's cells have their given size at the bottom row.
  void plane_texture(const Profile& profile, int horizon, int last_row, const Texture& texture);

  // Applies light, color cast, vignette and film grain of +-grain levels, and clamps to 8 bits.
  Image finish(int grain);

 private:
  std::int16_t* pixel(int x, int y) noexcept {
    return pixels_.data() + (std::size_t(y) * std::size_t(size_.width) + std::size_t(x)) * kChannels;
  }
  void light_row(const Profile& profile, int y, const std::vector<std::int32_t>& light) noexcept;

  Rng rng_;
  Size size_;
  std::vector<std::int16_t> pixels_;
  std::vector<std::int32_t> row_;
};

}  // namespace leat::tools
