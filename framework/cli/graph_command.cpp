// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/graph_command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/graph_drawing.h"
#include "framework/cli/load_graph.h"
#include "framework/cli/printing.h"
#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): no thread has started
  std::istringstream folders{path != nullptr ? path : ""};
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    if (fs::is_regular_file(fs::path{folder} / name, error)) {
      return true;
    }
  }
  return false;
}

// Through a file, because a pipe would need both of its ends read and written at once.
std::string rendered_svg(const std::string& dot) {
  DFLASH_USER_CHECK(
      has_program("dot"),
      "format svg needs Graphviz's program 'dot', which is not installed; allowed without it: text, dot, mermaid");
  std::string file = (fs::temp_directory_path() / "graph-XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  DFLASH_USER_CHECK(descriptor >= 0, "cannot make a file in {}", fs::temp_directory_path().string());
  const std::unique_ptr<std::string, void (*)(std::string*)> removed{
      &file, [](std::string* name) { std::remove(name->c_str()); }};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> written{fdopen(descriptor, "w"), &std::fclose};
  write_text(written.get(), dot);
  written.reset();
  std::FILE* pipe = popen(fmt::format("dot -Tsvg '{}'", file).c_str(), "r");
  DFLASH_USER_CHECK(pipe != nullptr, "cannot start Graphviz's program 'dot'");
  std::string svg;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
    svg += static_cast<char>(letter);
  }
  const int status = pclose(pipe);
  DFLASH_USER_CHECK(status == 0 && !svg.empty(), "Graphviz's program 'dot' failed with status {}", status);
  return svg;
}

std::string drawn(const GraphFile& file, const DrawingRequest& drawing) {
  if (drawing.json) {
    return draw_json(file.graph).dump() + "\n";
  }
  if (drawing.format == "text") {
    return draw_text(file.graph);
  }
  if (drawing.format == "mermaid") {
    return draw_mermaid(file.graph);
  }
  const std::string dot = draw_dot(file.graph, file.name);
  return drawing.format == "dot" ? dot : rendered_svg(dot);
}

}  // namespace

int graph_command(const Application& application, const GraphRequest& request, const DrawingRequest& drawing) {
  const std::vector<std::string> formats{"text", "dot", "mermaid", "svg"};
  const std::string& format = drawing.format;
  DFLASH_USER_CHECK(std::find(formats.begin(), formats.end(), format) != formats.end(), "unknown format '{}'{}", format,
                    suggestion(format, formats));
  Diagnostics diagnostics;
  const LoadedGraph loaded = load_graph(request, application, diagnostics);
  diagnostics.throw_if_any();
  const std::string text = drawn(loaded.file, drawing);
  if (drawing.output.empty()) {
    print("{}", text);
    return 0;
  }
  write_durably(drawing.output, text);
  return 0;
}

}  // namespace dflash
