// Kernel for hue rotation. Included once for each instruction set by kernels-inl.h, after vectors-inl.h.
HWY_BEFORE_NAMESPACE();
namespace leat::detail::kernels {
namespace HWY_NAMESPACE {

// Pillow uses both double and float. This code uses only float and still gives the same bytes for all 2^24 colors and
// 256 hues. That holds because the inputs are 8-bit numbers; a test covers all cases that exist.
struct HueTurn {
  FloatVec shift;

  // Returns the hue times 6, in [-1, 5]. `far` is the distance of the middle channel from the highest one, divided by
  // the distance of the lowest channel from the highest one.
  static HWY_INLINE FloatVec Sixths(const Pixels& p, FloatVec highest, FloatVec far) {
    const auto from_red =
        hn::IfThenElse(hn::Ge(p.green, p.blue), hn::Sub(Number(1), far), hn::Sub(far, Number(1)));
    const auto from_green =
        hn::IfThenElse(hn::Ge(p.red, p.blue), hn::Add(Number(1), far), hn::Sub(Number(3), far));
    const auto from_blue =
        hn::IfThenElse(hn::Ge(p.green, p.red), hn::Add(Number(3), far), hn::Sub(Number(5), far));
    return hn::IfThenElse(hn::Eq(p.red, highest), from_red,
                          hn::IfThenElse(hn::Eq(p.green, highest), from_green, from_blue));
  }

  // Returns one channel of the shifted color. `way` is the distance of the color's hue from the channel's hue, in
  // steps; 85 steps are a sixth of the circle.
  static HWY_INLINE IntVec Channel(FloatVec way, FloatVec saturation, FloatVec value) {
    const auto share = hn::Sub(Number(255 * 85), hn::Mul(saturation, Clamp(way, 85)));
    return Truncated(hn::Add(hn::Mul(hn::Mul(value, share), Number(1.0F / (255 * 85))), Number(0.5F)));
  }

  HWY_INLINE IntPixels operator()(const Pixels& p) const {
    const auto one = Number(1);
    const auto value = hn::Max(p.red, hn::Max(p.green, p.blue));
    const auto least = hn::Min(p.red, hn::Min(p.green, p.blue));
    const auto middle = hn::Sub(hn::Add(p.red, hn::Add(p.green, p.blue)), hn::Add(value, least));
    const auto range = hn::Sub(value, least);
    const auto saturation = Whole(hn::Mul(hn::Div(range, hn::Max(value, one)), Number(255)));
    const auto far = hn::Div(hn::Sub(value, middle), hn::Max(range, one));
    const auto turns = hn::Div(Sixths(p, value, far), Number(6));
    const auto positive = hn::IfThenElse(hn::Lt(turns, hn::Zero(Floats())), hn::Add(turns, one), turns);
    const auto moved = hn::Add(Whole(hn::Mul(positive, Number(255))), shift);
    const auto hue = hn::IfThenElse(hn::Ge(moved, Number(256)), hn::Sub(moved, Number(256)), moved);
    const auto steps = hn::Add(hue, hue);  // 0 to 510 is the whole circle
    const auto way = [&](float from) HWY_ATTR { return hn::Abs(hn::Sub(steps, Number(from))); };
    return {Channel(hn::Sub(Number(170), way(255)), saturation, value),
            Channel(hn::Sub(way(170), Number(85)), saturation, value),
            Channel(hn::Sub(way(340), Number(85)), saturation, value)};
  }
};

inline void TurnHues(std::uint8_t* rgb, std::size_t count, std::uint8_t shift) {
  ForPixels(rgb, count, HueTurn{Number(shift)});
}

}  // namespace HWY_NAMESPACE
}  // namespace leat::detail::kernels
HWY_AFTER_NAMESPACE();
