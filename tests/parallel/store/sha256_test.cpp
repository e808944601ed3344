#include "leat/parallel/store/sha256.h"

#include <catch2/catch_test_macros.hpp>

namespace leat::test {

using namespace leat::detail;

namespace {

TEST_CASE("SHA-256 has the digests of NIST's examples") {
  CHECK(hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")) ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(hex(sha256(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The digests of NIST's additional examples for lengths around the block and the padding.
TEST_CASE("SHA-256 pads messages of every length around a block") {
  CHECK(hex(sha256(std::string(55, '\0'))) ==
        "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  CHECK(hex(sha256(std::string(56, '\0'))) ==
        "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  CHECK(hex(sha256(std::string(57, '\0'))) ==
        "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785");
  CHECK(hex(sha256(std::string(64, '\0'))) ==
        "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
  CHECK(hex(sha256(std::string(1000, 'A'))) ==
        "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4");
}

TEST_CASE("HMAC-SHA256 has the codes of RFC 4231") {
  CHECK(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))) ==
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  CHECK(
      hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(
      hex(hmac_sha256(std::string(131, '\xaa'),
                      "This is a test using a larger than block-size key and a larger than block-size data. "
                      "The key needs to be hashed before being used by the HMAC algorithm.")) ==
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST_CASE("codes are equal if all of their bytes are") {
  CHECK(equal_codes("", ""));
  CHECK(equal_codes("abc", "abc"));
  CHECK_FALSE(equal_codes("abc", "abd"));
  CHECK_FALSE(equal_codes("abc", "xbc"));
  CHECK_FALSE(equal_codes("abc", "ab"));
}

}  // namespace
}  // namespace leat::test
