# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Decrypts an encrypted store and lists its soups. Written from the page on the format alone."""
import argparse, base64, collections, functools, hashlib, os, re, sqlite3, struct, sys, tempfile
from pathlib import Path
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

MARK, COPY, OVERHEAD, DATABASE, LOG = bytes.fromhex("89534f55500d0a1a"), 4096, 40, 1, 2
LAYOUT = struct.Struct(">8sHHB3xI4xQ16sBB2xII32s12s48s")
Header = collections.namedtuple("Header", "mark version cipher kind unit number id kdf log_n r p salt nonce sealed aad")

class StoreError(Exception): pass

class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise StoreError(message)

def parse_copy(data):
    """Returns a copy of the header, or None if it is not valid."""
    valid = data.startswith(MARK) and len(data) >= 184 and hashlib.sha256(data[:152]).digest() == data[152:184]
    return Header(*LAYOUT.unpack_from(data), data[:92]) if valid else None

def parse_header(data):
    if MARK not in (data[:8], data[COPY:COPY + 8]):
        raise StoreError("the file is not encrypted in this format")
    valid = [copy for copy in map(parse_copy, (data[:COPY], data[COPY:])) if copy]
    if not valid:
        raise StoreError("the header is damaged: no copy of it is valid")
    header = max(valid, key=lambda copy: copy.number)
    known = (header.version, header.cipher, header.kind) == (1, 1, DATABASE) and header.kdf in (1, 2)
    n, r, p, zeros = 1 << header.log_n, header.r, header.p, header.aad[13:16] + header.aad[20:24] + header.aad[50:52]
    scrypt_fits = 2 <= n <= 1 << 20 and 1 <= r <= 16 and 1 <= p <= 16 and n * r <= 1 << 21 and n * r * p <= 12582912
    fits = (scrypt_fits if header.kdf == 2 else (n, r, p) == (1, 0, 0)) and header.unit in range(512, 65537)
    if not (known and fits) or any(zeros):
        raise StoreError("the header has an unknown version, cipher, kind, derivation, parameter or length of units")
    return header

def hkdf(key, salt, info):
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(key)

def sealing_key(header, secret):
    if header.kdf == 1:
        return hkdf(secret, header.salt, b"SoupKit file key")
    return Scrypt(salt=header.salt, length=32, n=1 << header.log_n, r=header.r, p=header.p).derive(secret)

def open_file_key(header, secret):
    try:
        return AESGCM(sealing_key(header, secret)).decrypt(header.nonce, header.sealed, header.aad)
    except InvalidTag:
        raise StoreError("wrong key: the secret is not that of the store") from None

@functools.lru_cache(maxsize=1000)
def epoch_key(file_key, epoch):
    return hkdf(file_key, epoch, b"SoupKit unit")

def open_unit(file_key, identity, kind, index, stored):
    """Returns the content of a stored unit, or None if it cannot be decrypted."""
    epoch, number, sealed = stored[:16], stored[16:24], stored[24:]
    try:
        aad = identity + struct.pack(">BQ", kind, index)
        return AESGCM(epoch_key(file_key, epoch)).decrypt(bytes(4) + number, sealed, aad)
    except (InvalidTag, ValueError):  # ValueError: the nonce is too short, because the file ends in the unit
        return None

def decrypt_log(file_key, identity, data):
    """Returns the contents of the units of a log, which ends at the first unit that cannot be decrypted."""
    units, offset, length = [], 0, 32
    while (unit := open_unit(file_key, identity, LOG, len(units), data[offset:offset + length + OVERHEAD])) is not None:
        units.append(unit)
        offset += length + OVERHEAD
        length = 24 if len(units) % 2 else int.from_bytes(units[0][8:12], "big")
    return units

def decrypt_store(store, key, passphrase, output):
    """Writes the database and its log. Returns the indexes of damaged units, and the filler written instead of them."""
    with open(store, "rb") as source, open(output, "xb") as target:
        header, damaged, index = parse_header(source.read(2 * COPY)), [], 0
        if (passphrase is None) != (header.kdf == 1):
            raise StoreError("wrong key: the store has a " + ("key" if header.kdf == 1 else "passphrase"))
        file_key = open_file_key(header, key or passphrase.encode("utf-8", "surrogateescape"))
        log = Path(store + "-wal").read_bytes() if os.path.exists(store + "-wal") else b""
        log = decrypt_log(file_key, header.id, log)
        Path(output + "-wal").write_bytes(b"".join(log))
        # The sizes of the database in the frames, in pages. A frame with another salt is a rest of an earlier log.
        sizes = [int.from_bytes(frame[4:8], "big") for frame in log[1::2] if frame[8:16] == log[0][16:24]]
        filler = os.urandom(16) * (header.unit // 16)
        while len(stored := source.read(header.unit + OVERHEAD)) > OVERHEAD or index < max(sizes, default=0):
            content = open_unit(file_key, header.id, DATABASE, index, stored)
            if content is None or len(content) != header.unit:
                content = filler
                if index != 0x40000000 // header.unit:  # the page of the locks of SQLite, which it never writes
                    damaged.append(index)
            elif index == 0 and not sizes and int.from_bytes(content[16:18], "big") == header.unit:
                sizes = [int.from_bytes(content[28:32], "big")]
            target.write(content)
            index += 1
    return damaged, filler

def list_soups(path, damaged, filler):
    """Returns the lines of the soups. First writes the log into the database: it can contain pages of damaged units."""
    database = sqlite3.connect(path)
    try:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        with open(path, "rb") as file:
            damaged = [i for i in damaged if file.seek(i * len(filler)) >= 0 and file.read(len(filler)) == filler]
        soups = database.execute("SELECT id, soupName FROM soup_attrs ORDER BY id").fetchall()
        return [f"{name}: {database.execute(f'SELECT count(*) FROM TABLE_{id}').fetchone()[0]}\n" for id, name in soups]
    finally:
        database.close()
        if damaged:
            raise StoreError(f"unit {damaged[0]} of the database is damaged or missing")

def parse_key(text):
    text = "".join(text.split())
    if re.fullmatch("[0-9A-Fa-f]{64}", text):
        return bytes.fromhex(text)
    if re.fullmatch("[0-9A-Za-z+/]{43}=", text):
        return base64.b64decode(text)
    raise StoreError("a key is 32 bytes, as 64 hexadecimal digits or Base64")

def run(folder):
    parser = Parser(description="Lists the soups of an encrypted store.", allow_abbrev=False)
    parser.add_argument("store")
    secrets = parser.add_mutually_exclusive_group(required=True)
    secrets.add_argument("--key-file", dest="key", type=lambda path: parse_key(Path(path).read_text(errors="replace")))
    secrets.add_argument("--key", type=parse_key)
    secrets.add_argument("--passphrase")
    parser.add_argument("--output", default=os.path.join(folder, "plain.db"))
    options = parser.parse_args()
    try:
        damaged, filler = decrypt_store(options.store, options.key, options.passphrase, options.output)
        return list_soups(options.output, damaged, filler)
    except StoreError:
        for suffix in ("", "-wal", "-shm"):
            Path(options.output + suffix).unlink(missing_ok=True)
        raise

def main():
    try:
        with tempfile.TemporaryDirectory() as folder:
            print(*run(folder), sep="", end="")
    except (StoreError, OSError, MemoryError, sqlite3.Error) as error:
        sys.exit("reader: " + " ".join(str(error).split()))

if __name__ == "__main__":
    main()
