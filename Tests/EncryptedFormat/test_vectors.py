# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Checks the test vectors of the page on the format with the functions of reader.py."""
import unittest
import reader

FILE_KEY = bytes(range(0x00, 0x20))
IDENTITY = bytes(range(0xa0, 0xb0))
EPOCH = bytes(range(0x10, 0x20))
EPOCH_KEY = "d6f38714494ea95f03a40d193ede0b97826a6b288b5d817c13f4f267c2dc8e84"
UNIT = bytes.fromhex("""
101112131415161718191a1b1c1d1e1f00000000000000010a021bbcee53bf29
9e19e9eda59484b0f8889230e5a81f519ad49f
""")
KEY = bytes(range(0x20, 0x40))
KEY_SEALING_KEY = "b5ea9b4d3c10e38398eb78aede32cc66391a8d6ceafd3c450a28b1bbd38e27f5"
KEY_HEADER = bytes.fromhex("""
89534f55500d0a1a000100010100000000002000000000000000000000000001
a0a1a2a3a4a5a6a7a8a9aaabacadaeaf01000000000000000000000040414243
4445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263
6465666768696a6bc60af16cd416567b8cb09201c948c5435f704417f9db92f8
8a1cb6be719ce7bc9d4b4aa400f035fd324eadba30d4ef138b05c7e1b84d81a3
a5a40b54b5f29ecd2087028dbe367fffd1af36d956280f36
""")
PASSPHRASE = b"correct horse"
PASSPHRASE_SEALING_KEY = "9ba031c8571f969d2e0a3182dcb904bb9c4a2b0c928f8b320b6f67fc0953f32c"
PASSPHRASE_HEADER = bytes.fromhex("""
89534f55500d0a1a000100010100000000002000000000000000000000000001
a0a1a2a3a4a5a6a7a8a9aaabacadaeaf020f0000000000080000000340414243
4445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263
6465666768696a6b1be11a5f53624d11a391a95cd6e19338688fae5d7e68e92a
5001482dbca129c88af6418d56f1c720c1185ab565e07bff19be460626a2ecf1
3f892933f12d1259ddb22b7f498cb7d2f712742cfc03b98e
""")


def flip(data, position):
    return data[:position] + bytes([data[position] ^ 1]) + data[position + 1:]


class TestVectors(unittest.TestCase):
    def test_unit(self):
        self.assertEqual(reader.epoch_key(FILE_KEY, EPOCH).hex(), EPOCH_KEY)
        self.assertEqual(reader.open_unit(FILE_KEY, IDENTITY, reader.DATABASE, 0, UNIT), b"hello, soup")

    def test_changed_unit(self):
        for position in range(len(UNIT)):
            self.assertIsNone(reader.open_unit(FILE_KEY, IDENTITY, reader.DATABASE, 0, flip(UNIT, position)))
        for length in range(len(UNIT)):
            self.assertIsNone(reader.open_unit(FILE_KEY, IDENTITY, reader.DATABASE, 0, UNIT[:length]))
        self.assertIsNone(reader.open_unit(FILE_KEY, IDENTITY, reader.DATABASE, 1, UNIT))
        self.assertIsNone(reader.open_unit(FILE_KEY, IDENTITY, reader.LOG, 0, UNIT))
        self.assertIsNone(reader.open_unit(FILE_KEY, flip(IDENTITY, 0), reader.DATABASE, 0, UNIT))
        self.assertIsNone(reader.open_unit(flip(FILE_KEY, 0), IDENTITY, reader.DATABASE, 0, UNIT))

    def check_header(self, stored, secret, sealing_key, derivation, parameters):
        self.assertEqual(len(stored), 184)
        header = reader.parse_header(stored.ljust(4096, b"\0") * 2)
        self.assertEqual((header.unit, header.number, header.id), (8192, 1, IDENTITY))
        self.assertEqual((header.salt, header.nonce), (bytes(range(0x40, 0x60)), bytes(range(0x60, 0x6c))))
        self.assertEqual((header.kdf, (header.log_n, header.r, header.p)), (derivation, parameters))
        self.assertEqual(reader.sealing_key(header, secret).hex(), sealing_key)
        self.assertEqual(reader.open_file_key(header, secret), FILE_KEY)
        with self.assertRaisesRegex(reader.StoreError, "wrong key"):
            reader.open_file_key(header, flip(secret, 0))

    def test_key(self):
        self.check_header(KEY_HEADER, KEY, KEY_SEALING_KEY, 1, (0, 0, 0))

    def test_passphrase(self):
        self.check_header(PASSPHRASE_HEADER, PASSPHRASE, PASSPHRASE_SEALING_KEY, 2, (15, 8, 3))

    def test_damaged_header(self):
        good, damaged = KEY_HEADER.ljust(4096, b"\0"), flip(KEY_HEADER, 100).ljust(4096, b"\0")
        self.assertEqual(reader.parse_header(damaged + good), reader.parse_header(good + damaged))
        with self.assertRaisesRegex(reader.StoreError, "header is damaged"):
            reader.parse_header(damaged * 2)
        with self.assertRaisesRegex(reader.StoreError, "not encrypted"):
            reader.parse_header(b"SQLite format 3\0".ljust(8192, b"\0"))


if __name__ == "__main__":
    unittest.main()
