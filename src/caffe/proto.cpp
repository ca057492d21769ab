// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "caffe/proto.h"

namespace tenon::caffe::proto {
namespace {

constexpr std::array<std::string_view, 2> kPhases{"TRAIN", "TEST"};
constexpr std::array<std::string_view, 3> kPoolMethods{"MAX", "AVE", "STOCHASTIC"};
constexpr std::array<std::string_view, 2> kPoolRounds{"CEIL", "FLOOR"};
constexpr std::array<std::string_view, 2> kNormRegions{"ACROSS_CHANNELS", "WITHIN_CHANNEL"};
constexpr std::array<std::string_view, 3> kEltwiseOperations{"PROD", "SUM", "MAX"};
constexpr std::array<std::string_view, 5> kReductions{"", "SUM", "ASUM", "SUMSQ", "MEAN"};
constexpr std::array<std::string_view, 4> kCodeTypes{"", "CORNER", "CENTER_SIZE", "CORNER_SIZE"};
constexpr std::array<std::string_view, 5> kRawTypes{"DOUBLE", "FLOAT", "FLOAT16", "INT", "UINT"};

/// A field of NVIDIA's branch on how a network is computed. It is read only from text, by its name: BVLC may have
/// assigned its number to another field since.
constexpr Field ofNvidia(std::string_view name) { return unread(0, name); }

constexpr std::array kBlobShapeFields{field<&BlobShape::dim>(1, "dim")};

constexpr std::array kBlobFields{field<&Blob::num>(1, "num"),
                                 field<&Blob::channels>(2, "channels"),
                                 field<&Blob::height>(3, "height"),
                                 field<&Blob::width>(4, "width"),
                                 field<&Blob::data>(5, "data"),
                                 unread(6, "diff"),
                                 field<&Blob::shape>(7, "shape"),
                                 field<&Blob::doubleData>(8, "double_data"),
                                 unread(9, "double_diff"),
                                 field<&Blob::rawType>(10, "raw_data_type", kRawTypes),
                                 unread(11, "raw_diff_type"),
                                 field<&Blob::raw>(12, "raw_data"),
                                 unread(13, "raw_diff")};

constexpr std::array kStateFields{field<&State::phase>(1, "phase", kPhases), field<&State::level>(2, "level"),
                                  field<&State::stage>(3, "stage")};

constexpr std::array kRuleFields{field<&Rule::phase>(1, "phase", kPhases), field<&Rule::leastLevel>(2, "min_level"),
                                 field<&Rule::mostLevel>(3, "max_level"), field<&Rule::stage>(4, "stage"),
                                 field<&Rule::notStage>(5, "not_stage")};

constexpr std::array kConvolutionFields{field<&Convolution::outputs>(1, "num_output"),
                                        boolean<&Convolution::biasTerm>(2, "bias_term"),
                                        field<&Convolution::pad>(3, "pad"),
                                        field<&Convolution::kernel>(4, "kernel_size"),
                                        field<&Convolution::group>(5, "group"),
                                        field<&Convolution::stride>(6, "stride"),
                                        unread(7, "weight_filler"),
                                        unread(8, "bias_filler"),
                                        field<&Convolution::padH>(9, "pad_h"),
                                        field<&Convolution::padW>(10, "pad_w"),
                                        field<&Convolution::kernelH>(11, "kernel_h"),
                                        field<&Convolution::kernelW>(12, "kernel_w"),
                                        field<&Convolution::strideH>(13, "stride_h"),
                                        field<&Convolution::strideW>(14, "stride_w"),
                                        unread(15, "engine"),
                                        field<&Convolution::axis>(16, "axis"),
                                        unread(17, "force_nd_im2col"),
                                        field<&Convolution::dilation>(18, "dilation"),
                                        ofNvidia("cudnn_convolution_algo_seeker"),
                                        ofNvidia("conv_algos_override")};

constexpr std::array kPoolingFields{field<&Pooling::method>(1, "pool", kPoolMethods),
                                    field<&Pooling::kernel>(2, "kernel_size"),
                                    field<&Pooling::stride>(3, "stride"),
                                    field<&Pooling::pad>(4, "pad"),
                                    field<&Pooling::kernelH>(5, "kernel_h"),
                                    field<&Pooling::kernelW>(6, "kernel_w"),
                                    field<&Pooling::strideH>(7, "stride_h"),
                                    field<&Pooling::strideW>(8, "stride_w"),
                                    field<&Pooling::padH>(9, "pad_h"),
                                    field<&Pooling::padW>(10, "pad_w"),
                                    unread(11, "engine"),
                                    boolean<&Pooling::global>(12, "global_pooling"),
                                    field<&Pooling::round>(13, "round_mode", kPoolRounds),
                                    boolean<&Pooling::torch>(40, "torch_pooling")};

constexpr std::array kInnerProductFields{field<&InnerProduct::outputs>(1, "num_output"),
                                         boolean<&InnerProduct::biasTerm>(2, "bias_term"),
                                         unread(3, "weight_filler"),
                                         unread(4, "bias_filler"),
                                         field<&InnerProduct::axis>(5, "axis"),
                                         boolean<&InnerProduct::transpose>(6, "transpose")};

constexpr std::array kLrnFields{field<&Lrn::size>(1, "local_size"),
                                field<&Lrn::alpha>(2, "alpha"),
                                field<&Lrn::beta>(3, "beta"),
                                field<&Lrn::region>(4, "norm_region", kNormRegions),
                                field<&Lrn::k>(5, "k"),
                                unread(6, "engine")};

constexpr std::array kAffineFields{field<&Affine::base>(1, "base"), field<&Affine::scale>(2, "scale"),
                                   field<&Affine::shift>(3, "shift")};

constexpr std::array kPowerFields{field<&Power::power>(1, "power"), field<&Power::scale>(2, "scale"),
                                  field<&Power::shift>(3, "shift")};

constexpr std::array kReluFields{field<&Relu::slope>(1, "negative_slope"), unread(2, "engine")};

constexpr std::array kEluFields{field<&Elu::alpha>(1, "alpha")};

constexpr std::array kPreluFields{unread(1, "filler"), boolean<&Prelu::isShared>(2, "channel_shared")};

constexpr std::array kClipFields{field<&Clip::least>(1, "min"), field<&Clip::most>(2, "max")};

constexpr std::array kSoftmaxFields{unread(1, "engine"), field<&Softmax::axis>(2, "axis")};

constexpr std::array kConcatFields{field<&Concat::oldAxis>(1, "concat_dim"), field<&Concat::axis>(2, "axis")};

constexpr std::array kSliceFields{field<&Slice::oldAxis>(1, "slice_dim"), field<&Slice::points>(2, "slice_point"),
                                  field<&Slice::axis>(3, "axis")};

constexpr std::array kEltwiseFields{field<&Eltwise::operation>(1, "operation", kEltwiseOperations),
                                    field<&Eltwise::coefficients>(2, "coeff"), unread(3, "stable_prod_grad")};

constexpr std::array kBatchNormFields{unread(1, "use_global_stats"),
                                      unread(2, "moving_average_fraction"),
                                      field<&BatchNorm::epsilon>(3, "eps"),
                                      unread(4, "scale_bias"),
                                      unread(5, "scale_filler"),
                                      unread(6, "bias_filler"),
                                      unread(7, "engine")};

constexpr std::array kScaleFields{field<&Scale::axis>(1, "axis"), field<&Scale::axes>(2, "num_axes"),
                                  unread(3, "filler"), boolean<&Scale::biasTerm>(4, "bias_term"),
                                  unread(5, "bias_filler")};

constexpr std::array kBiasFields{field<&Bias::axis>(1, "axis"), field<&Bias::axes>(2, "num_axes"), unread(3, "filler")};

constexpr std::array kCropFields{field<&Crop::axis>(1, "axis"), field<&Crop::offset>(2, "offset")};

constexpr std::array kReshapeFields{field<&Reshape::shape>(1, "shape"), field<&Reshape::axis>(2, "axis"),
                                    field<&Reshape::axes>(3, "num_axes")};

constexpr std::array kFlattenFields{field<&Flatten::axis>(1, "axis"), field<&Flatten::endAxis>(2, "end_axis")};

constexpr std::array kReductionFields{field<&Reduction::operation>(1, "operation", kReductions),
                                      field<&Reduction::axis>(2, "axis"), field<&Reduction::coefficient>(3, "coeff")};

constexpr std::array kPermuteFields{field<&Permute::order>(1, "order")};

constexpr std::array kTileFields{field<&Tile::axis>(1, "axis"), field<&Tile::tiles>(2, "tiles")};

constexpr std::array kNormalizeFields{boolean<&Normalize::acrossSpatial>(1, "across_spatial"),
                                      unread(2, "scale_filler"), boolean<&Normalize::isShared>(3, "channel_shared"),
                                      field<&Normalize::epsilon>(4, "eps")};

constexpr std::array kPriorBoxFields{field<&PriorBox::minSize>(1, "min_size"),
                                     field<&PriorBox::maxSize>(2, "max_size"),
                                     field<&PriorBox::aspectRatio>(3, "aspect_ratio"),
                                     boolean<&PriorBox::flip>(4, "flip"),
                                     boolean<&PriorBox::clip>(5, "clip"),
                                     field<&PriorBox::variance>(6, "variance"),
                                     field<&PriorBox::size>(7, "img_size"),
                                     field<&PriorBox::height>(8, "img_h"),
                                     field<&PriorBox::width>(9, "img_w"),
                                     field<&PriorBox::step>(10, "step"),
                                     field<&PriorBox::stepH>(11, "step_h"),
                                     field<&PriorBox::stepW>(12, "step_w"),
                                     field<&PriorBox::offset>(13, "offset")};

constexpr std::array kSuppressionFields{field<&Suppression::threshold>(1, "nms_threshold"),
                                        field<&Suppression::most>(2, "top_k"), unread(3, "eta")};

constexpr std::array kDetectionOutputFields{field<&DetectionOutput::classes>(1, "num_classes"),
                                            boolean<&DetectionOutput::shareLocation>(2, "share_location"),
                                            field<&DetectionOutput::background>(3, "background_label_id"),
                                            field<&DetectionOutput::suppression>(4, "nms_param"),
                                            unread(5, "save_output_param"),
                                            field<&DetectionOutput::codeType>(6, "code_type", kCodeTypes),
                                            field<&DetectionOutput::keep>(7, "keep_top_k"),
                                            boolean<&DetectionOutput::encodesVariance>(8, "variance_encoded_in_target"),
                                            field<&DetectionOutput::confidence>(9, "confidence_threshold"),
                                            unread(10, "visualize"),
                                            unread(11, "visualize_threshold"),
                                            unread(12, "save_file")};

constexpr std::array kRoiPoolingFields{field<&RoiPooling::height>(1, "pooled_h"),
                                       field<&RoiPooling::width>(2, "pooled_w"),
                                       field<&RoiPooling::scale>(3, "spatial_scale")};

constexpr std::array kRegionProposalFields{field<&RegionProposal::before>(1, "prenms_top"),
                                           field<&RegionProposal::after>(2, "nms_max_out"),
                                           field<&RegionProposal::threshold>(3, "iou_threshold"),
                                           field<&RegionProposal::minSize>(4, "min_box_size"),
                                           field<&RegionProposal::stride>(5, "feature_stride"),
                                           field<&RegionProposal::ratioCount>(6, "anchor_ratio_count"),
                                           field<&RegionProposal::scaleCount>(7, "anchor_scale_count"),
                                           field<&RegionProposal::ratios>(8, "anchor_ratio"),
                                           field<&RegionProposal::scales>(9, "anchor_scale")};

constexpr std::array kInputFields{field<&Input::shape>(1, "shape")};

constexpr std::array kLayerFields{field<&Layer::name>(1, "name"),
                                  field<&Layer::type>(2, "type"),
                                  field<&Layer::bottom>(3, "bottom"),
                                  field<&Layer::top>(4, "top"),
                                  unread(5, "loss_weight"),
                                  unread(6, "param"),
                                  field<&Layer::blobs>(7, "blobs"),
                                  field<&Layer::include>(8, "include"),
                                  field<&Layer::exclude>(9, "exclude"),
                                  unread(10, "phase"),
                                  unread(11, "propagate_down"),
                                  unread(100, "transform_param"),
                                  unread(101, "loss_param"),
                                  unread(102, "accuracy_param"),
                                  unread(103, "argmax_param"),
                                  field<&Layer::concat>(104, "concat_param"),
                                  unread(105, "contrastive_loss_param"),
                                  field<&Layer::convolution>(106, "convolution_param"),
                                  unread(107, "data_param"),
                                  unread(108, "dropout_param"),
                                  unread(109, "dummy_data_param"),
                                  field<&Layer::eltwise>(110, "eltwise_param"),
                                  field<&Layer::exp>(111, "exp_param"),
                                  unread(112, "hdf5_data_param"),
                                  unread(113, "hdf5_output_param"),
                                  unread(114, "hinge_loss_param"),
                                  unread(115, "image_data_param"),
                                  unread(116, "infogain_loss_param"),
                                  field<&Layer::innerProduct>(117, "inner_product_param"),
                                  field<&Layer::lrn>(118, "lrn_param"),
                                  unread(119, "memory_data_param"),
                                  unread(120, "mvn_param"),
                                  field<&Layer::pooling>(121, "pooling_param"),
                                  field<&Layer::power>(122, "power_param"),
                                  field<&Layer::relu>(123, "relu_param"),
                                  unread(124, "sigmoid_param"),
                                  field<&Layer::softmax>(125, "softmax_param"),
                                  field<&Layer::slice>(126, "slice_param"),
                                  unread(127, "tanh_param"),
                                  unread(128, "threshold_param"),
                                  unread(129, "window_data_param"),
                                  unread(130, "python_param"),
                                  field<&Layer::prelu>(131, "prelu_param"),
                                  unread(132, "spp_param"),
                                  field<&Layer::reshape>(133, "reshape_param"),
                                  field<&Layer::log>(134, "log_param"),
                                  field<&Layer::flatten>(135, "flatten_param"),
                                  field<&Layer::reduction>(136, "reduction_param"),
                                  unread(137, "embed_param"),
                                  field<&Layer::tile>(138, "tile_param"),
                                  field<&Layer::batchNorm>(139, "batch_norm_param"),
                                  field<&Layer::elu>(140, "elu_param"),
                                  field<&Layer::bias>(141, "bias_param"),
                                  field<&Layer::scale>(142, "scale_param"),
                                  field<&Layer::input>(143, "input_param"),
                                  field<&Layer::crop>(144, "crop_param"),
                                  unread(145, "parameter_param"),
                                  unread(146, "recurrent_param"),
                                  unread(147, "swish_param"),
                                  field<&Layer::clip>(148, "clip_param"),
                                  unread(200, "annotated_data_param"),
                                  unread(201, "multibox_loss_param"),
                                  field<&Layer::permute>(202, "permute_param"),
                                  field<&Layer::priorBox>(203, "prior_box_param"),
                                  field<&Layer::detectionOutput>(204, "detection_output_param"),
                                  unread(205, "detection_evaluate_param"),
                                  field<&Layer::normalize>(206, "norm_param"),
                                  unread(207, "video_data_param"),
                                  field<&Layer::roiPooling>(8785, "roi_pooling_param"),
                                  field<&Layer::regionProposal>(8786, "region_proposal_param"),
                                  ofNvidia("forward_type"),
                                  ofNvidia("backward_type"),
                                  ofNvidia("forward_math"),
                                  ofNvidia("backward_math"),
                                  ofNvidia("debug"),
                                  ofNvidia("cudnn_math_override")};

constexpr std::array kNetFields{field<&Net::name>(1, "name"),
                                field<&Net::oldLayers>(2, "layers"),
                                field<&Net::input>(3, "input"),
                                field<&Net::inputDim>(4, "input_dim"),
                                unread(5, "force_backward"),
                                field<&Net::state>(6, "state"),
                                unread(7, "debug_info"),
                                field<&Net::inputShape>(8, "input_shape"),
                                field<&Net::layer>(100, "layer"),
                                ofNvidia("default_forward_type"),
                                ofNvidia("default_backward_type"),
                                ofNvidia("default_forward_math"),
                                ofNvidia("default_backward_math"),
                                ofNvidia("global_grad_scale"),
                                ofNvidia("default_conv_algos_override"),
                                ofNvidia("reduce_buckets"),
                                ofNvidia("default_cudnn_math_override")};

constexpr std::array kLayerWeightsFields{field<&LayerWeights::name>(1, "name"),
                                         field<&LayerWeights::blobs>(7, "blobs")};

constexpr std::array kOldLayerWeightsFields{field<&LayerWeights::name>(4, "name"),
                                            field<&LayerWeights::blobs>(6, "blobs")};

constexpr std::array kNetWeightsFields{field<&NetWeights::oldLayer>(2, "layers"),
                                       field<&NetWeights::layer>(100, "layer")};

} // namespace

MessageType const BlobShape::kType{"BlobShape", kBlobShapeFields};
MessageType const Blob::kType{"BlobProto", kBlobFields};
MessageType const State::kType{"NetState", kStateFields};
MessageType const Rule::kType{"NetStateRule", kRuleFields};
MessageType const Convolution::kType{"ConvolutionParameter", kConvolutionFields};
MessageType const Pooling::kType{"PoolingParameter", kPoolingFields};
MessageType const InnerProduct::kType{"InnerProductParameter", kInnerProductFields};
MessageType const Lrn::kType{"LRNParameter", kLrnFields};
MessageType const Affine::kType{"AffineParameter", kAffineFields};
MessageType const Relu::kType{"ReLUParameter", kReluFields};
MessageType const Elu::kType{"ELUParameter", kEluFields};
MessageType const Prelu::kType{"PReLUParameter", kPreluFields};
MessageType const Clip::kType{"ClipParameter", kClipFields};
MessageType const Softmax::kType{"SoftmaxParameter", kSoftmaxFields};
MessageType const Concat::kType{"ConcatParameter", kConcatFields};
MessageType const Slice::kType{"SliceParameter", kSliceFields};
MessageType const Eltwise::kType{"EltwiseParameter", kEltwiseFields};
MessageType const BatchNorm::kType{"BatchNormParameter", kBatchNormFields};
MessageType const Scale::kType{"ScaleParameter", kScaleFields};
MessageType const Bias::kType{"BiasParameter", kBiasFields};
MessageType const Crop::kType{"CropParameter", kCropFields};
MessageType const Reshape::kType{"ReshapeParameter", kReshapeFields};
MessageType const Flatten::kType{"FlattenParameter", kFlattenFields};
MessageType const Reduction::kType{"ReductionParameter", kReductionFields};
MessageType const Permute::kType{"PermuteParameter", kPermuteFields};
MessageType const Tile::kType{"TileParameter", kTileFields};
MessageType const Normalize::kType{"NormalizeParameter", kNormalizeFields};
MessageType const PriorBox::kType{"PriorBoxParameter", kPriorBoxFields};
MessageType const Suppression::kType{"NonMaximumSuppressionParameter", kSuppressionFields};
MessageType const DetectionOutput::kType{"DetectionOutputParameter", kDetectionOutputFields};
MessageType const RoiPooling::kType{"ROIPoolingParameter", kRoiPoolingFields};
MessageType const RegionProposal::kType{"RegionProposalParameter", kRegionProposalFields};
MessageType const Input::kType{"InputParameter", kInputFields};
MessageType const Power::kType{"PowerParameter", kPowerFields};
MessageType const Layer::kType{"LayerParameter", kLayerFields};
MessageType const Net::kType{"NetParameter", kNetFields};
MessageType const LayerWeights::kType{"LayerParameter", kLayerWeightsFields};
MessageType const OldLayerWeights::kType{"V1LayerParameter", kOldLayerWeightsFields};
MessageType const NetWeights::kType{"NetParameter", kNetWeightsFields};

} // namespace tenon::caffe::proto
