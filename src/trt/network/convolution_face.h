// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/network/network.h"
#include "trt/network/window_face.h"

namespace tenon::trt {

/// The extents of a kernel as set by the application: maps, and the spatial ones. The layer determines their order in
/// the weights, and the channels.
struct KernelShape {
    int64_t maps = 0;
    std::vector<int64_t> spatial;

    int64_t perChannel() const {
        int64_t all = maps;
        for (int64_t extent : spatial) all *= extent;
        return all;
    }
};

/// IConvolutionLayer and IDeconvolutionLayer, whose methods are the same. `Layout` is the order of their weights:
/// `Layout::dims(shape, groups, count)` and `Layout::shape(dims, groups)`.
template <class Interface, class K, api::LayerType type, class Layout>
class ConvolutionFace : public WindowFace<Interface, K, type> {
public:
    using Base = WindowFace<Interface, K, type>;
    enum Input { kX, kKernel, kBias };

    ConvolutionFace(Network& network, Node& node) : Base(network, node) {
        Tensor const* kernel = node.input(kKernel);
        if (kernel && kernel->literal()) shape_ = Layout::shape(kernel->literal()->dims(), this->layer().groups);
    }
    /// The weights of the application; they may follow later, as a tensor.
    void giveShape(KernelShape shape) { shape_ = std::move(shape); }

    void setNbOutputMaps(int64_t nbOutputMaps) noexcept override {
        change("setNbOutputMaps", shape_.maps, nbOutputMaps);
    }
    int64_t getNbOutputMaps() const noexcept override { return shape_.maps; }
    void setNbGroups(int64_t nbGroups) noexcept override {
        change("setNbGroups", static_cast<K&>(*this->node().layer).groups, nbGroups);
    }
    int64_t getNbGroups() const noexcept override { return this->layer().groups; }

    void setKernelWeights(Weights weights) noexcept override {
        this->edit("setKernelWeights",
                   [&](K&) { this->network().replaceWeights(this->node(), kKernel, weights, {weights.count}); });
    }
    Weights getKernelWeights() const noexcept override { return this->weightsAt(kKernel); }
    void setBiasWeights(Weights weights) noexcept override {
        this->edit("setBiasWeights",
                   [&](K&) { this->network().replaceWeights(this->node(), kBias, weights, {weights.count}); });
    }
    Weights getBiasWeights() const noexcept override { return this->weightsAt(kBias); }

    void settle() override {
        layOutKernel();
        Base::settle();
    }

protected:
    void setKernelSizeNd_(Dims64 const& kernelSize) noexcept override {
        this->edit("setKernelSizeNd", [&](K&) { shape_.spatial = spatialOf(kernelSize); });
    }
    Dims64 getKernelSizeNd_() const noexcept override { return toApi(Dims(shape_.spatial)); }
    void setDilationNd_(Dims64 const& dilation) noexcept override {
        this->setList("setDilationNd", &Window::dilation, dilation);
    }
    Dims64 getDilationNd_() const noexcept override { return this->getList(&Window::dilation, 1); }

    std::vector<int64_t> const& kernelExtents() const override { return shape_.spatial; }

private:
    void change(char const* method, int64_t& number, int64_t to) noexcept {
        this->edit(method, [&](K&) {
            if (to < 1) fail(ErrorCode::InvalidArgument, to, "; expected at least 1");
            number = to;
        });
    }
    /// Gives the kernel's values the shape that all setters together determine.
    void layOutKernel() {
        Tensor const* kernel = this->node().input(kKernel);
        if (kernel == nullptr || !this->network().isWeights(*kernel)) return;
        Weights const values = getKernelWeights();
        Dims const dims = Layout::dims(shape_, this->layer().groups, values.count);
        if (kernel->literal()->dims() != dims) this->network().replaceWeights(this->node(), kKernel, values, dims);
    }

    KernelShape shape_;
};

/// The common part of both layers' add methods.
template <class F, class Layout>
F* addConvolution(Network& network, ITensor& input, KernelShape const& shape, Weights const& kernel,
                  Weights const& bias) {
    if (shape.maps < 1) fail(ErrorCode::InvalidArgument, shape.maps, " output maps; expected at least 1");
    Dims const kernelDims = network.areLeftOut(kernel) ? Dims() : Layout::dims(shape, 1, kernel.count);
    std::vector<Tensor*> inputs{&network.tensorOf(input), network.addWeights(kernel, kernelDims)};
    if (!network.areLeftOut(bias)) inputs.push_back(network.addWeights(bias, {bias.count}));
    // Groups are set later, and so is a kernel that is a tensor: whether it fits is checked when the shape is
    // requested.
    F* face = network.addNode<F>(std::move(inputs), typename F::Kind(), false);
    face->giveShape(shape);
    return face;
}

} // namespace tenon::trt
