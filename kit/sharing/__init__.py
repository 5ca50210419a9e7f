"""Give an encoder away: as ONNX, with a card that says what it is, and to the Hub.

export_onnx, OnnxEncoder   a graph for programs without torch, and the encoder that runs it
CutEncoder                 the first dimensions of its vectors, as a folder for sentence-transformers
encoder_card               what it is, its figures with intervals, its limits
push                       to the Hub, with the user's own token
"""

from kit.sharing.cut_vectors import CutEncoder
from kit.sharing.encoder_card import encoder_card
from kit.sharing.onnx_export import OnnxEncoder, OnnxReport, export_onnx
from kit.sharing.push_to_hub import push

__all__ = ["CutEncoder", "export_onnx", "OnnxEncoder", "OnnxReport", "encoder_card", "push"]
