"""More data than memory holds, and more processes than one (lesson 12)."""

from __future__ import annotations

from kit.scaling.row_stream import Stream, load_stream, stream_of

__all__ = ["Stream", "load_stream", "stream_of"]
