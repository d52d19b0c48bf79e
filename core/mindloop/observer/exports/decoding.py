"""Bytes of an export as text: UTF-8 with or without a byte order mark, UTF-16 with one. Nothing else is guessed."""

from __future__ import annotations

import codecs

from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

CHUNK = 1 << 18
"""Bytes read at once."""

_AS_UTF8 = "Save it as UTF-8 (in an editor: Save as, encoding UTF-8), or export it again."
_UTF32 = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_PACKED = ((b"PK\x03\x04", "a zip archive"), (b"\x1f\x8b", "a gzip archive"), (b"%PDF", "a PDF"))


def encoding_of(head: bytes, name: str) -> tuple[str, int]:
    """Return the encoding of a file that begins with ``head``, and how many bytes its mark takes.

    Raises:
        WrongInput: it is empty, an archive, or in an encoding that is not read.
    """
    if not head:
        raise WrongInput(f"{name} is empty", "Export the conversation again.")
    packed = next((what for mark, what in _PACKED if head.startswith(mark)), None)
    if packed:
        raise WrongInput(f"{name} is {packed}", "Unpack or convert it, then name the file with the messages.")
    if head.startswith(_UTF32):
        raise WrongInput(f"{name} is UTF-32: its first bytes are {head[:4].hex(' ')}", _AS_UTF8)
    found = next(((codec, len(mark)) for mark, codec in _MARKS if head.startswith(mark)), None)
    if found is None and head.count(0) * 4 > len(head):
        raise WrongInput(f"{name} is no UTF-8: byte {head.find(0)} is 0, as in UTF-16 without a mark", _AS_UTF8)
    return found or ("utf-8", 0)


class Decoder:
    """Text of an open file, piece by piece.

    Halves of surrogate pairs come through as such: one spoils a message, not an export.

    Attributes:
        cut: whether the file ended inside a character; known once everything was read.
    """

    __slots__ = ("_file", "_name", "cut")

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self.cut = False

    def __iter__(self) -> Iterator[str]:
        """Yield what was read.

        Raises:
            WrongInput: a byte that is not of the encoding; the message counts from 0.
        """
        data = self._file.read(CHUNK)
        codec, offset = encoding_of(data, self._name)
        decoder = codecs.getincrementaldecoder(codec)("surrogatepass")
        data = data[offset:]
        while data:
            held = len(decoder.getstate()[0])
            try:
                text = decoder.decode(data)
            except UnicodeDecodeError as error:
                raise self._refused(error, codec, offset - held) from error
            if text:
                yield text
            offset += len(data)
            data = self._file.read(CHUNK)
        self.cut = bool(decoder.getstate()[0])

    def _refused(self, error: UnicodeDecodeError, codec: str, start: int) -> WrongInput:
        byte = error.object[error.start]
        where = start + error.start
        return WrongInput(f"{self._name} is no {codec.upper()[:6]}: byte {where} is 0x{byte:02X}", _AS_UTF8)
