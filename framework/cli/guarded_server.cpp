// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/guarded_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <httplib.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::size_t kWorkers = 4;  // a browser may hold a connection or two open without a word
constexpr int kLowestPriority = 19;
constexpr std::size_t kBufferBytes = 4096;
constexpr int kMethodNotAllowed = 405;

/// One connection, until its time or its share of bytes is used up; then it looks like one that the client has closed.
class LimitedStream final : public httplib::Stream {
 public:
  LimitedStream(socket_t socket, const ServerLimits& limits)
      : socket_{socket}, deadline_{Clock::now() + limits.patience}, bytes_left_{limits.most_bytes} {}

  bool is_readable() const override { return next_ < end_ || wait_for(POLLIN); }
  bool is_writable() const override { return wait_for(POLLOUT); }
  ssize_t read(char* data, std::size_t size) override {
    if (next_ == end_ && !refill()) {
      return -1;
    }
    const std::size_t count = std::min(size, end_ - next_);
    std::memcpy(data, buffer_.data() + next_, count);
    next_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* data, std::size_t size) override {
    return wait_for(POLLOUT) ? ::send(socket_, data, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool wait_for(short event) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    pollfd poll{.fd = socket_, .events = event, .revents = 0};
    return left > 0 && ::poll(&poll, 1, static_cast<int>(left)) > 0;
  }

  [[nodiscard]] bool refill() {
    const std::size_t most = std::min(buffer_.size(), bytes_left_);
    const ssize_t count = most > 0 && wait_for(POLLIN) ? ::recv(socket_, buffer_.data(), most, MSG_DONTWAIT) : -1;
    next_ = 0;
    end_ = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    bytes_left_ -= end_;
    return count > 0;
  }

  socket_t socket_;
  Clock::time_point deadline_;
  std::size_t bytes_left_;
  std::array<char, kBufferBytes> buffer_{};
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

/// The library's pool, which would let any number wait.
class BoundedPool final : public httplib::TaskQueue {
 public:
  explicit BoundedPool(std::size_t most) : most_{most} {}

  void enqueue(std::function<void()> serve) override {
    if (under_way_ >= most_) {
      serve();  // on the thread that takes connections in, which closes them
      return;
    }
    ++under_way_;
    pool_.enqueue([this, serve = std::move(serve)] {
      serve();
      --under_way_;
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> under_way_{0};
  httplib::ThreadPool pool_{kWorkers};
};

void set_answer(httplib::Response& response, HttpResponse answer) {
  if (!answer.sent) {
    response.set_content(answer.body, answer.type);
    return;
  }
  const std::size_t size = answer.body.size();
  response.set_content_provider(
      size, answer.type,
      [body = std::move(answer.body)](std::size_t begin, std::size_t count, httplib::DataSink& sink) {
        return sink.write(body.data() + begin, count);
      },
      [sent = std::move(answer.sent)](bool is_whole) {
        if (is_whole) {
          sent();
        }
      });
}

}  // namespace

/// The library parses and writes; what it leaves open is here: how long, how much, how many, and how to end. It calls
/// `process_and_close_socket` for each connection, on a thread of the pool or, where that is full, on `listener_`.
class GuardedServer::Impl final : public httplib::Server {
 public:
  Impl(const std::string& host, int port, const ServerLimits& limits);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() override { end(); }

  [[nodiscard]] int port() const { return port_; }
  void start(Respond respond);
  void end();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void listen_on_this_thread();
  [[nodiscard]] bool add(socket_t socket);
  void close(socket_t socket);
  void answer(socket_t socket);

  const ServerLimits limits_;
  Respond respond_;
  int port_ = 0;
  std::mutex mutex_;
  std::set<socket_t> open_;
  bool is_ending_ = false;
  std::atomic<bool> has_listened_{false};
  std::atomic<std::thread::id> takes_in_;
  std::thread listener_;
};

GuardedServer::Impl::Impl(const std::string& host, int port, const ServerLimits& limits) : limits_{limits} {
  new_task_queue = [this] {  // the library deletes it
    return std::make_unique<BoundedPool>(limits_.most_connections).release();
  };
  // Not the library's own SO_REUSEPORT, by which two runs would share a port in silence.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  set_default_headers({{"Cache-Control", "no-store"},
                       {"X-Content-Type-Options", "nosniff"},
                       {"X-Frame-Options", "DENY"},
                       {"Content-Security-Policy",
                        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                        "connect-src 'self'; base-uri 'none'; form-action 'none'"}});
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (request.method != "GET") {
      response.status = kMethodNotAllowed;
      response.set_header("Allow", "GET");
      return HandlerResponse::Handled;
    }
    HttpResponse answer = respond_({.path = request.path, .host = request.get_header_value("Host")});
    response.status = answer.status;
    set_answer(response, std::move(answer));
    return HandlerResponse::Handled;
  });
  errno = 0;
  const bool is_bound = port == 0 ? (port_ = bind_to_any_port(host)) > 0 : bind_to_port(host, port_ = port);
  const int error = errno;
  DFLASH_USER_CHECK(is_bound, "--serve: port {} of {} cannot be had: {}; allowed: another one, or 0 for any free one",
                    port, host, error != 0 ? std::generic_category().message(error) : "the system refuses it");
}

void GuardedServer::Impl::start(Respond respond) {
  respond_ = std::move(respond);
  listener_ = std::thread{[this] { listen_on_this_thread(); }};
  while (!is_running() && !has_listened_) {  // an end before that would be overlooked
    std::this_thread::yield();
  }
}

void GuardedServer::Impl::listen_on_this_thread() {
  takes_in_ = std::this_thread::get_id();
  ::setpriority(PRIO_PROCESS, 0, kLowestPriority);  // on Linux: of this thread, and of those that it starts
  listen_after_bind();
  has_listened_ = true;
}

void GuardedServer::Impl::end() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
    for (const socket_t socket : open_) {
      ::shutdown(socket, SHUT_RDWR);
    }
  }
  stop();
  if (listener_.joinable()) {
    listener_.join();
  }
  if (!has_listened_ && svr_sock_ != INVALID_SOCKET) {  // who has listened has closed it
    ::close(svr_sock_.exchange(INVALID_SOCKET));
  }
}

bool GuardedServer::Impl::process_and_close_socket(socket_t socket) {
  if (std::this_thread::get_id() == takes_in_ || !add(socket)) {
    ::close(socket);
    return false;
  }
  try {
    answer(socket);
  } catch (...) {  // the run goes on, whatever a request has done here
    close(socket);
    return false;
  }
  close(socket);
  return true;
}

void GuardedServer::Impl::answer(socket_t socket) {
  LimitedStream stream{socket, limits_};
  bool is_closed = false;
  process_request(stream, /*close_connection=*/true, is_closed, [](httplib::Request& request) {
    request.ranges.clear();  // many small ones would make a small page large
    request.headers.erase("Accept-Encoding");
  });
}

bool GuardedServer::Impl::add(socket_t socket) {
  const std::lock_guard lock{mutex_};
  return !is_ending_ && open_.insert(socket).second;
}

void GuardedServer::Impl::close(socket_t socket) {
  const std::lock_guard lock{mutex_};  // or `end` might shut down another's socket of that number
  open_.erase(socket);
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

GuardedServer::GuardedServer(const std::string& host, int port, const ServerLimits& limits)
    : impl_{std::make_unique<Impl>(host, port, limits)} {}
GuardedServer::~GuardedServer() = default;
int GuardedServer::port() const { return impl_->port(); }
void GuardedServer::start(Respond respond) { impl_->start(std::move(respond)); }
void GuardedServer::stop() { impl_->end(); }

}  // namespace dflash
