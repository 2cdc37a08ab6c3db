"""The archive of a DOCX file: opened with limits, and written with changed files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

from regard.errors import DocumentError

MAX_MEMBERS = 5_000
MAX_UNPACKED = 64 * 2**20
MAX_RATIO = 200


def open_archive(content: bytes) -> zipfile.ZipFile:
    """Open a DOCX file. Raises DocumentError if it is none, too large, or has macros."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DocumentError(f"not a DOCX file ({error}).") from None
    members = archive.infolist()
    unpacked = sum(info.file_size for info in members)
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED:
        raise DocumentError(
            f"the archive has {len(members):,} files of {unpacked:,} bytes. At most "
            f"{MAX_MEMBERS:,} of {MAX_UNPACKED:,} bytes are read."
        )
    if unpacked > 2**20 and unpacked > MAX_RATIO * len(content):
        raise DocumentError(f"the archive unpacks to more than {MAX_RATIO} times its size.")
    names = {info.filename for info in members}
    if len(names) < len(members):
        raise DocumentError("a file is twice in the archive.")
    if "word/document.xml" not in names:
        raise DocumentError("not a DOCX file: word/document.xml is missing.")
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise DocumentError("documents with macros are not read. Save it as .docx.")
    if any(info.flag_bits & 1 for info in members):
        raise DocumentError("the archive is encrypted. Remove the password.")
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> str:
    """Return the text of a file of the archive. Raises DocumentError."""
    try:
        return archive.read(name).decode()
    except (zipfile.BadZipFile, OSError, EOFError, UnicodeDecodeError, ValueError) as error:
        raise DocumentError(f"{name}: cannot be read ({error}).") from None
    except Exception as error:  # zlib.error, and others of damaged archives
        raise DocumentError(f"{name}: cannot be unpacked ({error}).") from None


def rewrite_archive(content: bytes, changes: Mapping[str, Callable[[str], str]]) -> bytes:
    """Return the archive with the texts of some files changed, by name; all others are copied."""
    out = io.BytesIO()
    with open_archive(content) as archive, zipfile.ZipFile(out, "w") as written:
        for info in archive.infolist():
            change = changes.get(info.filename)
            if change is None:
                data = archive.read(info)
            else:
                data = change(read_member(archive, info.filename)).encode()
            written.writestr(info, data, info.compress_type)
    return out.getvalue()
