// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Records the calls of all plugin objects and clones of one test, and which of them NVIDIA's documentation does not
// allow. It depends on no level or generation: the recording plugins (plugins_v2.inc, plugin_v3.inc) report to it.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::test {

/// Differences between the generations in the order of calls.
struct Contract {
    std::string generation;
    bool isStatic = false;    // configured before initialize() only; the size of the workspace is asked behind it
    bool initializes = false; // has initialize(), terminate() and destroy()
    bool attaches = false;    // has attachToContext()
};

/// Where an object comes from.
enum class Origin { Program, Created, Deserialized, Cloned, Attached };

struct Call {
    int object;
    std::string method;
    std::string arguments;
    std::string phase; // what the program was doing
};

class Recording {
public:
    /// Forgets all calls; from now on the program is in this phase.
    void begin(Contract contract);
    void enter(std::string phase) { phase_ = std::move(phase); }
    /// From now on plugins misbehave in this way; empty: not at all.
    void misbehave(std::string way) { way_ = std::move(way); }
    bool misbehaves(std::string_view way) const { return way_ == way; }

    /// A new object; its number. `from`: the one that it is a copy of.
    int made(Origin origin, int from = -1);
    /// The object's destructor runs.
    void ended(int object);
    void call(int object, std::string method, std::string arguments = "");
    /// `formats`: of all tensors that supportsFormatCombination(pos) shows.
    void asked(int object, int pos, std::vector<std::string> const& formats, bool answer);
    void breach(int object, std::string_view what);

    /// Violations of the documentation; empty if there were none.
    std::string const& breaches() const { return breaches_; }
    /// Objects that are not the program's and have not ended.
    int alive() const;
    int count(std::string_view phase, std::string_view method) const;
    /// The arguments of the last such call.
    std::string last(std::string_view phase, std::string_view method) const;
    /// "initialize(1) clone(1) attachToContext(2)": calls of these methods from a phase on, objects in order of theirs.
    std::string order(std::string_view fromPhase, std::vector<std::string> const& methods) const;
    std::vector<Call> const& calls() const { return calls_; }

    /// Keeps what is destroyed until the next begin(), so that a call that comes too late is seen.
    void bury(std::shared_ptr<void> object) { graves_.push_back(std::move(object)); }

private:
    struct Object {
        Origin origin = Origin::Program;
        bool initialized = false; // by a call to itself
        bool ready = false;       // that, or a copy of one that is
        bool attached = false;
        bool configured = false;
        bool sizeTold = false; // of what it will serialize
        bool destroyed = false;
        bool ended = false;
        std::string shapes;              // told last
        std::vector<std::string> behind; // what was shown behind the position asked about
        std::vector<std::string> accepted;
    };

    void judge(int number, std::string const& method, std::string const& arguments);
    void judgeLife(int number, std::string const& method);
    void judgeWork(int number, std::string const& method, std::string const& arguments);
    void expect(bool holds, int object, std::string_view otherwise);

    Contract contract_;
    std::string phase_;
    std::string way_;
    std::vector<Object> objects_;
    std::vector<Call> calls_;
    std::string breaches_;
    std::vector<std::shared_ptr<void>> graves_;
};

/// One test at a time records.
Recording& recording();

/// Copies as an enqueue does: in host memory, or in a GPU's stream. \return 0 on success
int copyElements(void* to, void const* from, size_t bytes, void* stream);

/// How another process runs a saved engine: `conformance_test --run SUITE FILE` calls what the suite has put here.
struct SavedRun {
    SavedRun(std::string name, bool (*run)(std::string const& file));
};
bool runSaved(std::string const& name, std::string const& file);

} // namespace tenon::test
