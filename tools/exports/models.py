# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of exported models."""
import torch

from .modules import Named, OneImage, Positional, WithPast
from .spec import Model, sizesOf

kImages = {"x": "float n 3 h w"}
kImageSizes = "n=2 h=64 w=96; n=1 h=96 w=64"
kBatch = "n=2; n=3"
kText = {"input_ids": "ids:99 n s", "attention_mask": "mask n s"}
kTextSizes = "n=2 s=7; n=3 s=12"

# The names of sizes in the configurations of most transformers; each uses those that it has.
kTiny = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
         "intermediate_size": 48, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def torchvision(name, **options):
    def make():
        import torchvision.models

        return Positional(torchvision.models.get_model(name, weights=None, **options))
    return make


def detector(name, **options):
    def make():
        import torchvision.models

        return OneImage(torchvision.models.get_model(name, weights=None, weights_backbone=None, num_classes=5, **options))
    return make


def timm(name, **options):
    def make():
        import timm as package

        return package.create_model(name, pretrained=False, **options)
    return make


def configured(kind, config):
    """A module of transformers with a small configuration, in evaluation mode."""
    import transformers

    found = getattr(transformers, kind)
    return found._from_config(found.config_class(**config)).eval()


def transformer(kind, inputs, outputs=1, fixed=None, part=None, **config):
    def make():
        module = configured(kind, config)
        module = module.get_submodule(part) if part else module
        return Named(module, list(inputs), outputs, **(fixed or {}))
    return make


def image(name, make, sizes=kImageSizes):
    return Model(name, make, kImages, sizesOf(sizes))


def fixedImage(name, make, extent):
    return Model(name, make, {"x": f"float n 3 {extent} {extent}"}, sizesOf(kBatch))


def detection(name, make, sizes="h=96 w=128; h=128 w=96"):
    return Model(name, make, {"x": "unit 3 h w"}, sizesOf(sizes), counts=True)


def encoder(name, kind, **config):
    return Model(name, transformer(kind, kText, outputs=2, **(kTiny | config)), kText, sizesOf(kTextSizes))


def decoder(name, kind, **config):
    make = transformer(kind, kText, fixed={"use_cache": False}, **(kTiny | config))
    return Model(name, make, kText, sizesOf(kTextSizes))


def decoderWithPast(name, kind, heads=2, width=8, **config):
    layers = 2
    past = {f"past_{part}_{layer}": f"float n {heads} p {width}" for layer in range(layers) for part in ("key", "value")}

    def make():
        return WithPast(configured(kind, kTiny | config), layers)
    inputs = {"input_ids": "ids:99 n s", "attention_mask": "ones n t", **past}
    return Model(name + "_past", make, inputs, sizesOf("n=2 s=3 p=5 t=8; n=3 s=2 p=9 t=11"))


def sequenceToSequence(name, kind, **config):
    inputs = kText | {"decoder_input_ids": "ids:99 n d"}
    make = transformer(kind, inputs, fixed={"use_cache": False}, **(kTiny | config))
    return Model(name, make, inputs, sizesOf("n=2 s=7 d=5; n=3 s=12 d=4"))


def vision(name, kind, extent=32, outputs=1, **config):
    """A transformer for images of one size."""
    inputs = {"pixel_values": f"float n 3 {extent} {extent}"}
    config = kTiny | {"image_size": extent, "patch_size": 8} | config
    return Model(name, transformer(kind, inputs, outputs, **config), inputs, sizesOf(kBatch))


def freeVision(name, kind, outputs=1, sizes=kImageSizes, **config):
    """One for images of any size."""
    inputs = {"pixel_values": "float n 3 h w"}
    return Model(name, transformer(kind, inputs, outputs, **config), inputs, sizesOf(sizes))


def audio(name, kind, **config):
    inputs = {"input_values": "float n s"}
    small = kTiny | {"conv_dim": (16, 16), "conv_kernel": (8, 4), "conv_stride": (4, 2), "num_feat_extract_layers": 2,
                     "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}
    return Model(name, transformer(kind, inputs, **(small | config)), inputs, sizesOf("n=2 s=400; n=1 s=528"))


kBart = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "decoder_start_token_id": 2,
         "forced_eos_token_id": None}
kT5 = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
kDetr = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "num_queries": 10, "num_labels": 5}
kDetrBackbone = {"use_timm_backbone": False, "use_pretrained_backbone": False, "backbone": None}
kMel = {"input_features": "float n 16 s"}


def resNetConfig():
    import transformers

    return transformers.ResNetConfig(embedding_size=16, hidden_sizes=[16, 24, 32, 40], depths=[1, 1, 1, 1],
                                     layer_type="basic", out_features=["stage4"])


def holding(kind, inputs, outputs, config):
    """A transformer whose configuration holds others: config() makes it on demand."""
    return lambda: Named(configured(kind, config()), list(inputs), outputs)


def classification():
    yield fixedImage("alexnet", torchvision("alexnet"), 96)
    yield fixedImage("vgg11_bn", torchvision("vgg11_bn"), 64)
    for name in ("resnet18", "resnet50", "resnext50_32x4d", "densenet121", "squeezenet1_1", "shufflenet_v2_x0_5",
                 "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large", "mnasnet0_5", "efficientnet_b0",
                 "efficientnet_v2_s", "regnet_y_400mf", "regnet_x_400mf", "convnext_tiny", "swin_t", "swin_v2_t"):
        yield image(name, torchvision(name))
    yield image("inception_v3", torchvision("inception_v3", init_weights=True, aux_logits=True),
                "n=2 h=96 w=128; n=1 h=128 w=96")
    yield image("googlenet", torchvision("googlenet", init_weights=True))
    yield fixedImage("vit_b_16", torchvision("vit_b_16", image_size=64), 64)
    yield fixedImage("maxvit_t", torchvision("maxvit_t", input_size=(224, 224)), 224)
    video = {"x": "float n 3 t h w"}
    for name in ("r3d_18", "mc3_18"):
        yield Model(name, torchvision(name), video, sizesOf("n=2 t=4 h=32 w=48; n=1 t=6 h=48 w=32"))


def dense():
    for name in ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "deeplabv3_resnet50", "lraspp_mobilenet_v3_large"):
        options = {"weights_backbone": None, "num_classes": 5}
        yield image(name, torchvision(name, **options))
    flow = {"first": "float n 3 h w", "second": "float n 3 h w"}
    yield Model("raft_small", torchvision("raft_small"), flow, sizesOf("n=1 h=128 w=136; n=1 h=136 w=128"))
    small = {"min_size": 96, "max_size": 160}
    for name in ("fasterrcnn_mobilenet_v3_large_320_fpn", "fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn",
                 "retinanet_resnet50_fpn", "fcos_resnet50_fpn"):
        yield detection(name, detector(name, **small))
    yield detection("keypointrcnn_resnet50_fpn", detector("keypointrcnn_resnet50_fpn", num_keypoints=4, **small))
    yield detection("ssd300_vgg16", detector("ssd300_vgg16"))
    yield detection("ssdlite320_mobilenet_v3_large", detector("ssdlite320_mobilenet_v3_large"))


def tinyBackbone():
    """Three feature maps, of 1/4, 1/8 and 1/16 of the image, with 8 channels each."""
    from torchvision.models.detection.backbone_utils import BackboneWithFPN

    def step(channels, wide):
        return torch.nn.Sequential(torch.nn.Conv2d(channels, wide, 3, 2, 1, bias=False), torch.nn.BatchNorm2d(wide),
                                   torch.nn.ReLU())
    layers = torch.nn.Sequential(step(3, 8), step(8, 8), step(8, 12), step(12, 16))
    return BackboneWithFPN(layers, {"1": "0", "2": "1", "3": "2"}, [8, 12, 16], 8)


def tinyAnchors(levels):
    from torchvision.models.detection.anchor_utils import AnchorGenerator

    return AnchorGenerator(((16,), (32,), (64,), (96,))[:levels], ((0.5, 1.0, 2.0),) * levels)


kTinyDetector = {"min_size": 64, "max_size": 96}


def tinyFasterRcnn(kind):
    def make():
        from torchvision.models import detection
        from torchvision.models.detection import faster_rcnn, mask_rcnn
        from torchvision.ops import MultiScaleRoIAlign

        options = kTinyDetector | {
            "rpn_anchor_generator": tinyAnchors(4), "rpn_pre_nms_top_n_test": 60, "rpn_post_nms_top_n_test": 20,
            "box_roi_pool": MultiScaleRoIAlign(["0", "1", "2"], 3, 2), "box_head": faster_rcnn.TwoMLPHead(72, 16),
            "box_predictor": faster_rcnn.FastRCNNPredictor(16, 3), "box_detections_per_img": 12}
        if kind == "MaskRCNN":
            options |= {"mask_roi_pool": MultiScaleRoIAlign(["0", "1", "2"], 6, 2),
                        "mask_head": mask_rcnn.MaskRCNNHeads(8, (8,), 1),
                        "mask_predictor": mask_rcnn.MaskRCNNPredictor(8, 8, 3)}
        return OneImage(getattr(detection, kind)(tinyBackbone(), **options))
    return make


def tinyRetinaNet():
    from torchvision.models import detection

    return OneImage(detection.RetinaNet(tinyBackbone(), 3, score_thresh=0.01, topk_candidates=30, detections_per_img=12,
                                        anchor_generator=tinyAnchors(4), **kTinyDetector))


def tinyDetectors():
    for name, kind in (("tiny_faster_rcnn", "FasterRCNN"), ("tiny_mask_rcnn", "MaskRCNN")):
        yield detection(name, tinyFasterRcnn(kind), "h=64 w=80; h=80 w=64")
    yield detection("tiny_retinanet", tinyRetinaNet, "h=64 w=80; h=80 w=64")


def tinyClassifiers():
    """Architectures of torchvision, narrower than the published ones."""
    def of(name, make):
        return image("tiny_" + name, make, "n=2 h=32 w=40; n=1 h=48 w=32")

    def narrow(kind, *given, **options):
        def make():
            import torchvision.models

            return Positional(getattr(torchvision.models, kind)(*given, num_classes=10, **options))
        return make
    yield of("densenet", narrow("DenseNet", 4, (2, 2), 8))
    yield of("shufflenet_v2", narrow("ShuffleNetV2", [2, 2, 2], [8, 16, 24, 32, 40]))
    yield of("mobilenet_v2", narrow("MobileNetV2", width_mult=0.1, inverted_residual_setting=[[1, 8, 1, 1], [4, 16, 2, 2],
                                                                                         [4, 24, 1, 2]]))
    yield of("swin", narrow("SwinTransformer", [4, 4], 8, [2, 2], [2, 4], [4, 4]))
    yield Model("tiny_vit", narrow("VisionTransformer", 32, 8, 2, 4, 32, 48), {"x": "float n 3 32 32"}, sizesOf(kBatch))


def encoders():
    yield encoder("bert", "BertModel")
    yield encoder("bert_classifier", "BertForSequenceClassification")
    yield encoder("roberta", "RobertaModel", max_position_embeddings=70)
    yield encoder("distilbert", "DistilBertModel", dim=32, hidden_dim=48, n_layers=2, n_heads=4)
    yield encoder("albert", "AlbertModel", embedding_size=16)
    yield encoder("electra", "ElectraForMaskedLM", embedding_size=16)
    yield encoder("deberta_v2", "DebertaV2Model", relative_attention=True, pos_att_type=["p2c", "c2p"],
                  position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True)
    yield encoder("mpnet", "MPNetModel", max_position_embeddings=70)
    yield encoder("modernbert", "ModernBertModel", local_attention=4, global_attn_every_n_layers=2)
    yield encoder("squeezebert", "SqueezeBertModel", embedding_size=32)
    yield encoder("xlm_roberta", "XLMRobertaForTokenClassification", max_position_embeddings=70)
    yield encoder("nystromformer", "NystromformerModel", num_landmarks=4, segment_means_seq_len=4)
    yield encoder("longformer", "LongformerModel", attention_window=4, max_position_embeddings=70)
    yield encoder("fnet", "FNetModel")


def decoders():
    gpt2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
    yield decoder("gpt2", "GPT2LMHeadModel", **gpt2)
    yield decoderWithPast("gpt2", "GPT2LMHeadModel", heads=4, **gpt2)
    yield decoder("gpt_neo", "GPTNeoForCausalLM", num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]],
                  window_size=4)
    yield decoder("gptj", "GPTJForCausalLM", rotary_dim=4, **gpt2)
    yield decoder("gpt_neox", "GPTNeoXForCausalLM")
    yield decoder("opt", "OPTForCausalLM", ffn_dim=48, word_embed_proj_dim=32)
    yield decoder("bloom", "BloomForCausalLM", n_layer=2, n_head=4)
    yield decoder("falcon", "FalconForCausalLM")
    yield decoder("llama", "LlamaForCausalLM")
    yield decoderWithPast("llama", "LlamaForCausalLM")
    yield decoder("mistral", "MistralForCausalLM", sliding_window=4)
    yield decoderWithPast("mistral", "MistralForCausalLM", sliding_window=None)
    yield decoder("mixtral", "MixtralForCausalLM", num_local_experts=4)
    yield decoder("gemma", "GemmaForCausalLM", head_dim=8)
    yield decoder("gemma2", "Gemma2ForCausalLM", head_dim=8, sliding_window=4)
    yield decoder("gemma3", "Gemma3ForCausalLM", head_dim=8, sliding_window=4, layer_types=["sliding_attention",
                                                                                         "full_attention"])
    yield decoder("qwen2", "Qwen2ForCausalLM")
    yield decoderWithPast("qwen2", "Qwen2ForCausalLM")
    yield decoder("qwen3", "Qwen3ForCausalLM", head_dim=8)
    yield decoder("phi", "PhiForCausalLM")
    yield decoder("phi3", "Phi3ForCausalLM")
    yield decoder("starcoder2", "Starcoder2ForCausalLM")
    yield decoder("olmo2", "Olmo2ForCausalLM")
    yield decoder("stablelm", "StableLmForCausalLM")
    yield decoder("cohere", "CohereForCausalLM")
    yield decoder("granite", "GraniteForCausalLM")
    yield decoder("mpt", "MptForCausalLM", d_model=32, n_heads=4, n_layers=2)
    yield decoder("smollm3", "SmolLM3ForCausalLM")
    yield decoder("mamba", "MambaForCausalLM", state_size=4)


def sequences():
    yield Model("t5_encoder", transformer("T5EncoderModel", kText, **(kTiny | kT5)), kText, sizesOf(kTextSizes))
    yield sequenceToSequence("t5", "T5ForConditionalGeneration", **kT5)
    yield sequenceToSequence("bart", "BartForConditionalGeneration", **kBart)
    yield sequenceToSequence("mbart", "MBartForConditionalGeneration", **kBart)
    yield sequenceToSequence("pegasus", "PegasusForConditionalGeneration", **kBart)
    yield sequenceToSequence("marian", "MarianMTModel", **kBart)
    yield sequenceToSequence("m2m_100", "M2M100ForConditionalGeneration", **kBart)
    whisper = kTiny | kBart | {"num_mel_bins": 16, "max_source_positions": 20, "max_target_positions": 16}
    features = {"input_features": "float n 16 40"}
    yield Model("whisper_encoder", transformer("WhisperModel", features, part="encoder", **whisper), features,
                sizesOf(kBatch))
    both = features | {"decoder_input_ids": "ids:99 n d"}
    yield Model("whisper", transformer("WhisperForConditionalGeneration", both, fixed={"use_cache": False}, **whisper),
                both, sizesOf("n=2 d=5; n=3 d=4"))
    yield audio("wav2vec2", "Wav2Vec2ForCTC")
    yield audio("hubert", "HubertModel")
    yield audio("wavlm", "WavLMModel", num_buckets=8, max_bucket_distance=16)
    yield audio("data2vec_audio", "Data2VecAudioModel", conv_pos_kernel_size=5)
    yield audio("unispeech_sat", "UniSpeechSatModel")
    spectrogram = {"input_values": "float n 24 16"}
    yield Model("ast", transformer("ASTModel", spectrogram, **(kTiny | {"max_length": 24, "num_mel_bins": 16,
                                                                     "patch_size": 8, "frequency_stride": 4,
                                                                     "time_stride": 4})), spectrogram, sizesOf(kBatch))
    mel = {"input_features": "float n s 16", "attention_mask": "mask n s"}
    yield Model("wav2vec2_bert", transformer("Wav2Vec2BertModel", mel, **(kTiny | {"feature_projection_input_dim": 16})), mel,
                sizesOf("n=2 s=20; n=3 s=28"))


def pictures():
    clip = kTiny | {"image_size": 32, "patch_size": 8, "projection_dim": 16}
    yield vision("vit", "ViTForImageClassification")
    yield vision("deit", "DeiTModel")
    yield vision("beit", "BeitModel", use_relative_position_bias=True)
    yield freeVision("dinov2", "Dinov2Model", **(kTiny | {"image_size": 32, "patch_size": 8}), sizes="n=2 h=32 w=40; n=1 h=48 w=32")
    yield freeVision("swin", "SwinModel", image_size=64, embed_dim=16, depths=[1, 1], num_heads=[1, 2], window_size=4)
    yield freeVision("swinv2", "Swinv2Model", image_size=64, embed_dim=16, depths=[1, 1], num_heads=[1, 2], window_size=4)
    yield freeVision("segformer", "SegformerForSemanticSegmentation", **kSegformer)
    yield freeVision("convnextv2", "ConvNextV2Model", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])
    yield freeVision("hf_resnet", "ResNetModel", embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])
    yield freeVision("regnet", "RegNetModel", embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
                     groups_width=4)
    yield freeVision("mobilevit", "MobileViTModel", hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 16, 24, 24, 32],
                     num_attention_heads=2, intermediate_size=32, image_size=64)
    yield freeVision("poolformer", "PoolFormerModel", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])
    yield freeVision("pvt_v2", "PvtV2Model", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
                     num_attention_heads=[1, 2, 2, 4], mlp_ratios=[2, 2, 2, 2])
    yield freeVision("glpn", "GLPNForDepthEstimation", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
                     num_attention_heads=[1, 2, 2, 4], mlp_ratios=[2, 2, 2, 2], decoder_hidden_size=16)
    yield freeVision("focalnet", "FocalNetModel", image_size=64, embed_dim=8, depths=[1, 1], hidden_sizes=[8, 16],
                     focal_levels=[2, 2], focal_windows=[3, 3])
    yield vision("levit", "LevitModel", extent=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 3, 4], depths=[1, 1, 1],
                 key_dim=[8, 8, 8], patch_size=16)
    yield freeVision("clip_vision", "CLIPVisionModelWithProjection", **clip, fixed={"interpolate_pos_encoding": True},
                     sizes="n=2 h=32 w=40; n=1 h=48 w=32")
    yield vision("siglip_vision", "SiglipVisionModel")
    yield vision("yolos", "YolosForObjectDetection", outputs=2, num_detection_tokens=6, image_size=[32, 32], num_labels=5)
    masked = {"pixel_values": "float n 3 32 32", "noise": "unit n 16"}
    yield Model("vit_mae", transformer("ViTMAEModel", masked, **(kTiny | {"image_size": 32, "patch_size": 8})), masked,
                sizesOf(kBatch))
    yield vision("dpt", "DPTForDepthEstimation", extent=32, backbone_out_indices=[0, 1, 2, 3], num_hidden_layers=4,
                 neck_hidden_sizes=[8, 8, 16, 16], fusion_hidden_size=8)
    yield vision("hiera", "HieraModel", extent=64, embed_dim=8, depths=[1, 1], num_heads=[1, 2], patch_size=[7, 7],
                 patch_stride=[4, 4], patch_padding=[3, 3], query_stride=[2, 2], num_query_pool=1, masked_unit_size=[8, 8],
                 image_size=[64, 64])


kSegformer = {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 4],
              "decoder_hidden_size": 16, "num_labels": 5, "mlp_ratios": [2, 2, 2, 2]}


def mixed():
    text = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
            "max_position_embeddings": 64, "eos_token_id": 98, "projection_dim": 16, "pad_token_id": 0}
    picture = {"image_size": 32, "patch_size": 8, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
               "intermediate_size": 48, "projection_dim": 16}
    yield Model("clip_text", transformer("CLIPTextModelWithProjection", kText, **text), kText, sizesOf(kTextSizes))
    both = {"input_ids": "ids:99 m s", "pixel_values": "float n 3 32 32", "attention_mask": "mask m s"}
    sizes = sizesOf("m=3 n=2 s=7; m=2 n=3 s=12")
    config = {"text_config": text, "vision_config": picture, "projection_dim": 16}
    yield Model("clip", transformer("CLIPModel", both, outputs=4, **config), both, sizes)
    yield Model("siglip", transformer("SiglipModel", both, outputs=4,
                                      text_config={**text, "projection_size": 32}, vision_config=picture), both, sizes)
    pixels = {"pixel_values": "float n 3 h w", "pixel_mask": "ones n h w"}
    for name, kind, more in (("detr", "DetrForObjectDetection", {}),
                             ("conditional_detr", "ConditionalDetrForObjectDetection", {}),
                             ("table_transformer", "TableTransformerForObjectDetection", {}),
                             ("deformable_detr", "DeformableDetrForObjectDetection",
                              {"encoder_n_points": 2, "decoder_n_points": 2, "num_feature_levels": 2,
                               "decoder_layers": 2})):
        def config(more=more):
            return kDetr | kDetrBackbone | more | {"backbone_config": resNetConfig()}
        yield Model(name, holding(kind, pixels, 2, config), pixels, sizesOf(kImageSizes))


def ofTimm():
    for name in ("mixer_s32_224", "gmixer_12_224", "cait_xxs24_224", "xcit_nano_12_p16_224", "deit3_small_patch16_224"):
        yield fixedImage(name, timm(name), 224)
    for name in ("resnetv2_50", "repvgg_a0", "ghostnet_100", "edgenext_xx_small", "mobilenetv4_conv_small", "nfnet_f0",
                 "hardcorenas_a", "fastvit_t8", "efficientnet_lite0", "tf_efficientnet_b0", "dla34", "vovnet39a",
                 "skresnet18", "res2net50_26w_4s", "cspresnet50", "darknet53", "lcnet_050", "semnasnet_075", "eca_resnet33ts",
                 "coatnet_nano_rw_224"):
        yield image(name, timm(name))


kOldOpsets = {"hf_resnet": (9, 11, 13), "bert": (14,), "gpt2": (15,), "segformer": (16,), "tiny_faster_rcnn": (12, 16),
              "wav2vec2": (14,), "regnet": (8,)}
kInHalf = ("bert", "gpt2_past", "llama", "llama_past", "gemma2", "clip_text", "hf_resnet", "segformer", "vit", "whisper_encoder")


def models():
    """All of them, in the order of the table."""
    for family in (encoders, decoders, sequences, pictures, mixed, tinyClassifiers, tinyDetectors, classification, dense,
                   ofTimm):
        for model in family():
            yield model
            yield from (model.withOpset(opset) for opset in kOldOpsets.get(model.name, ()))
            if model.name in kInHalf:
                yield model.inHalf()
