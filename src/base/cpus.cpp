// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/cpus.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace tenon {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

/// Returns an empty string if the file cannot be read. The last line ends without a line break.
std::string contentsOf(fs::path const& file) {
    std::ostringstream contents;
    contents << std::ifstream(file).rdbuf();
    std::string text = contents.str();
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

Strings split(std::string_view text, char separator) {
    Strings parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, separator);) parts.push_back(std::move(part));
    return parts;
}

/// Microseconds; 0 if `word` is not a number.
double numberIn(std::string_view word) {
    int64_t number = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() ? static_cast<double>(number) : 0;
}

bool contains(Strings const& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); }

void keepLeast(std::optional<double>& least, std::optional<double> quota) {
    if (quota) least = std::min(least.value_or(*quota), *quota);
}

/// The hierarchy of cgroups: v2's only one, or v1's with the controller "cpu".
enum class Version { One, Two };

/// Where a folder of the hierarchy is mounted.
struct Mount {
    Version version;
    std::string folder;
    std::string point;
};

/// Parses a line of mountinfo: "36 35 0:31 /folder /point rw - cgroup2 cgroup2 rw".
std::optional<Mount> mountIn(std::string const& line) {
    Strings const fields = split(line, ' ');
    auto const dash = std::ranges::find(fields, "-");
    if (std::distance(fields.begin(), dash) < 6 || std::distance(dash, fields.end()) < 4) return std::nullopt;
    if (dash[1] == "cgroup2") return Mount{Version::Two, fields[3], fields[4]};
    if (dash[1] == "cgroup" && contains(split(dash[3], ','), "cpu")) return Mount{Version::One, fields[3], fields[4]};
    return std::nullopt;
}

/// The path of the process in the hierarchy, from lines "4:cpu,cpuacct:/path" and "0::/path".
std::optional<std::string> pathIn(std::string const& cgroups, Version version) {
    for (std::string const& line : split(cgroups, '\n')) {
        size_t const first = line.find(':');
        size_t const second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        std::string const controllers = line.substr(first + 1, second - first - 1);
        if (version == Version::Two ? controllers.empty() : contains(split(controllers, ','), "cpu"))
            return line.substr(second + 1);
    }
    return std::nullopt;
}

std::optional<double> quotaOf(fs::path const& cgroup, Version version) {
    if (version == Version::Two) return quotaIn(contentsOf(cgroup / "cpu.max"));
    return quotaIn(contentsOf(cgroup / "cpu.cfs_quota_us") + ' ' + contentsOf(cgroup / "cpu.cfs_period_us"));
}

/// `path` below the mount point. In a container the path may lead outside the mount; then the mount is the container's
/// own cgroup.
fs::path inside(Mount const& mount, fs::path const& path) {
    fs::path const below = path.lexically_relative(mount.folder);
    return below.empty() || *below.begin() == ".." ? fs::path() : below;
}

std::optional<double> leastQuota(fs::path const& root, Mount const& mount, fs::path const& path) {
    std::optional<double> least;
    fs::path const top = root / fs::path(mount.point).relative_path();
    for (fs::path at = inside(mount, path); !at.empty() && at != "."; at = at.parent_path())
        keepLeast(least, quotaOf(top / at, mount.version));
    keepLeast(least, quotaOf(top, mount.version));
    return least;
}

} // namespace

CpuSet CpuSet::of(pid_t thread) {
    CpuSet set;
    if (sched_getaffinity(thread, sizeof set.bits_, set.bits_.data()) != 0) set = CpuSet();
    return set;
}

CpuSet CpuSet::ofProcess() {
    CpuSet const main = of(getpid());
    CpuSet both = ofThisThread();
    CPU_OR_S(sizeof both.bits_, both.bits_.data(), both.bits_.data(), main.bits_.data());
    return both;
}

CpuSet CpuSet::only(int cpu) {
    CpuSet set;
    CPU_SET_S(static_cast<size_t>(cpu), sizeof set.bits_, set.bits_.data());
    return set;
}

CpuSet CpuSet::without(int cpu) const {
    CpuSet set = *this;
    CPU_CLR_S(static_cast<size_t>(cpu), sizeof set.bits_, set.bits_.data());
    return set;
}

int CpuSet::count() const { return CPU_COUNT_S(sizeof bits_, bits_.data()); }

bool CpuSet::has(int cpu) const { return CPU_ISSET_S(static_cast<size_t>(cpu), sizeof bits_, bits_.data()) != 0; }

int CpuSet::after(int start, int i) const {
    constexpr int kMost = 8 * sizeof bits_;
    int cpu = start;
    for (int left = i % count(); left >= 0; left -= has(cpu) ? 1 : 0) cpu = (cpu + 1) % kMost;
    return cpu;
}

void CpuSet::applyToThisThread() const { sched_setaffinity(0, sizeof bits_, bits_.data()); }

bool CpuSet::operator==(CpuSet const& other) const {
    return CPU_EQUAL_S(sizeof bits_, bits_.data(), other.bits_.data()) != 0;
}

std::optional<double> quotaIn(std::string_view cpuMax) {
    Strings const words = split(cpuMax, ' ');
    double const quota = words.size() < 2 ? 0 : numberIn(words[0]);
    double const period = words.size() < 2 ? 0 : numberIn(words[1]);
    if (quota <= 0 || period <= 0) return std::nullopt; // v1 has -1 for none
    return quota / period;
}

std::optional<double> cpuQuota(fs::path const& root) {
    std::string const cgroups = contentsOf(root / "proc/self/cgroup");
    std::optional<double> least;
    for (std::string const& line : split(contentsOf(root / "proc/self/mountinfo"), '\n')) {
        auto const mount = mountIn(line);
        auto const path = mount ? pathIn(cgroups, mount->version) : std::nullopt;
        if (path) keepLeast(least, leastQuota(root, *mount, *path));
    }
    return least;
}

static std::optional<double> processQuota() {
    static std::optional<double> const quota = cpuQuota("/");
    return quota;
}

std::string describeCpus() {
    auto const hundredths = [](double number) {
        auto const whole = static_cast<int64_t>(std::llround(number * 100));
        return text(whole / 100, '.', whole / 10 % 10, whole % 10);
    };
    auto const quota = processQuota();
    double load = 0;
    bool const hasLoad = getloadavg(&load, 1) == 1;
    return text(CpuSet::ofProcess().count(), " CPUs in the affinity, ",
                quota ? text("a cgroup quota of ", hundredths(*quota)) : std::string("no cgroup quota"), ", load ",
                hasLoad ? hundredths(load) : std::string("unknown"));
}

std::optional<int> runnableIn(std::string_view loadavg) {
    Strings const words = split(loadavg, ' ');
    if (words.size() < 4) return std::nullopt;
    auto const slash = words[3].find('/');
    int runnable = 0;
    auto const read = std::from_chars(words[3].data(), words[3].data() + std::min(slash, words[3].size()), runnable);
    bool const isNumber = read.ec == std::errc() && slash != std::string::npos && read.ptr == words[3].data() + slash;
    return isNumber ? std::optional(runnable) : std::nullopt;
}

bool areCpusContended() {
    auto const quota = processQuota();
    if (quota && *quota < CpuSet::ofProcess().count()) return true;
    auto const runnable = runnableIn(contentsOf("/proc/loadavg"));
    return runnable && *runnable > sysconf(_SC_NPROCESSORS_ONLN);
}

int availableCpus() {
    auto const quota = processQuota();
    double const cpus = std::max(CpuSet::ofProcess().count(), 1);
    return static_cast<int>(quota ? std::min(cpus, std::max(1.0, std::ceil(*quota))) : cpus);
}

} // namespace tenon
