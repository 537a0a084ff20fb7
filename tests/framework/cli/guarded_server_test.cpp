// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/guarded_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <httplib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kHere = "127.0.0.1";

/// A client that sends what it likes.
class RawClient {
 public:
  explicit RawClient(int port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, kHere, &address.sin_addr);
    is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(socket_); }

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  [[nodiscard]] bool send(std::string_view text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  /// All that comes until the server closes.
  [[nodiscard]] std::string read_to_the_end() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 1; count > 0;) {
      count = ::recv(socket_, buffer.data(), buffer.size(), 0);
      text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return text;
  }

 private:
  int socket_;
  bool is_connected_ = false;
};

HttpResponse echo(const HttpRequest& request) { return {.body = request.host + request.path}; }

class Serving {
 public:
  explicit Serving(const ServerLimits& limits = {}, GuardedServer::Respond respond = echo) : server{kHere, 0, limits} {
    server.start([this, respond = std::move(respond)](const HttpRequest& request) {
      ++asked;
      return respond(request);
    });
  }
  [[nodiscard]] httplib::Client client() { return httplib::Client{kHere, server.port()}; }
  std::atomic<int> asked{0};
  GuardedServer server;
};

TEST(GuardedServer, AnswersAGetWithPathAndHost) {
  Serving serving;
  const auto answer = serving.client().Get("/some/path?x=1");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "127.0.0.1:" + std::to_string(serving.server.port()) + "/some/path");
  EXPECT_EQ(answer->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer->get_header_value("Cache-Control"), "no-store");
}

TEST(GuardedServer, TellsOnceAnAnswerIsSent) {
  std::promise<void> sent;
  GuardedServer server{"127.0.0.1", 0};
  server.start(
      [&](const HttpRequest&) { return HttpResponse{.body = "all of it", .sent = [&sent] { sent.set_value(); }}; });
  const auto answer = httplib::Client{"127.0.0.1", server.port()}.Get("/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "all of it");
  EXPECT_EQ(answer->get_header_value("Content-Length"), "9");
  sent.get_future().wait();
}

TEST(GuardedServer, TakesNothingButGet) {
  Serving serving;
  EXPECT_EQ(serving.client().Post("/", "text", "text/plain")->status, 405);
  EXPECT_EQ(serving.client().Head("/")->status, 405);
  EXPECT_EQ(serving.client().Delete("/")->status, 405);
  EXPECT_EQ(serving.asked, 0);
}

TEST(GuardedServer, APortInUseIsTheUsersError) {
  const GuardedServer first{kHere, 0};
  EXPECT_THAT([&] { GuardedServer(kHere, first.port()); },
              ThrowsMessage<UserError>(AllOf(HasSubstr(std::to_string(first.port())), HasSubstr("in use"))));
  EXPECT_THAT([] { GuardedServer("203.0.113.7", 0); }, ThrowsMessage<UserError>(HasSubstr("203.0.113.7")));
}

TEST(GuardedServer, GivesItsPortBackWhetherItHasStartedOrNot) {
  int port = 0;
  {
    const GuardedServer never_started{kHere, 0};
    port = never_started.port();
  }
  GuardedServer again{kHere, port};
  again.start(echo);
  EXPECT_EQ(again.port(), port);
  again.stop();
  EXPECT_EQ(GuardedServer(kHere, port).port(), port);
}

TEST(GuardedServer, EndsWithoutWaitingForClientsThatHang) {
  Serving serving{{.patience = hours{1}}};
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<RawClient>(serving.server.port()));
  }
  EXPECT_TRUE(clients.front()->send("GET / HT"));
  serving.server.stop();
  for (const auto& client : clients) {
    EXPECT_EQ(client->read_to_the_end(), "");
  }
  EXPECT_FALSE(RawClient(serving.server.port()).is_connected());
  EXPECT_EQ(serving.asked, 0);
}

TEST(GuardedServer, EndsWithoutWaitingForAClientThatDoesNotRead) {
  Serving serving{{.patience = hours{1}},
                  [](const HttpRequest&) { return HttpResponse{.body = std::string(std::size_t{64} << 20, 'x')}; }};
  const RawClient client{serving.server.port()};
  EXPECT_TRUE(client.send("GET / HTTP/1.1\r\n\r\n"));
  while (serving.asked == 0) {
    std::this_thread::yield();
  }
  serving.server.stop();
}

TEST(GuardedServer, ClosesASilentConnectionWhenItsTimeIsUp) {
  Serving serving{{.patience = milliseconds{20}}};
  EXPECT_EQ(RawClient(serving.server.port()).read_to_the_end(), "");
}

TEST(GuardedServer, DoesNotGiveMoreTimeToWhoSendsALittleNowAndThen) {
  Serving serving{{.patience = milliseconds{20}}};
  const RawClient client{serving.server.port()};
  std::string sent = "GET / HTTP/1.1\r\n";
  while (client.send(sent)) {
    sent = "X-Slow: 1\r\n";
    std::this_thread::yield();
  }
  EXPECT_EQ(serving.asked, 0);
}

TEST(GuardedServer, ReadsNoMoreOfARequestThanItsShare) {
  Serving serving{{.patience = hours{1}, .most_bytes = 1000}};
  const RawClient client{serving.server.port()};
  while (client.send(std::string(100, 'a'))) {
  }
  EXPECT_EQ(serving.asked, 0);
  EXPECT_TRUE(serving.client().Get("/"));
}

TEST(GuardedServer, ClosesConnectionsBeyondItsNumberAtOnce) {
  Serving serving{{.patience = hours{1}, .most_connections = 3}};
  std::vector<std::unique_ptr<RawClient>> hanging;
  for (int i = 0; i < 3; ++i) {
    hanging.push_back(std::make_unique<RawClient>(serving.server.port()));
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(RawClient(serving.server.port()).read_to_the_end(), "");
  }
  hanging.clear();
  while (!serving.client().Get("/")) {  // as soon as the server has seen that they have gone
  }
}

TEST(GuardedServer, DoesNotMakeALargeAnswerOfManyRanges) {
  Serving serving;
  std::string ranges = "bytes=0-0";
  for (int i = 0; i < 1500; ++i) {
    ranges += ",0-0";
  }
  const auto answer = serving.client().Get("/", {{"Range", ranges}});
  ASSERT_TRUE(answer);
  EXPECT_LT(answer->body.size(), 100U);
}

TEST(GuardedServer, SurvivesWhatIsNoRequest) {
  Serving serving;
  const std::string nothing = std::string(3000, '\0').append("\r\n\r\n");
  for (const std::string_view text :
       {std::string_view{"\r\n\r\n"}, std::string_view{"GET\r\n\r\n"}, std::string_view{nothing},
        std::string_view{"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"},
        std::string_view{"GET /%ff%00%zz HTTP/1.1\r\nRange: bytes=5-2,-\r\n\r\n"},
        std::string_view{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n"}}) {
    const RawClient client{serving.server.port()};
    (void)client.send(text);
  }
  EXPECT_EQ(serving.client().Get("/")->status, 200);
}

TEST(GuardedServer, TellsAFailureByItsStatus) {
  Serving serving{{}, [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("out of paper"); }};
  EXPECT_EQ(serving.client().Get("/")->status, 500);
}

TEST(GuardedServer, GivesWayToAllOtherThreads) {
  Serving serving{
      {}, [](const HttpRequest&) { return HttpResponse{.body = std::to_string(::getpriority(PRIO_PROCESS, 0))}; }};
  EXPECT_EQ(serving.client().Get("/")->body, "19");
  EXPECT_LT(::getpriority(PRIO_PROCESS, 0), 19);
}

}  // namespace
}  // namespace dflash
