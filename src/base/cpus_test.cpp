// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/cpus.h"

#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace tenon {
namespace {

namespace fs = std::filesystem;

TEST(CpuQuota, isReadFromCpuMax) {
    EXPECT_EQ(quotaIn("200000 100000"), 2.0);
    EXPECT_EQ(quotaIn("50000 100000"), 0.5);
    EXPECT_EQ(quotaIn("150000 100000"), 1.5);
    EXPECT_EQ(quotaIn("max 100000"), std::nullopt);
    EXPECT_EQ(quotaIn("-1 100000"), std::nullopt);
    for (char const* const no : {"", " ", "max", "100000", "x y", "100000 0", "0 100000", "100000 -5", "1e5 100000",
                                 "100000 100000x", "99999999999999999999 1", " 100000"})
        EXPECT_EQ(quotaIn(no), std::nullopt) << no;
}

TEST(Runnable, isReadFromLoadavg) {
    EXPECT_EQ(runnableIn("0.20 0.18 0.12 3/80 11206\n"), 3);
    for (char const* const no : {"", "1 2 3", "0.20 0.18 0.12 x/80 1", "0.20 0.18 0.12 3 1", "0.20 0.18 0.12 3x/80 1"})
        EXPECT_EQ(runnableIn(no), std::nullopt) << no;
}

TEST(DescribeCpus, namesAffinityQuotaAndLoad) {
    std::string const found = describeCpus();
    EXPECT_EQ(found.find(std::to_string(CpuSet::ofProcess().count()) + " CPUs in the affinity, "), 0U) << found;
    EXPECT_NE(found.find(" cgroup quota"), std::string::npos) << found;
    EXPECT_NE(found.find(", load "), std::string::npos) << found;
}

/// A root folder with files of the test.
class CpuQuotaUnder : public testing::Test {
protected:
    CpuQuotaUnder() { fs::remove_all(root_); }
    ~CpuQuotaUnder() override { fs::remove_all(root_); }

    void write(fs::path const& file, std::string const& contents) const {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << contents;
    }
    void mountVersion2(std::string const& cgroup, std::string const& folder = "/") const {
        write("proc/self/cgroup", "0::" + cgroup + '\n');
        write("proc/self/mountinfo", "24 1 0:22 / /proc rw shared:5 - proc proc rw\n30 24 0:26 " + folder +
                                         " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    }
    void mountVersion1(std::string const& cgroup, std::string const& folder = "/") const {
        write("proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:" + cgroup + "\n1:name=systemd:/\n0::/unified\n");
        write("proc/self/mountinfo", "33 24 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n34 24 0:29 " +
                                         folder + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
    }

    fs::path const root_ = fs::path(testing::TempDir()) / "tenon_cpu_quota_test";
};

TEST_F(CpuQuotaUnder, isNoneWithoutFiles) {
    EXPECT_EQ(cpuQuota(root_), std::nullopt);
    mountVersion2("/a/b");
    EXPECT_EQ(cpuQuota(root_), std::nullopt);
    write("sys/fs/cgroup/a/cpu.max/file", "a folder in its place");
    EXPECT_EQ(cpuQuota(root_), std::nullopt);
}

TEST_F(CpuQuotaUnder, isTheSmallestUpTheHierarchy) {
    mountVersion2("/a/b/c");
    write("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    EXPECT_EQ(cpuQuota(root_), std::nullopt);
    write("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    EXPECT_EQ(cpuQuota(root_), 3.0);
    write("sys/fs/cgroup/a/cpu.max", "75000 50000\n");
    EXPECT_EQ(cpuQuota(root_), 1.5);
    write("sys/fs/cgroup/a/b/c/cpu.max", "200000 100000\n");
    EXPECT_EQ(cpuQuota(root_), 1.5);
    write("sys/fs/cgroup/cpu.max", "100000 100000\n");
    EXPECT_EQ(cpuQuota(root_), 1.0);
}

TEST_F(CpuQuotaUnder, isThatOfVersion1) {
    mountVersion1("/docker/7");
    write("sys/fs/cgroup/cpu,cpuacct/docker/7/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu,cpuacct/docker/7/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpuQuota(root_), std::nullopt);
    write("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "250000\n");
    write("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpuQuota(root_), 2.5);
    write("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "100000\n");
    write("sys/fs/cgroup/cpuset/other/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpuQuota(root_), 2.5) << "another controller";
}

TEST_F(CpuQuotaUnder, isThatOfTheContainerWhoseFolderIsMounted) {
    mountVersion1("/docker/7/inner", "/docker/7");
    write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "200000\n");
    write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpuQuota(root_), 2.0);
    mountVersion2("/docker/7", "/docker/7");
    write("sys/fs/cgroup/cpu.max", "100000 100000");
    EXPECT_EQ(cpuQuota(root_), 1.0);
    mountVersion2("/../elsewhere");
    write("sys/fs/elsewhere/cpu.max", "10000 100000");
    EXPECT_EQ(cpuQuota(root_), 1.0) << "never above the mount point";
}

TEST_F(CpuQuotaUnder, ignoresWhatIsNotAsDescribed) {
    write("sys/fs/cgroup/cpu.max", "100000 100000");
    for (char const* const cgroup : {"", "\n", "0", "0:", "::", "a:b", "7:cpuset:/"}) {
        mountVersion2("/");
        write("proc/self/cgroup", cgroup);
        EXPECT_EQ(cpuQuota(root_), std::string_view(cgroup) == "::" ? std::optional(1.0) : std::nullopt) << cgroup;
    }
    write("proc/self/cgroup", "0::/\n");
    for (char const* const mounts : {"", "\n", "-", " - ", "- cgroup2 a b", "1 2 3 4 5 6 -", "1 2 3 - cgroup2 a b",
                                     "1 2 3 / /sys/fs/cgroup 6 - cgroup2"}) {
        write("proc/self/mountinfo", mounts);
        EXPECT_EQ(cpuQuota(root_), std::nullopt) << mounts;
    }
}

TEST(CpuSets, areWalkedAround) {
    CpuSet const three = CpuSet::only(3);
    EXPECT_EQ(three.count(), 1);
    EXPECT_EQ(three.after(0, 0), 3);
    EXPECT_EQ(three.after(3, 0), 3);
    EXPECT_EQ(three.after(5000, 7), 3);
    EXPECT_FALSE(three == CpuSet::only(4));
    EXPECT_TRUE(three.without(4) == three);
    EXPECT_EQ(three.without(3).count(), 0);
}

TEST(CpuSets, ofTheProcessHoldThoseOfThePinnedThread) {
    CpuSet const all = CpuSet::ofProcess();
    ASSERT_GE(all.count(), 1);
    int const first = all.after(8191, 0);
    std::thread([&] {
        CpuSet::only(first).applyToThisThread();
        EXPECT_EQ(CpuSet::ofThisThread().count(), 1);
        EXPECT_TRUE(CpuSet::ofProcess() == all);
    }).join();
    EXPECT_GE(availableCpus(), 1);
    EXPECT_LE(availableCpus(), all.count());
}

} // namespace
} // namespace tenon
