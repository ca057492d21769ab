// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "layers/shuffle/shuffle.h"
#include "tenon/api/legacy_layers.h"
#include "trt/network/convolution_face.h"

#include <concepts>

namespace tenon::trt {
namespace {

/// Weights [maps, channels / groups, spatial…].
struct Layout {
    static Dims dims(KernelShape const& shape, int64_t, int64_t count) {
        if (shape.perChannel() < 1 || count % shape.perChannel() != 0)
            fail(ErrorCode::InvalidArgument, "the kernel has ", count, " values; expected a multiple of ",
                 shape.perChannel(), " for ", shape.maps, " output maps of size ", joined(shape.spatial, "x"));
        Dims dims{shape.maps, count / shape.perChannel()};
        for (int64_t extent : shape.spatial) dims.push(extent);
        return dims;
    }
    static KernelShape shape(Dims const& dims, int64_t) { return {dims[0], {dims.begin() + 2, dims.end()}}; }
};

using Face = ConvolutionFace<api::IConvolutionLayer, Convolution, api::LayerType::kCONVOLUTION, Layout>;

constexpr auto kFullyConnected = static_cast<api::LayerType>(64); // the neutral number: level 10 has no name for it

Dims kernelDims(Shape const& x, int64_t outputs, int64_t count) {
    if (x.size() < 4 || !isConstant({x.begin() + 1, x.end()}))
        fail(ErrorCode::InvalidArgument, "the input is ", x, "; expected [N,…,C,H,W] with all but N known");
    if (outputs < 1) fail(ErrorCode::InvalidArgument, outputs, " outputs; expected at least 1");
    auto const c = x.end() - 3;
    Dims const dims{outputs, c[0].constant(), c[1].constant(), c[2].constant()};
    if (count != dims.volume())
        fail(ErrorCode::InvalidArgument, "the kernel has ", count, " values; expected ", dims.volume(), ", ", outputs,
             " outputs from ", dims.volume() / outputs, " elements of each sample");
    return dims;
}

/// A convolution whose kernel is as large as its input: X [N,C,H,W] → Y [N,K,1,1]. With more axes, X [N,P…,C,H,W] → Y
/// [N,P…,K,1,1], each of the P… is a sample of that convolution: it is between two Shuffles, and the API layer is that
/// of the last one.
template <class K> class FullyConnectedFace final : public FaceOf<api::IFullyConnectedLayer, K, kFullyConnected> {
    static constexpr bool kHasMoreAxes = std::same_as<K, Shuffle>;

public:
    using Base = FaceOf<api::IFullyConnectedLayer, K, kFullyConnected>;
    using Base::Base;
    enum Input { kX, kKernel, kBias };

    api::ITensor* getInput(int32_t index) const noexcept override {
        Network& network = this->network();
        bool const isX = kHasMoreAxes && index == 0;
        return isX ? network.faceOf(&network.beforeRepetition(*first().input(kX))) : Base::getInput(index);
    }
    void setInput(int32_t index, api::ITensor& tensor) noexcept override {
        if (!kHasMoreAxes || index != 0) return Base::setInput(index, tensor);
        guarded(this->reporter(), "ILayer::setInput", [&] {
            this->network().graph().setInput(&first(), kX, &this->network().tensorOf(tensor));
            this->network().touch(first());
        });
    }

    /// The weights for them follow.
    void setNbOutputChannels(int32_t nbOutputs) noexcept override { outputs_ = nbOutputs; }
    int32_t getNbOutputChannels() const noexcept override {
        auto const given = static_cast<int32_t>(product().input(kKernel)->literal()->dims()[0]);
        return outputs_.value_or(given);
    }
    void setKernelWeights(Weights weights) noexcept override {
        this->edit("setKernelWeights", [&](K& layer) {
            Dims const dims = kernelDims(this->shapeOf(*first().input(kX)), getNbOutputChannels(), weights.count);
            this->network().replaceWeights(product(), kKernel, weights, dims);
            if constexpr (kHasMoreAxes) layer.reshape[layer.reshape.size() - 3] = dims[0];
        });
    }
    Weights getKernelWeights() const noexcept override { return toApi(product().input(kKernel)->literal()); }
    void setBiasWeights(Weights weights) noexcept override {
        this->edit("setBiasWeights",
                   [&](K&) { this->network().replaceWeights(product(), kBias, weights, {weights.count}); });
    }
    Weights getBiasWeights() const noexcept override {
        Tensor const* const bias = product().input(kBias);
        return toApi(bias ? bias->literal() : nullptr);
    }

private:
    /// The convolution, which has the weights.
    Node& product() const { return kHasMoreAxes ? *this->node().input(0)->producer() : this->node(); }
    /// The node that reads X.
    Node& first() const { return kHasMoreAxes ? *product().input(kX)->producer() : this->node(); }

    std::optional<int32_t> outputs_; // set after the layer was added
};

/// The output of a node that is hidden from the application.
Tensor* hidden(Network& network, std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) {
    Node* const node = network.addHidden(std::move(layer), std::move(inputs));
    network.graph().infer(node);
    return node->output();
}

/// \param inputs X [N,P…,C,H,W] and the weights
/// \param kernel [K,C,H,W]
api::ILayer* fullyConnectMoreAxes(Network& network, std::vector<Tensor*> inputs, Dims const& kernel) {
    Shape const x = network.shapeOf(*inputs[0]);
    std::vector<int64_t> back{-1};
    for (auto axis = x.begin() + 1; axis != x.end() - 3; ++axis) back.push_back(axis->constant());
    back.insert(back.end(), {kernel[0], 1, 1});
    auto samples = Shuffle::reshaping({-1, kernel[1], kernel[2], kernel[3]});
    inputs[0] = hidden(network, std::make_unique<Shuffle>(std::move(samples)), {inputs[0]});
    Tensor* const product = hidden(network, std::make_unique<Convolution>(), std::move(inputs));
    return network.addNode<FullyConnectedFace<Shuffle>>({product}, Shuffle::reshaping(std::move(back)));
}

} // namespace

FaceEntry convolutionFace() { return faceEntry<Face>(); }

api::IConvolutionLayer* Network::addConvolutionNd_(ITensor& input, int64_t nbOutputMaps, Dims64 const& kernelSize,
                                                   Weights kernelWeights, Weights biasWeights) noexcept {
    return guarded(reporter_, "addConvolutionNd", [&] {
        KernelShape const shape{nbOutputMaps, spatialOf(kernelSize)};
        return addConvolution<Face, Layout>(*this, input, shape, kernelWeights, biasWeights);
    });
}

api::ILayer* Network::addFullyConnected_(ITensor& input, int32_t nbOutputs, Weights kernelWeights,
                                         Weights biasWeights) noexcept {
    return guarded(reporter_, "addFullyConnected", [&]() -> api::ILayer* {
        Tensor& x = tensorOf(input);
        Dims const dims = kernelDims(shapeOf(x), nbOutputs, kernelWeights.count);
        if (areLeftOut(kernelWeights)) fail(ErrorCode::InvalidArgument, "the kernel has no values");
        std::vector<Tensor*> inputs{&x, addWeights(kernelWeights, dims)};
        if (!areLeftOut(biasWeights)) inputs.push_back(addWeights(biasWeights, {biasWeights.count}));
        if (shapeOf(x).size() > 4) return fullyConnectMoreAxes(*this, std::move(inputs), dims);
        return addNode<FullyConnectedFace<Convolution>>(std::move(inputs), Convolution());
    });
}

} // namespace tenon::trt
