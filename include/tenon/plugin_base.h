// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A base class of plugins: what a plugin's author writes is its fields, the shapes of its tensors, and run(). Around
/// it stand the classes of the TensorRT API, made from that: creator, clone, saving, types, shapes, formats, checks.
///
///     #include <tenon/plugin_base.h>
///
///     class Clamp final : public tenon::PluginBase {
///     public:
///         void fields(FieldVisitor& visit) override { visit("least", least_); }
///         Signature signature() const override { return Signature().input("x", "[...]").output("y", "[...]"); }
///         void run(Tensors inputs, Tensors outputs) override {
///             for (int64_t i = 0; i < inputs[0].count(); ++i)
///                 outputs[0].floats()[i] = std::max(inputs[0].floats()[i], least_);
///         }
///
///     private:
///         float least_ = 0;
///     };
///
///     static tenon::RegisterPlugin<Clamp> const clamp("Clamp");
///
/// The header is complete in itself: code that uses it links nothing but libtenon. It compiles at every level of the
/// API, as C++11 and later, with exceptions. The class that programs see the plugin as is named in its definition, see
/// PluginGeneration; the plugin's author has nothing else to do with it.
///
/// Errors: what fails throws an exception derived from std::exception, std::invalid_argument for most, whose what() is
/// a clause that names the field or tensor: "keepTopK has to be given, 1 or more". No exception leaves a method of the
/// API: it logs "PLUGIN: what()" (see setPluginLogger()), and fails as its class of the API says.
#ifndef TENON_PLUGIN_BASE_H
#define TENON_PLUGIN_BASE_H

#include "NvInferRuntime.h"
#include "tenon/parallel.h"
#include "tenon/plugin.h"
#include "tenon/plugin_base/namespace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {
inline namespace TENON_PLUGIN_BASE {

class NetworkPlugin;

/// One plugin: its fields are all that it is. The engine works on copies that are made from the fields. One thread at a
/// time uses an object, so run() may keep its scratch memory in members: a run of the same shapes as the run before
/// then allocates nothing.
///
/// Tensors are linear. It computes in host memory, and where it says so in devices(), in a GPU's memory too.
class PluginBase {
public:
    /// The type of a tensor. All kReal tensors of a plugin are of one type, and so are all kAny tensors.
    enum class Kind {
        kReal,  ///< FLOAT, HALF or, from level 8 on, BF16, and INT8 where the signature says so; run() sees float,
                ///< runOnGpu() what it is.
        kAny,   ///< Any type; run() sees what it is.
        kFloat, ///< FLOAT
        kHalf,  ///< HALF; run() sees float, runOnGpu() what it is.
        kInt32, ///< INT32
        kBool,  ///< BOOL
#if TENON_LEVEL >= 8
        kInt64, ///< INT64
#endif
    };

    /// A place for a tensor, as error texts and documentation show it.
    struct Slot {
        std::string name;
        std::string shape; ///< See Signature.
        Kind kind;
    };

    /// What goes in and comes out. Input shapes are checked against it; output shapes, and all types, follow from it. A
    /// shape is written as readers see it, "[B,N,4]|[B,N,C,4]", in these words:
    ///
    ///     4            so many
    ///     B            a capital letter: any extent, the same wherever the letter stands among the tensors
    ///     ?            in inputs: any extent; in outputs: what outputShapes() says
    ///     ...          at the end: any further extents, the same for all tensors
    ///     ?...         at the end; in inputs: any further extents; in outputs: as many as the inputs' `...`, of which
    ///                  outputShapes() says what they are
    ///     max_boxes    the INT32 field of that name, 0 or more (outputs only); a field whose name is one capital
    ///                  letter is taken for the letter
    ///     B*max_boxes  a product (outputs only)
    ///     |            between the shapes that an input may have; the first that fits holds. Where extents that are
    ///                  not known at the build let several fit, no output may have another extent by each
    ///
    /// "[]" is a scalar.
    class Signature {
    public:
        /// Adds an input, in the order in which the layer has them.
        Signature& input(std::string name, std::string shape, Kind kind = Kind::kReal) {
            expectOnlySuch(name, "may be missing", optionalInputs_ > 0);
            return add(std::move(name), std::move(shape), kind);
        }
        /// Adds an input that a layer may leave out, together with those behind it; only such may follow.
        Signature& optionalInput(std::string name, std::string shape, Kind kind = Kind::kReal) {
            ++optionalInputs_;
            return add(std::move(name), std::move(shape), kind);
        }
        /// Adds an input of which a layer has any number, one or more, each of that shape; none may follow.
        Signature& repeatedInput(std::string name, std::string shape, Kind kind = Kind::kReal) {
            input(std::move(name), std::move(shape), kind);
            isLastRepeated_ = true;
            return *this;
        }
        /// Adds an input of whole numbers, [] or [n], whose elements decide shapes: an engine has them on the host.
        /// They come behind all others, where a kV3 plugin alone has them: the last of addPluginV3(), and in ONNX
        /// those that the attribute `tensorrt_plugin_shape_input_indices` names. A run does not see them.
        Signature& shapeInput(std::string name) {
            expectOnlySuch(name, "may be missing", optionalShapeInputs_ > 0);
            shapeInputs_.push_back(std::move(name));
            return *this;
        }
        /// Adds a shape input that a layer may leave out, together with those after it; only such may follow, and all
        /// other inputs must be there.
        Signature& optionalShapeInput(std::string name) {
            if (optionalInputs_ > 0 || isLastRepeated_)
                throw std::invalid_argument("signature(): shape input '" + name +
                                            "' may be missing; then the number "
                                            "of the other inputs has to be fixed");
            ++optionalShapeInputs_;
            shapeInputs_.push_back(std::move(name));
            return *this;
        }
        /// Adds an output. Its kReal or kAny is the type of the first input that is so, FLOAT where there is none.
        Signature& output(std::string name, std::string shape, Kind kind = Kind::kReal) {
            outputs_.push_back(Slot{std::move(name), std::move(shape), kind});
            return *this;
        }

        /// The kReal tensors may be INT8, too, each with a scale: of ranges that the network gives, or of its quantize
        /// and dequantize layers. An engine has dequantization in front of a NetworkPlugin, and quantization behind it.
        Signature& realsMayBeInt8() {
            areRealsInt8Too_ = true;
            return *this;
        }

        std::vector<Slot> const& inputs() const { return inputs_; }
        std::vector<Slot> const& outputs() const { return outputs_; }
        bool areRealsInt8Too() const { return areRealsInt8Too_; }
        std::vector<std::string> const& shapeInputs() const { return shapeInputs_; }
        /// How many of the last shape inputs may be missing.
        size_t optionalShapeInputs() const { return optionalShapeInputs_; }
        /// How many of the last inputs may be missing.
        size_t optionalInputs() const { return optionalInputs_; }
        /// Whether there may be any number of the last input.
        bool isLastRepeated() const { return isLastRepeated_; }

    private:
        Signature& add(std::string name, std::string shape, Kind kind) {
            expectOnlySuch(name, "may be repeated", isLastRepeated_);
            inputs_.push_back(Slot{std::move(name), std::move(shape), kind});
            return *this;
        }

        static void expectOnlySuch(std::string const& name, char const* what, bool hasSuch) {
            if (hasSuch) throw std::invalid_argument("signature(): input '" + name + "' follows one that " + what);
        }

        std::vector<Slot> inputs_, outputs_;
        std::vector<std::string> shapeInputs_;
        size_t optionalInputs_ = 0;
        size_t optionalShapeInputs_ = 0;
        bool isLastRepeated_ = false;
        bool areRealsInt8Too_ = false;
    };

    /// Consecutive objects that belong to someone else; valid during the call that hands it over.
    template <typename T> class View {
    public:
        View(T const* first, size_t size) : first_(first), size_(size) {}
        View(std::vector<T> const& all) : first_(all.data()), size_(all.size()) {}

        T const& operator[](size_t index) const { return first_[index]; }
        T const* begin() const { return first_; }
        T const* end() const { return first_ + size_; }
        size_t size() const { return size_; }
        bool empty() const { return size_ == 0; }

    private:
        T const* first_;
        size_t size_;
    };

    /// A tensor of a run. Owns nothing: the memory is the engine's.
    struct Tensor {
        nvinfer1::Dims dims; ///< All extents known, 0 is possible; -1 in outputs where only the run tells.
        void* data;          ///< count() elements, in row-major order, on the device of the run.
        nvinfer1::DataType type;
        float scale; ///< Where a kReal tensor is INT8: real value = scale * integer. 1 elsewhere.

        Tensor() = default;
        Tensor(nvinfer1::Dims const& ofDims, void* ofData, nvinfer1::DataType ofType, float ofScale = 1)
            : dims(ofDims), data(ofData), type(ofType), scale(ofScale) {}

        int64_t operator[](int32_t axis) const { return dims.d[axis]; }
        int32_t rank() const { return dims.nbDims; }
        /// The product of the extents from axis `first` to `last`, without the latter.
        int64_t count(int32_t first, int32_t last) const {
            int64_t product = 1;
            for (int32_t axis = first; axis < last; ++axis) product *= dims.d[axis];
            return product;
        }
        int64_t count() const { return count(0, rank()); }
        float* floats() const { return static_cast<float*>(data); }
        int32_t* ints() const { return static_cast<int32_t*>(data); }
        int64_t* longs() const { return static_cast<int64_t*>(data); }
    };

    using Tensors = View<Tensor>;
    using KnownShapes = View<nvinfer1::Dims>; ///< -1 where an extent is not known yet.
    using Shapes = View<nvinfer1::DimsExprs>; ///< Extents that may depend on others.

    /// Is shown each field by fields(): its published name, and the member that holds it.
    class FieldVisitor {
    public:
        /// A whole number. Given ones may be of any width, but have to fit. Of type FLOAT32, one from 0 to 2^23 - 1 is
        /// an integer's bits.
        virtual void operator()(char const* name, int32_t& value) = 0;
        /// A real number. Given ones may be of type FLOAT16 or FLOAT64.
        virtual void operator()(char const* name, float& value) = 0;
        /// A text.
        virtual void operator()(char const* name, std::string& text) = 0;
        /// Any number of whole numbers.
        virtual void operator()(char const* name, std::vector<int32_t>& values) = 0;
        /// Any number of real numbers.
        virtual void operator()(char const* name, std::vector<float>& values) = 0;

    protected:
        ~FieldVisitor() = default;
    };

    virtual ~PluginBase() = default;

    /// Shows `visit` every field, always in the same order; the values that the members begin with are the defaults.
    /// From this come the creator's list of fields, which has the defaults as data, reading, saving, loading and
    /// cloning. A field that is given and not shown here is ignored, with a warning. The names have to live longer than
    /// the plugin, as literals do. An engine file keeps the fields of a kV2DynamicExt plugin in this order and without
    /// their names: with one more or less it does not load, and in another order one is taken for the other. Those of a
    /// kV3 plugin are kept by name, and one that the file lacks has its default.
    virtual void fields(FieldVisitor& visit) = 0;

    /// Throws where the fields do not make sense. Called whenever they were read or loaded.
    virtual void check() const {}

    /// What goes in and comes out. Asked for once, when the fields are there.
    virtual Signature signature() const = 0;

    /// Throws where shapes that are as the signature says do not fit the fields.
    virtual void checkInputs(KnownShapes) const {}

    /// Sets the extents of `outputs` that the signature calls `?` or `?...`, to what `builder` makes; all others are
    /// there. Behind the shapes of the inputs stand the elements of the shape inputs, each as if it were a shape. Sizes
    /// that only the run tells are declared with `builder.declareSizeTensor` (from level 10 on, for kV3 plugins); on
    /// the host, outputs of such sizes cannot be HALF, BF16 or INT8: a plugin that computes there only does not take
    /// these, where they are kReal, and one for both devices has to make them kFloat.
    virtual void outputShapes(Shapes, nvinfer1::DimsExprs* /*outputs*/, nvinfer1::IExprBuilder&) const {}

    /// Computes, in host memory. The shapes have been checked. Inputs are not to be changed. It is called on one
    /// thread; tenon::parallelFor() brings in all that the engine has.
    virtual void run(Tensors inputs, Tensors outputs) = 0;

    /// Where it computes. kCPU: only run() is called, and an engine for a GPU brings the tensors there and back. The
    /// engine is told what a plugin answers whose fields have their defaults, so the answer is the same for all.
    virtual PluginDevices devices() const { return PluginDevices::kCPU; }

    /// Bytes of scratch memory that runOnGpu() needs for inputs of these shapes and all smaller ones. Where it throws,
    /// runs on a GPU fail with what it threw.
    virtual size_t gpuWorkspace(KnownShapes /*largestInputs*/) const { return 0; }

    /// Puts the computation on `stream` and returns; all memory is the GPU's. HALF, BF16, INT8 tensors are that here.
    /// \param workspace as many bytes as gpuWorkspace() asked for; their content is arbitrary
    virtual void runOnGpu(Tensors /*inputs*/, Tensors /*outputs*/, void* /*workspace*/, cudaStream_t /*stream*/) {
        throw std::logic_error("devices() names GPUs, and there is no runOnGpu()");
    }

    /// Itself where it is one; for the adapters.
    virtual NetworkPlugin* asNetwork() { return nullptr; }
};

/// A plugin that is a network (see setPluginNetwork() in tenon/plugin.h): an engine has its layers in its place. Speed,
/// types and fusion are theirs, on every device. Where all its real tensors are kFloat, its layers compute in float32.
class NetworkPlugin : public PluginBase {
public:
    using NetworkTensors = View<nvinfer1::ITensor*>;

    /// Adds the layers, and gives one tensor for each output, of its type. Extents of the inputs may be open: those
    /// that the signature names are checked around this, in runs too, and those that only checkInputs() knows, here
    /// (see expectExtent() in tenon/plugin.h). Shape inputs stand behind the others. Weights are copied.
    virtual std::vector<nvinfer1::ITensor*> addLayers(nvinfer1::INetworkDefinition& network, NetworkTensors inputs) = 0;

    PluginDevices devices() const override { return PluginDevices::kBOTH; }
    void run(Tensors, Tensors) final { refuse(); }
    void runOnGpu(Tensors, Tensors, void*, cudaStream_t) final { refuse(); }

private:
    NetworkPlugin* asNetwork() final { return this; }
    static void refuse() {
        throw std::logic_error("it is a network: an engine has its layers in its place, and does not run the plugin");
    }
};

/// The class of the API that programs see a plugin as. Engine files keep a plugin in the form of its class: a program
/// that reads one needs a plugin of the same name, version, namespace and generation.
enum class PluginGeneration {
    kV2DynamicExt, ///< IPluginV2DynamicExt, for addPluginV2()
#if TENON_LEVEL >= 10
    kV3,           ///< IPluginV3, for addPluginV3(); there is none below level 10
    kNewest = kV3, ///< of the level that the plugin is compiled at
#else
    kNewest = kV2DynamicExt, ///< of the level that the plugin is compiled at
#endif
};

/// A plugin under a published name. One class may have several. The texts live as long as what is made from it.
struct PluginDefinition {
    char const* name;
    char const* version;
    PluginGeneration generation;
    std::unique_ptr<PluginBase> (*make)(); ///< One whose fields have their defaults.
};

template <typename Plugin> std::unique_ptr<PluginBase> makePlugin() {
    static_assert(std::is_base_of<PluginBase, Plugin>::value, "a plugin derives from tenon::PluginBase");
    return std::unique_ptr<PluginBase>(new Plugin());
}

/// The definition of a class that can be made without arguments.
template <typename Plugin>
constexpr PluginDefinition definePlugin(char const* name, char const* version = "1",
                                        PluginGeneration generation = PluginGeneration::kNewest) {
    return PluginDefinition{name, version, generation, &makePlugin<Plugin>};
}

/// What a plugin library lists, and the registry speaks of: an IPluginCreator, from level 10 on of any class.
#if TENON_LEVEL >= 10
using PluginCreatorInterface = nvinfer1::IPluginCreatorInterface;
#else
using PluginCreatorInterface = nvinfer1::IPluginCreator;
#endif

/// Creators of plugins in one namespace. The registry owns nothing: they live here, and leave it when this ends.
///
/// A library that IPluginRegistry::loadLibrary() loads has one, and lists it (up to level 8 in getPluginCreators):
///
///     extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& count) {
///         static tenon::PluginCreators const creators({tenon::definePlugin<Clamp>("Clamp")});
///         return creators.list(count);
///     }
///
/// Objects may be used by several threads, but for the constructor and the destructor. The methods are hidden, so that
/// each library's own code works on its own creators; the class is not, so that any class may have one.
class PluginCreators {
public:
    TENON_PLUGIN_HIDDEN explicit PluginCreators(std::vector<PluginDefinition> const& definitions,
                                                char const* nameSpace = "");
    TENON_PLUGIN_HIDDEN ~PluginCreators();
    PluginCreators(PluginCreators const&) = delete;
    PluginCreators& operator=(PluginCreators const&) = delete;

    size_t size() const { return creators_.size(); }

    /// Registers creator `index` and says where its plugins run.
    /// \return false, and the registry logs why, where another of its name, version and namespace is registered
    TENON_PLUGIN_HIDDEN bool registerAt(size_t index) const;

    /// Whether a creator, this or another, is registered under the name, version and namespace of creator `index`.
    TENON_PLUGIN_HIDDEN bool isTaken(size_t index) const { return registeredAt(index) != nullptr; }

    /// All of them, in the order of the definitions, for a library to list. Says where their plugins run, but for those
    /// whose name, version and namespace another creator in the registry has.
    /// \param count set to how many there are
    TENON_PLUGIN_HIDDEN PluginCreatorInterface* const* list(int32_t& count) const;

private:
    using Creator = nvinfer1::v_1_0::IPluginCreatorInterface;

    template <typename Plugin> friend class RegisterPlugin;

    /// registerAt(), and a line on stderr where that fails: before main() there is no logger.
    TENON_PLUGIN_HIDDEN bool registerOrTell(size_t index) const;
    TENON_PLUGIN_HIDDEN Creator* registeredAt(size_t index) const;
    TENON_PLUGIN_HIDDEN bool isTakenByAnother(size_t index) const;
    TENON_PLUGIN_HIDDEN void declareDevices(size_t index) const;

    std::vector<PluginDefinition> definitions_;
    std::string namespace_;
    std::vector<std::unique_ptr<Creator>> creators_;
    std::vector<PluginCreatorInterface*> listed_;
};

/// Registers a plugin while its library is loaded. One object, with static storage, for each name, in a source file: in
/// a header, each file that includes it would register the plugin once more. A failure is a line on stderr, for a
/// library is loaded before there is a logger. Hidden, so that it is each library's own.
template <typename Plugin> class TENON_PLUGIN_HIDDEN RegisterPlugin {
public:
    explicit RegisterPlugin(char const* name, char const* version = "1",
                            PluginGeneration generation = PluginGeneration::kNewest, char const* nameSpace = "")
        : creators_({definePlugin<Plugin>(name, version, generation)}, nameSpace) {
        creators_.registerOrTell(0);
    }

private:
    PluginCreators creators_;
};

/// The logger for when there is no other: as long as no builder, runtime or parser is alive. Of the library that calls
/// it; null withdraws it. Any thread. It must live as long as it is set here.
TENON_PLUGIN_HIDDEN inline void setPluginLogger(nvinfer1::ILogger* logger) noexcept;

} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#include "tenon/plugin_base/creators.h"

#endif // TENON_PLUGIN_BASE_H
