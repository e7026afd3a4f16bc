"""Whole files of text, and what is said where one cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.errors import ConfigurationError
from tocsin.model.read.text import read_text


def test_a_byte_order_mark_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.tocsin"
    file.write_bytes(b"\xef\xbb\xbfDEFINE")
    assert read_text(file) == "DEFINE"


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    latin = tmp_path / "latin.tocsin"
    latin.write_bytes(b"\xe9")
    with pytest.raises(ConfigurationError, match=r"latin.tocsin is not UTF-8 text; save it as"):
        read_text(latin)
    with pytest.raises(ConfigurationError, match=r"is a directory; name a file$"):
        read_text(tmp_path, if_directory="name a file")
    with pytest.raises(ConfigurationError, match=r"no file .*nothing$"):
        read_text(tmp_path / "nothing")
    with pytest.raises(ConfigurationError, match=r"cannot be read: (Not a directory|File name)"):
        read_text(latin / "below")
