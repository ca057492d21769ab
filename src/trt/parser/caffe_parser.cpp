// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/caffe_parser.h"

#include "base/mapped_file.h"
#include "trt/parser/registered_nodes.h"
#include "trt/plugin/plugin_call.h"

namespace tenon::trt {
namespace {

/// Layers of plugins created by the application's factories.
class FactoryLayers final : public caffe::CustomLayers {
    template <class Call> auto call(std::string const& layer, std::string_view method, Call&& call) {
        return callUser(layer, PluginName{layer, "1", ""}, method, std::forward<Call>(call));
    }

public:
    FactoryLayers(CaffeFactories const& factories, Network& network, std::deque<std::vector<Literal>>& weights)
        : factories_(factories), network_(network), weights_(weights) {}

    bool has(std::string const& name) override {
        if (factories_.first && call(name, "isPlugin", [&] { return factories_.first->isPlugin(name.c_str()); }))
            return true;
        return factories_.second &&
               call(name, "isPluginV2", [&] { return factories_.second->isPluginV2(name.c_str()); });
    }

    std::unique_ptr<Layer> make(std::string const& name, std::string const& type,
                                std::vector<caffe::PluginField> const& fields) override {
        onnx::CustomNode node;
        node.type = {type, "1", factories_.nameSpace};
        node.name = name;
        for (caffe::PluginField const& each : fields) node.fields.push_back(fieldOf(each));
        return RegisteredNodes(network_).make(node);
    }

    std::vector<Tensor*> add(caffe::proto::Layer const& layer, std::string const& name,
                             std::vector<Tensor*> const& bottoms, std::vector<Literal> const& weights) override {
        std::vector<api::ITensor*> inputs;
        for (Tensor* bottom : bottoms) inputs.push_back(network_.faceOf(bottom));
        std::vector<api::Weights> const numbers = kept(weights);
        api::ILayer* const made =
            factories_.first ? addFirst(layer.name, inputs, numbers) : addSecond(layer.name, inputs, numbers);
        if (made == nullptr) fail(ErrorCode::Plugin, "the network rejects the plugin; see the previous error");
        made->setName(name.c_str());
        if (made->getNbOutputs() != static_cast<int32_t>(layer.top.size()))
            fail(ErrorCode::Plugin, "the plugin has ", made->getNbOutputs(), " outputs; expected ", layer.top.size(),
                 ", one for each top");
        std::vector<Tensor*> tops;
        for (int32_t i = 0; i < made->getNbOutputs(); ++i) tops.push_back(&network_.tensorOf(*made->getOutput(i)));
        return tops;
    }

private:
    static onnx::CustomField fieldOf(caffe::PluginField const& from) {
        using Type = onnx::CustomField::Type;
        bool const isReal = from.integers.empty();
        auto const bytes = isReal ? std::as_bytes(std::span(from.reals)) : std::as_bytes(std::span(from.integers));
        return {from.name,
                isReal ? Type::Float32 : Type::Int32,
                static_cast<int64_t>(isReal ? from.reals.size() : from.integers.size()),
                {bytes.begin(), bytes.end()}};
    }

    /// As long as the parser lives. They are float32 whatever type was requested, as in NVIDIA's parser.
    std::vector<api::Weights> kept(std::vector<Literal> const& weights) {
        std::vector<Literal>& mine = weights_.emplace_back();
        std::vector<api::Weights> numbers;
        for (Literal const& each : weights) {
            mine.push_back(each);
            numbers.push_back({api::DataType::kFLOAT, mine.back().data(), mine.back().dims().volume()});
        }
        return numbers;
    }

    api::ILayer* addFirst(std::string const& name, std::vector<api::ITensor*> const& inputs,
                          std::vector<api::Weights> const& weights) {
        if (factories_.second)
            fail(ErrorCode::InvalidArgument, "the parser has a factory of the first and one of the second generation; "
                                             "expected one of them");
        auto const count = static_cast<int32_t>(weights.size());
        api::IPlugin* const plugin = call(name, "IPluginFactory::createPlugin", [&] {
            return factories_.first->createPlugin(name.c_str(), weights.data(), count);
        });
        expectMade(plugin, "IPluginFactory");
        auto* const ext =
            factories_.isExt ? static_cast<nvcaffeparser1::IPluginFactoryExt*>(factories_.first) : nullptr;
        bool const isExt = ext && call(name, "isPluginExt", [&] { return ext->isPluginExt(name.c_str()); });
        return network_.addV1(inputs, *plugin, isExt);
    }

    api::ILayer* addSecond(std::string const& name, std::vector<api::ITensor*> const& inputs,
                           std::vector<api::Weights> const& weights) {
        auto const count = static_cast<int32_t>(weights.size());
        api::IPluginV2* const plugin = call(name, "IPluginFactoryV2::createPlugin", [&] {
            return factories_.second->createPlugin(name.c_str(), weights.data(), count, factories_.nameSpace.c_str());
        });
        expectMade(plugin, "IPluginFactoryV2");
        return network_.addPluginV2(inputs.data(), static_cast<int32_t>(inputs.size()), *plugin);
    }

    static void expectMade(void const* plugin, std::string_view factory) {
        if (plugin == nullptr)
            fail(ErrorCode::Plugin, factory, "::createPlugin returned null; expected the plugin of this layer");
    }

    CaffeFactories const& factories_;
    Network& network_;
    std::deque<std::vector<Literal>>& weights_;
};

/// The bytes of a file; an Error that begins with its path.
std::unique_ptr<MappedFile const> mapped(char const* path, std::string_view what) {
    expectText(path, what);
    return locate([&] { return std::string(path); }, [&] { return std::make_unique<MappedFile const>(path); });
}

std::string_view textOf(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

class BinaryProtoBlob final : public nvcaffeparser1::IBinaryProtoBlob {
public:
    explicit BinaryProtoBlob(Literal values) : values_(std::move(values)) {}

    void const* getData() noexcept override { return values_.data(); }
    api::DataType getDataType() noexcept override { return api::DataType::kFLOAT; }
    void destroy() noexcept override { delete this; }

private:
    int64_t extent_(int32_t axis) const noexcept override { return values_.dims()[axis]; }

    Literal values_;
};

} // namespace

class CaffeParser::Tensors final : public nvcaffeparser1::IBlobNameToTensor {
public:
    Tensors(caffe::Blobs blobs, caffe::LeftOut leftOut, Network& network)
        : blobs_(std::move(blobs)), leftOut_(std::move(leftOut)), network_(network.link()) {}
    ~Tensors() override = default;

    api::ITensor* find(char const* name) const noexcept override {
        Network* const network = network_.get();
        if (network == nullptr || name == nullptr) return nullptr;
        auto const found = blobs_.find(std::string_view(name));
        if (found != blobs_.end()) return network->outputOf(found->second);
        sayWhereLeftOut(*network, name);
        return nullptr;
    }

private:
    void sayWhereLeftOut(Network& network, char const* name) const noexcept {
        guarded(network.reporter(), "IBlobNameToTensor::find", [&] {
            auto const why = leftOut_.find(std::string_view(name));
            if (why != leftOut_.end())
                network.reporter().warning(text("there is no blob '", std::string_view(name), "': ", why->second));
        });
    }

    caffe::Blobs blobs_;
    caffe::LeftOut leftOut_;
    Link<Network> network_;
};

CaffeParser::~CaffeParser() { CaffeParser::setErrorRecorder(nullptr); }

void CaffeParser::setErrorRecorder(api::IErrorRecorder* recorder) noexcept {
    recorder = countedUp(recorder, getLogger());
    countDown(std::exchange(recorder_, recorder), getLogger());
}

template <class Body>
auto CaffeParser::guard(api::ILogger* logger, std::string_view method, Body&& body) const noexcept {
    Reporter reporter(logger);
    reporter.setRecorder(recorder_);
    return guarded(reporter, method, std::forward<Body>(body));
}

void CaffeParser::setPluginNamespace(char const* libNamespace) noexcept {
    guard(getLogger(), "setPluginNamespace", [&] { factories_.nameSpace = libNamespace ? libNamespace : ""; });
}

void CaffeParser::setPluginFactory_(void* factory, bool isExt) noexcept {
    factories_.first = static_cast<nvcaffeparser1::IPluginFactory*>(factory);
    factories_.isExt = isExt;
}

CaffeParser::Tensors const* CaffeParser::read(std::string_view deploy, std::optional<std::span<std::byte const>> model,
                                              Network& network, api::DataType weightType) {
    bool const half = weightType == api::DataType::kHALF;
    if (!half && weightType != api::DataType::kFLOAT)
        fail(ErrorCode::InvalidArgument, "weightType is ", fromApi(weightType), "; expected kFLOAT or kHALF");
    FactoryLayers custom(factories_, network, weights_);
    caffe::ParseOptions options;
    options.custom = &custom;
    options.log = network.reporter().log();
    options.half = half;
    if (network.hasImplicitBatch()) options.batch = Network::batch();
    std::vector<Node*> weights;
    options.weights = &weights;
    caffe::LeftOut leftOut;
    options.leftOut = &leftOut;
    caffe::Blobs blobs = caffe::parse(deploy, model, network.graph(), options);
    for (Node* constant : weights) network.hide(constant);
    return tensors_.emplace_back(std::make_unique<Tensors>(std::move(blobs), std::move(leftOut), network)).get();
}

nvcaffeparser1::IBlobNameToTensor const* CaffeParser::parse(char const* deploy, char const* model,
                                                            api::INetworkDefinition& network,
                                                            api::DataType weightType) noexcept {
    api::ILogger* const logger = static_cast<Network&>(network).reporter().logger();
    return guard(logger, "ICaffeParser::parse", [&]() -> nvcaffeparser1::IBlobNameToTensor const* {
        auto const text = mapped(deploy, "deploy");
        auto const numbers = model ? mapped(model, "model") : nullptr;
        return locate([&] { return std::string(deploy); },
                      [&] {
                          return read(textOf(text->bytes()), numbers ? std::optional(numbers->bytes()) : std::nullopt,
                                      static_cast<Network&>(network), weightType);
                      });
    });
}

nvcaffeparser1::IBlobNameToTensor const* CaffeParser::parseBuffers_(void const* deploy, size_t deployLength,
                                                                    void const* model, size_t modelLength,
                                                                    api::INetworkDefinition& network,
                                                                    api::DataType weightType) noexcept {
    api::ILogger* const logger = static_cast<Network&>(network).reporter().logger();
    return guard(logger, "ICaffeParser::parseBuffers", [&]() -> nvcaffeparser1::IBlobNameToTensor const* {
        if (deploy == nullptr) fail(ErrorCode::InvalidArgument, "deploy is null");
        std::optional<std::span<std::byte const>> numbers;
        if (model) numbers.emplace(static_cast<std::byte const*>(model), modelLength);
        return read({static_cast<char const*>(deploy), deployLength}, numbers, static_cast<Network&>(network),
                    weightType);
    });
}

nvcaffeparser1::IBinaryProtoBlob* CaffeParser::parseBinaryProto(char const* fileName) noexcept {
    return guard(getLogger(), "ICaffeParser::parseBinaryProto", [&]() -> nvcaffeparser1::IBinaryProtoBlob* {
        auto const file = mapped(fileName, "fileName");
        return locate([&] { return std::string(fileName); },
                      [&] { return std::make_unique<BinaryProtoBlob>(caffe::parseBlob(file->bytes())).release(); });
    });
}

} // namespace tenon::trt

extern "C" void* createNvCaffeParser_INTERNAL() noexcept {
    return tenon::trt::guarded(tenon::trt::Reporter(getLogger()), "createCaffeParser", []() -> void* {
        nvcaffeparser1::ICaffeParser* const parser = std::make_unique<tenon::trt::CaffeParser>().release();
        return parser;
    });
}
