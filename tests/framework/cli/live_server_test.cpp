// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/live_server.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <httplib.h>

#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/json_syntax.h"
#include "tests/support/adding_run.h"
#include "tests/support/session_fixture.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LiveServerTest : public testing::Test {
 protected:
  LiveServerTest() {
    run_.progress = {.steps = 7, .total_steps = 10};
    run_.view.stages = {{.name = "target"}};
    looking_.emplace(server_, [this] {
      ++looks_;
      return run_;
    });
  }

  [[nodiscard]] HttpResponse get(const std::string& path, const std::string& host = "localhost") {
    return server_.respond({.path = path, .host = host});
  }

  LiveRun run_{.graph = "train"};
  int looks_ = 0;
  LiveServer server_{parse_live_address("0", false)};
  std::optional<LiveServer::Looking> looking_;
};

TEST_F(LiveServerTest, ServesAtTheAddressThatItTells) {
  EXPECT_THAT(server_.url(), AllOf(StartsWith("http://127.0.0.1:"), Not(HasSubstr(":0/"))));
  httplib::Client client{server_.url().substr(0, server_.url().size() - 1)};
  const auto answer = client.Get("/metrics");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(answer->body, HasSubstr("\ndflash_steps_total 7\n"));
}

TEST_F(LiveServerTest, ShowsAPageThatNeedsNothingElse) {
  const HttpResponse page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_THAT(page.body, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("status.json"), Not(HasSubstr("src=")),
                               Not(HasSubstr("https://"))));
}

TEST_F(LiveServerTest, TellsPrograms) {
  const HttpResponse status = get("/status.json");
  EXPECT_EQ(status.type, "application/json");
  const Json json = parse_json(status.body, "status.json");
  EXPECT_EQ(json["progress"]["done"], 7);
  EXPECT_EQ(json["stages"][0]["name"], "target");
}

TEST_F(LiveServerTest, GivesWhoComesLateTheMetricsSoFar) {
  server_.note({.steps = 1, .metrics = {{"loss", 3.0}}});
  server_.note({.steps = 2, .metrics = {{"loss", 2.0}}});
  const Json history = parse_json(get("/history.json").body, "history.json");
  EXPECT_EQ(history["step"], Json({1, 2}));
  EXPECT_EQ(history["metrics"]["loss"], Json({3.0, 2.0}));
}

TEST_F(LiveServerTest, ShowsWhatItHasSeenLastOnceItLooksNoLonger) {
  looking_.reset();
  const int looks = looks_;
  run_.progress.steps = 99;
  EXPECT_EQ(parse_json(get("/status.json").body, "status.json")["progress"]["done"], 7);
  EXPECT_EQ(looks_, looks);
}

TEST_F(LiveServerTest, TellsTheEndAndWaitsForNobodyWhereNobodyLooks) {
  looking_.reset();
  server_.tell_end({.outcome = {}, .verdict = "Nothing limits.", .run_dir = "runs/x"}, std::chrono::hours{1});
  const Json json = parse_json(get("/status.json").body, "status.json");
  EXPECT_EQ(json["phase"], "ended");
  EXPECT_EQ(json["outcome"]["verdict"], "Nothing limits.");
}

TEST_F(LiveServerTest, TellsTheEndOfARunThatIsGivenUpWhileItLooks) {
  server_.tell_end({.outcome = {.code = 3, .text = "stalled"}}, std::chrono::hours{1});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(parse_json(get("/status.json").body, "status.json")["outcome"]["code"], 3);
    std::this_thread::sleep_for(std::chrono::milliseconds{110});  // as long as an answer is good for
  }
}

TEST_F(LiveServerTest, DoesNotWaitForWhoHasAskedButOnce) {
  (void)get("/status.json");
  looking_.reset();
  server_.tell_end({}, std::chrono::hours{1});
}

TEST_F(LiveServerTest, WaitsUntilAnOpenPageHasBeenToldTheEnd) {
  looking_.reset();
  const std::string url = server_.url().substr(0, server_.url().size() - 1);
  ASSERT_TRUE(httplib::Client{url}.Get("/status.json"));
  ASSERT_TRUE(httplib::Client{url}.Get("/status.json"));
  std::string body;
  std::jthread page{[&] {
    do {
      body = httplib::Client{url}.Get("/status.json")->body;
    } while (body.find("\"ended\"") == std::string::npos);
  }};
  server_.tell_end({.outcome = {.code = 1, .text = "failed"}}, std::chrono::hours{1});
  page.join();
  EXPECT_EQ(parse_json(body, "status.json")["outcome"]["code"], 1);
}

TEST_F(LiveServerTest, KnowsNoOtherPath) {
  for (const char* path : {"/x", "//", "/metrics/", "/../etc/passwd", "", "/status.json/x"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(LiveServerTest, RefusesRequestsThatCameByAnotherName) {
  for (const char* host : {"evil.example", "evil.example:9100", ""}) {
    EXPECT_EQ(get("/status.json", host).status, 403);
    EXPECT_THAT(get("/", host).body, Not(HasSubstr("html")));
  }
  EXPECT_EQ(get("/metrics", "127.0.0.1:9100").status, 200);
  EXPECT_EQ(get("/metrics", "[::1]:9100").status, 200);
}

TEST_F(LiveServerTest, LooksAtTheRunSeldomWhoeverAsksHowOften) {
  for (int i = 0; i < 1000; ++i) {
    (void)get("/metrics");
  }
  EXPECT_LT(looks_, 500);
}

TEST(LiveServer, AnyNameWillDoWhereOthersMayReadIt) {
  LiveServer server{{.host = "127.0.0.1", .port = 0, .is_loopback = false}};
  const LiveServer::Looking looking{server, [] { return LiveRun{}; }};
  EXPECT_EQ(server.respond({.path = "/metrics", .host = "box.example:9100"}).status, 200);
}

/// A whole run with --serve.
class ServedRunTest : public SessionTest {
 protected:
  ServedRunTest() { request_.serve = std::to_string(port_); }

  /// What the run answers at that path, at its fifth step.
  std::string ask_at_step_five(AddingRun& adding, const std::string& path) {
    std::string body;
    adding.adder->at_step = [&](std::int64_t step, Firing&) {
      if (step == 5) {
        body = get(path);
      }
    };
    EXPECT_EQ(run(adding), 0);
    return body;
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    const auto answer = httplib::Client{"127.0.0.1", port_}.Get(path);
    return answer ? answer->body : "nobody answers";
  }

  const int port_ = GuardedServer{"127.0.0.1", 0}.port();
};

TEST_F(ServedRunTest, AnswersWhileItGoesOnAndNoLonger) {
  AddingRun adding;
  const Json status = Json::parse(ask_at_step_five(adding, "/status.json"));
  EXPECT_EQ(status["graph"], "adding");
  EXPECT_EQ(status["phase"], "running");
  EXPECT_EQ(status["progress"]["done"], 4);
  EXPECT_EQ(status["progress"]["total"], 10);
  EXPECT_EQ(status["metrics"]["loss"], 0.2);
  EXPECT_EQ(status["stages"][1]["name"], "adder");
  EXPECT_EQ(status["stages"][1]["firings"], 4);
  EXPECT_EQ(status["stages"][1]["firing_slots"], 1);
  EXPECT_THAT(out_, HasSubstr("live: http://127.0.0.1:" + std::to_string(port_) + "/\n"));
  EXPECT_EQ(get("/status.json"), "nobody answers");
}

TEST_F(ServedRunTest, TellsAnOpenPageHowItEndedAndWhatItsMetricsWere) {
  AddingRun adding;
  std::string last;
  std::jthread page;
  adding.adder->at_step = [&](std::int64_t step, Firing&) {
    if (step == 5) {
      (void)get("/status.json");
      (void)get("/status.json");
      page = std::jthread{[&] {
        for (std::string body = get("/status.json"); body != "nobody answers"; body = get("/status.json")) {
          last = body;
        }
      }};
    }
  };
  EXPECT_EQ(run(adding), 0);
  page.join();
  const Json status = Json::parse(last);
  EXPECT_EQ(status["phase"], "ended");
  EXPECT_EQ(status["outcome"]["code"], 0);
  EXPECT_EQ(status["outcome"]["verdict"], report()["verdict"]["text"]);
  EXPECT_EQ(status["outcome"]["run_dir"], path_.string());
}

TEST_F(ServedRunTest, GivesPrometheusWhatItReads) {
  AddingRun adding;
  EXPECT_THAT(ask_at_step_five(adding, "/metrics"),
              AllOf(HasSubstr("\ndflash_steps_total 4\n"), HasSubstr("\ndflash_metric_loss 0.2\n"),
                    HasSubstr("\ndflash_stage_firings_total{stage=\"adder\"} 4\n")));
}

TEST_F(ServedRunTest, AnswersBeforeTheFirstFiringAndBehindTheLast) {
  AddingRun adding;
  std::vector<std::string> phases;
  adding.hooks.at_evaluate = [&](const std::string&) {
    std::string phase;
    do {  // an answer may be a tenth of a second old
      phase = Json::parse(get("/status.json"))["phase"].get<std::string>();
    } while (!phases.empty() && phase == phases.back());
    phases.push_back(phase);
  };
  EXPECT_EQ(run(adding), 0);
  EXPECT_THAT(phases, ElementsAre("starting", "finishing"));
}

TEST_F(ServedRunTest, EndsWhereAStageDoesNotOpenAndFreesThePort) {
  AddingRun adding;
  adding.adder->at_open = [] { throw UserError("no such model"); };
  EXPECT_THROW(run(adding), StageError);
  EXPECT_EQ(get("/"), "nobody answers");
  EXPECT_EQ(GuardedServer("127.0.0.1", port_).port(), port_);
}

TEST_F(ServedRunTest, FindsItsPortTakenBeforeAnythingOpens) {
  AddingRun adding;
  bool has_opened = false;
  adding.adder->at_open = [&] { has_opened = true; };
  const GuardedServer other{"127.0.0.1", port_};
  EXPECT_THROW(run(adding), UserError);
  EXPECT_FALSE(has_opened);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ServedRunTest, RefusesAddressesThatOthersReachUnlessAllowed) {
  AddingRun adding;
  request_.serve = "0.0.0.0:0";
  EXPECT_THAT([&] { run(adding); }, testing::ThrowsMessage<UserError>(HasSubstr("--serve-anyone")));
  request_.serve_anyone = true;
  EXPECT_EQ(run(adding), 0);
  EXPECT_THAT(out_, HasSubstr("live: http://0.0.0.0:"));
  request_.serve = "";
  EXPECT_THROW(run(adding), UserError);
}

}  // namespace
}  // namespace dflash
