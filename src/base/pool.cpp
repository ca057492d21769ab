// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/pool.h"

#include "base/futex.h"

#include <bit>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <omp.h>
#include <string_view>

namespace tenon {
namespace {

using namespace std::chrono_literals;

// Longer than the gap between two loops of a run, shorter than a time slice that another process would miss.
constexpr std::chrono::nanoseconds kIdleSpin = 50us;
// At the end of a loop the caller waits for the last chunks of helpers. If such a thread has been descheduled, the
// caller's sleep frees a core for it.
constexpr std::chrono::nanoseconds kEndSpin = 20us;
constexpr int kWakes = 2; // by each thread; woken threads wake others
// A needless wake-up costs the caller two context switches, some microseconds.
constexpr std::chrono::nanoseconds kWithoutWakeUps = 1ms;
// A stall is a time slice of another process: milliseconds. The kernel's own work of some microseconds does not count.
constexpr std::chrono::nanoseconds kShortestStall = 300us;

// True in a body and in a worker.
thread_local bool computes = false;
thread_local unsigned lastJob = 0;

/// While it exists, new threads handle no signals of the application except those raised by their own actions.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t blocked;
        sigfillset(&blocked);
        for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) sigdelset(&blocked, own);
        pthread_sigmask(SIG_BLOCK, &blocked, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

timespec timeOf(std::chrono::nanoseconds time) {
    auto const seconds = std::chrono::floor<std::chrono::seconds>(time);
    return {seconds.count(), (time - seconds).count()};
}

bool isPinning() {
    char const* const wanted = std::getenv("TENON_PIN_THREADS");
    return wanted && std::string_view(wanted) == "1";
}

} // namespace

Pool& Pool::shared() {
    // Never destroyed: destructors of other static objects may run loops.
    alignas(Pool) static std::array<std::byte, sizeof(Pool)> room;
    static Pool& pool = *new (room.data()) Pool;
    static struct Ending {
        Ending() { pthread_atfork(holdForFork, afterFork, afterForkInChild); }
        ~Ending() { pool.end(); }
    } const ending;
    return pool;
}

void Pool::run(Chunks const& chunks, int threads, SlotBody body) {
    int const wanted = static_cast<int>(std::min<int64_t>({threads, kMostThreads, chunks.threads()})) - 1;
    if (wanted < 1 || computes || backoff_.isOn()) return runAlone(chunks, body);
    start(wanted);
    int const helpers = std::min(wanted, workers());
    Job* const job = helpers < 1 ? nullptr : takeJob();
    if (job == nullptr) return runAlone(chunks, body);
    runJob(*job, chunks, helpers, body);
}

void Pool::runAlone(Chunks const& chunks, SlotBody body) {
    for (int64_t i = 0; i < chunks.number(); ++i) body(chunks.begin(i), chunks.end(i), 0);
}

/// The job that the thread used last, if it is free: its memory is in the cache, and the same workers join it.
Job* Pool::takeJob() {
    for (unsigned i = 0; i < kJobs; ++i) {
        unsigned const number = (lastJob + i) % kJobs;
        if (!jobs_[number].acquire()) continue;
        lastJob = number;
        return &jobs_[number];
    }
    return nullptr;
}

void Pool::runJob(Job& job, Chunks const& chunks, int helpers, SlotBody body) noexcept {
    uint64_t const bit = bitOf(job);
    Job::Seat const seat = job.open(chunks, helpers, body);
    open_.fetch_or(bit);
    wake(helpers - (workers() - sleeping_.load() - helping_.load()));
    computes = true;
    int const openMp = omp_get_max_threads();
    omp_set_num_threads(1); // for code called by the body, as on the workers
    job.compute(seat, 0, [] { return false; });
    omp_set_num_threads(openMp);
    computes = false;
    bool const hasOthers = (open_.fetch_and(~bit) & ~bit) != 0;
    std::chrono::nanoseconds const stall = job.wait(spins() ? kEndSpin : 0ns);
    job.release();
    if (stall >= kShortestStall && spins()) {
        auto const now = std::chrono::steady_clock::now().time_since_epoch();
        backoff_.start(stalls_.backoffAfter(stall, now));
    }
    if (hasOthers) wake(1); // which had no room
}

/// Workers in jobs and their callers must not outnumber the CPUs, or the threads of one loop.
bool Pool::takesRoom() {
    int helping = helping_.load();
    do {
        if (helping + callers() >= capacity()) return false;
    } while (!helping_.compare_exchange_weak(helping, helping + 1));
    return true;
}

bool Pool::hasRoom() const { return helping_.load(std::memory_order_relaxed) + callers() < capacity(); }

/// Called by a worker in a job: gives up its room if a caller needs it.
bool Pool::makesRoom() {
    int helping = helping_.load(std::memory_order_relaxed);
    while (helping + callers() > capacity()) {
        if (helping_.compare_exchange_weak(helping, helping - 1)) return true;
    }
    return false;
}

int Pool::callers() const { return std::popcount(open_.load(std::memory_order_relaxed)); }

bool Pool::help(int number) {
    uint64_t const open = open_.load(std::memory_order_acquire);
    if (open == 0) return false;
    uint64_t later = open; // with several jobs, workers start with different ones
    for (int i = number % std::popcount(open); i > 0; --i) later &= later - 1;
    return helpWithAny(later, number) || helpWithAny(open & ~later, number);
}

bool Pool::helpWithAny(uint64_t jobs, int number) {
    for (; jobs != 0; jobs &= jobs - 1) {
        if (helpWith(jobs_[static_cast<size_t>(std::countr_zero(jobs))], number)) return true;
    }
    return false;
}

bool Pool::helpWith(Job& job, int number) {
    if (job.freeSeats() == 0 || isInTheWay(job) || !takesRoom()) return false;
    auto const seat = job.enter();
    if (seat) {
        wake(freeSeats()); // another caller may have counted on this worker too
        bool const isForAll = seat->seats == workers();
        if (job.compute(*seat, isForAll ? number + 1 : seat->slot, [this] { return makesRoom(); })) return true;
    }
    helping_.fetch_sub(1);
    return seat.has_value();
}

void Pool::live(int number) noexcept {
    computes = true;
    omp_set_num_threads(1);
    place(number);
    auto const fresh = [this] { return Spin(spins() ? kIdleSpin : 0ns); };
    Spin spin = fresh();
    while (!isEnding_.load(std::memory_order_relaxed)) {
        if (help(number)) {
            spin = fresh();
            continue;
        }
        if (spin.isFresh()) Job::restartOffCpuTime();
        if (!backoff_.isOn() && hasRoom() && spin.again()) continue;
        sleep();
        Job::restartOffCpuTime();
        spin = fresh();
    }
    living_.fetch_sub(1);
    futexWake(living_, 1);
}

/// Pins the calling worker, or clears the affinity that it inherited from its creator.
void Pool::place(int number) const {
    if (pins_ && cpus_.count() > 0)
        CpuSet::only(cpus_.after(firstCpu_, number)).applyToThisThread();
    else if (!(CpuSet::ofThisThread() == cpus_))
        cpus_.applyToThisThread();
}

/// Whether the calling worker occupies the CPU on which the caller of the job ran and for which it now waits.
bool Pool::isInTheWay(Job const& job) {
    int const cpu = sched_getcpu();
    if (!spins() || cpu != job.cpu()) return false;
    backoff_.start(kWithoutWakeUps);
    if (!pins_) stepAside(cpu);
    return true;
}

/// Moves the calling worker to another CPU. The kernel wakes a thread where it ran before if it sees no idle CPU that
/// shares its cache; so the worker might be in the way each time.
void Pool::stepAside(int cpu) {
    CpuSet const all = CpuSet::ofThisThread();
    CpuSet const others = all.without(cpu);
    if (others.count() == 0) return;
    others.applyToThisThread();
    all.applyToThisThread();
}

/// In all jobs.
int Pool::freeSeats() const {
    int seats = 0;
    for (uint64_t jobs = open_.load(); jobs != 0; jobs &= jobs - 1)
        seats += jobs_[static_cast<size_t>(std::countr_zero(jobs))].freeSeats();
    return seats;
}

/// A caller opens its job and then looks for sleepers; the order is reversed here, so that one sees the other.
void Pool::sleep() {
    uint32_t const seen = bell_.load();
    sleeping_.fetch_add(1);
    bool const works = hasRoom() && freeSeats() > 0;
    timespec const left = timeOf(backoff_.left());
    bool const isOver = left.tv_sec == 0 && left.tv_nsec == 0;
    if (!isEnding_.load() && !(works && isOver)) futexWait(bell_, seen, works ? &left : nullptr);
    sleeping_.fetch_sub(1);
}

void Pool::wake(int count) {
    count = std::min({count, sleeping_.load(), capacity() - helping_.load() - callers(), kWakes});
    if (count < 1) return;
    bell_.fetch_add(1);
    futexWake(bell_, count);
}

/// Starts workers for one more loop with that many helpers, if the running loops want as many.
void Pool::start(int helpers) {
    int const all = std::max(helpers, std::min(helpers * (callers() + 1), capacity() - 1));
    if (workers() >= all || cannotStart_.load(std::memory_order_relaxed)) return;
    std::lock_guard const lock(starting_);
    if (workers() == 0) {
        cpus_ = CpuSet::ofProcess();
        firstCpu_ = std::max(sched_getcpu(), 0);
        pins_ = isPinning();
    }
    int const cpus = availableCpus();
    capacity_ = std::max({capacity(), cpus, helpers + 1});
    spins_ = capacity() <= cpus;
    while (workers() < all && !cannotStart_.load()) cannotStart_ = isEnding_.load() || !startOne();
}

bool Pool::startOne() {
    int const number = started_.load();
    Worker& worker = all_[static_cast<size_t>(number)];
    worker = {this, {}, number};
    SignalsBlocked const blocked;
    living_.fetch_add(1);
    if (pthread_create(&worker.thread, nullptr, liveOn, &worker) != 0) {
        living_.fetch_sub(1);
        return false;
    }
    pthread_setname_np(worker.thread, "tenon-worker");
    started_.store(number + 1, std::memory_order_release);
    return true;
}

void* Pool::liveOn(void* worker) {
    auto const* const me = static_cast<Worker*>(worker);
    me->pool->live(me->number);
    return nullptr;
}

void Pool::end() {
    std::lock_guard const lock(starting_);
    int const workers = started_.exchange(0);
    isEnding_ = true;
    bell_.fetch_add(1);
    futexWake(bell_, INT_MAX);
    bool const haveEnded = !computes && waitForAll();
    for (int i = 0; i < workers; ++i) {
        pthread_t const thread = all_[static_cast<size_t>(i)].thread;
        haveEnded ? pthread_join(thread, nullptr) : pthread_detach(thread);
    }
}

/// Returns whether all workers have ended or are about to.
bool Pool::waitForAll() {
    auto const end = std::chrono::steady_clock::now() + 1s;
    while (uint32_t const living = living_.load()) {
        auto const left = end - std::chrono::steady_clock::now();
        if (left <= 0ns) return false;
        timespec const most = timeOf(left);
        futexWait(living_, living, &most);
    }
    return true;
}

// No thread may be started during fork().
void Pool::holdForFork() { shared().starting_.lock(); }
void Pool::afterFork() { shared().starting_.unlock(); }
void Pool::afterForkInChild() {
    shared().forget();
    shared().starting_.unlock();
}

/// Called in a child of fork(), where there are no workers.
void Pool::forget() {
    open_ = 0;
    helping_ = sleeping_ = started_ = capacity_ = 0;
    living_ = 0;
    cannotStart_ = false;
    for (Job& job : jobs_) job.forget();
}

} // namespace tenon
