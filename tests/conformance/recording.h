// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Records the calls of all plugin objects and clones of one test, and the calls that NVIDIA's documentation does not
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
    bool isStatic = false;    // configured only before initialize(); the workspace size is queried after it
    bool initializes = false; // has initialize(), terminate() and destroy()
    bool attaches = false;    // has attachToContext()
};

/// The origin of an object.
enum class Origin { Program, Created, Deserialized, Cloned, Attached };

struct Call {
    int object;
    std::string method;
    std::string arguments;
    std::string phase; // the application's phase
};

class Recording {
public:
    /// Forgets all calls; from now on the application is in this phase.
    void begin(Contract contract);
    void enter(std::string phase) { phase_ = std::move(phase); }
    /// From now on plugins make this violation; empty: none.
    void misbehave(std::string way) { way_ = std::move(way); }
    bool misbehaves(std::string_view way) const { return way_ == way; }

    /// A new object; its number. `from`: the object that it is a copy of.
    int made(Origin origin, int from = -1);
    /// The object's destructor runs.
    void ended(int object);
    void call(int object, std::string method, std::string arguments = "");
    /// `formats`: of all tensors visible to supportsFormatCombination(pos).
    void asked(int object, int pos, std::vector<std::string> const& formats, bool answer);
    void breach(int object, std::string_view what);

    /// Violations of the documentation; empty if there were none.
    std::string const& breaches() const { return breaches_; }
    /// Objects that do not belong to the application and still exist.
    int alive() const;
    int count(std::string_view phase, std::string_view method) const;
    /// The arguments of the last such call.
    std::string last(std::string_view phase, std::string_view method) const;
    /// "initialize(1) clone(1) attachToContext(2)": calls of these methods from a phase on, grouped by object.
    std::string order(std::string_view fromPhase, std::vector<std::string> const& methods) const;
    std::vector<Call> const& calls() const { return calls_; }

    /// Keeps destroyed objects until the next begin(), so that late calls are detected.
    void bury(std::shared_ptr<void> object) { graves_.push_back(std::move(object)); }

private:
    struct Object {
        Origin origin = Origin::Program;
        bool initialized = false; // by calling itself
        bool ready = false;       // that, or a copy of such an object
        bool attached = false;
        bool configured = false;
        bool sizeTold = false; // of its serialized state
        bool destroyed = false;
        bool ended = false;
        std::string shapes;              // passed last
        std::vector<std::string> behind; // the formats passed after the queried position
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

/// Copies like an enqueue: in host memory, or in a GPU's stream. \return 0 on success
int copyElements(void* to, void const* from, size_t bytes, void* stream);

/// The entry of another process that runs a saved engine: `conformance_test --run SUITE FILE` calls the suite's
/// function here.
struct SavedRun {
    SavedRun(std::string name, bool (*run)(std::string const& file));
};
bool runSaved(std::string const& name, std::string const& file);

} // namespace tenon::test
