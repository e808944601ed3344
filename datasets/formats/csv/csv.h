// Rows of text: CSV (RFC 4180) and TSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// Steps through rows. A cell in double quotes may hold the delimiter, line ends, and quotes written twice. Lines end
// in "\n" or "\r\n". Empty lines and a byte order mark at the start are skipped. Throws DataError naming the source
// and the line if a quote is not closed or text follows a closing quote.
class CsvReader {
 public:
  // The text and the source must outlive it.
  CsvReader(std::string_view text, char delimiter, std::string_view source);

  // Returns the cells of the next row, or null at the end. The cells are valid until the next call.
  const std::vector<std::string>* next();

  std::size_t line() const noexcept { return row_line_; }  // the line on which the row starts, counted from 1

 private:
  bool at_line_end() const noexcept;
  void end_line() noexcept;
  void read_cell(std::string& cell);
  void read_quoted(std::string& cell);
  void read_row();
  [[noreturn]] void fail(const char* problem) const;

  std::string_view text_;
  char delimiter_;
  std::string_view source_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  std::vector<std::string> cells_;
};

}  // namespace leat::detail
