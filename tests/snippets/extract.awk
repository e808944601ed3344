# Makes a source file of a Markdown page's C++ snippets: awk -v page=README.md -f extract.awk README.md >page.cpp
#
# A snippet is a block that is fenced with ```cpp. It becomes the body of a function, in a namespace of its own; lines that
# start with #include go to the top of the file. What a snippet uses and does not define is declared by an HTML comment right
# before it, at namespace scope:
#   <!-- C++ context:
#   void step(leat::TensorView pixels);
#   -->
# With "C++ declarations:" in place of "C++ context:", the snippet itself stands at namespace scope, too.
#
# Ends with code 1, and says where, at a comment that no snippet follows, at a fence that is not closed, and at a block
# of another language, or of none, that looks like C++. The last line written counts the snippets: "// snippets: 3".
function fail(line, text) {
  printf "%s:%d: %s\n", page, line, text >"/dev/stderr"
  bad = 1
}
function include_or(text, line) {
  if (text ~ /^[ ]*#include/) includes = includes sprintf("#line %d \"%s\"\n%s\n", line, page, text)
  else return text "\n"
  return "\n"
}
state == "context" && /^-->/ { state = ""; next }
state == "context" { context = context include_or($0, NR); next }
state == "" && /^<!-- C\+\+ (context|declarations):$/ {
  if (pending) fail(pending, "no snippet follows this comment")
  pending = NR
  scope = $3
  context = ""
  state = "context"
  next
}
state == "" && /^[ ]*```[ ]*(cpp|c\+\+|C\+\+|cc|cxx|hpp)[ ]*$/ { state = "snippet"; opened = NR; code = ""; next }
state == "" && /^[ ]*```/ {
  if (pending) fail(pending, "no snippet follows this comment")
  pending = 0
  state = "other"
  opened = NR
  language = $0
  sub(/^[ ]*```[ ]*/, "", language)
  next
}
(state == "snippet" || state == "other") && /^[ ]*```[ ]*$/ {
  if (state == "snippet") {
    ++count
    body = sprintf("#line %d \"%s\"\n%s", opened + 1, page, code)
    if (scope != "declarations:") body = "void run() {\n" body "}\n"
    source = source sprintf("namespace snippet_%d {\n", count)
    if (pending) source = source sprintf("#line %d \"%s\"\n%s", pending + 1, page, context)
    source = source body "}\n"
    pending = 0
    scope = ""
  }
  state = ""
  next
}
state == "snippet" { code = code include_or($0, NR); next }
state == "other" {
  if (language != "cmake" && /leat::|std::|^[ ]*#include/) fail(NR, "this looks like C++, in a block that is not fenced with ```cpp")
  next
}
pending && !/^[ ]*$/ { fail(pending, "no snippet follows this comment"); pending = 0 }
END {
  if (state != "") fail(opened ? opened : NR, "this is not closed")
  if (pending) fail(pending, "no snippet follows this comment")
  if (bad) exit 1
  printf "#include <leat.h>\n%s%s// snippets: %d\n", includes, source, count
}
