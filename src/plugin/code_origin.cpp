// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/registry.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>

namespace tenon {
namespace {

std::string hexadecimal(unsigned char const* bytes, size_t count) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string all;
    for (size_t i = 0; i < count; ++i) {
        all += kDigits[bytes[i] >> 4];
        all += kDigits[bytes[i] & 15];
    }
    return all;
}

/// The NT_GNU_BUILD_ID note among the notes of one segment.
std::string buildIdIn(char const* notes, size_t bytes) {
    auto const padded = [](size_t n) { return (n + 3) / 4 * 4; };
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        std::memcpy(&header, notes, sizeof header);
        size_t const size = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
        if (size > bytes) break;
        char const* name = notes + sizeof header;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
            return hexadecimal(reinterpret_cast<unsigned char const*>(name) + 4, header.n_descsz);
        notes += size;
        bytes -= size;
    }
    return {};
}

struct Search {
    uintptr_t base;
    std::string buildId;
};

int visit(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (info->dlpi_addr != search.base) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        ElfW(Phdr) const& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE || !search.buildId.empty()) continue;
        search.buildId = buildIdIn(reinterpret_cast<char const*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    }
    return 1;
}

} // namespace

namespace {

link_map const* libraryOf(void const* address, Dl_info& info) {
    link_map* map = nullptr;
    return dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ? nullptr : map;
}

/// `bytes` bytes at `offset`; empty if the file ends before that.
std::string readAt(std::ifstream& file, uint64_t offset, size_t bytes) {
    std::string text(bytes, '\0');
    file.seekg(static_cast<std::streamoff>(offset));
    return file.read(text.data(), static_cast<std::streamsize>(bytes)) ? text : std::string();
}

bool hasSection(std::ifstream& file, std::string_view wanted) {
    constexpr size_t kMostNames = 1 << 20;
    ElfW(Ehdr) header;
    std::string const begin = readAt(file, 0, sizeof header);
    if (begin.empty()) return false;
    std::memcpy(&header, begin.data(), sizeof header);
    if (header.e_shentsize != sizeof(ElfW(Shdr)) || header.e_shstrndx >= header.e_shnum) return false;
    std::vector<ElfW(Shdr)> sections(header.e_shnum);
    std::string const table = readAt(file, header.e_shoff, sections.size() * sizeof(ElfW(Shdr)));
    if (table.empty()) return false;
    std::memcpy(sections.data(), table.data(), table.size());
    ElfW(Shdr) const& names = sections[header.e_shstrndx];
    std::string const all = names.sh_size > kMostNames ? "" : readAt(file, names.sh_offset, names.sh_size);
    return std::ranges::any_of(sections, [&](ElfW(Shdr) const& section) {
        return section.sh_name < all.size() && wanted == all.c_str() + section.sh_name;
    });
}

/// The path of a library's file. A file in memory (memfd) was opened by its link in /proc/self/fd, which leads to
/// "/memfd:NAME (deleted)": the result is NAME.
std::string pathOf(Dl_info const& info) {
    std::string const path = info.dli_fname ? info.dli_fname : "";
    if (!path.starts_with("/proc/self/fd/")) return path;
    std::error_code ignored;
    std::string const target = std::filesystem::read_symlink(path, ignored).string();
    constexpr std::string_view kInMemory = "/memfd:";
    if (!target.starts_with(kInMemory)) return path;
    return target.substr(kInMemory.size(), target.rfind(" (deleted)") - kInMemory.size());
}

} // namespace

bool liesWithDeviceCode(void const* address) {
    Dl_info info{};
    link_map const* const map = libraryOf(address, info);
    if (map == nullptr) return false;
    std::ifstream file(*map->l_name == '\0' ? "/proc/self/exe" : map->l_name, std::ios::binary);
    return file && hasSection(file, ".nv_fatbin");
}

CodeOrigin originOf(void const* address) {
    Dl_info info{};
    link_map const* const map = libraryOf(address, info);
    if (map == nullptr) return {};
    Search search{map->l_addr, {}};
    dl_iterate_phdr(visit, &search);
    return {pathOf(info), search.buildId};
}

} // namespace tenon
