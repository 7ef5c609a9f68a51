// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Logins that were signed once, and the public key to verify them; the private key is not stored.
enum SignedLogins {
    /// A login for `other@example.org`, signed with the key.
    static let good = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJlbXUtY2xpZW50Iiwic3ViIjoib3RoZXJAZXhhbXBsZS5vcmciLCJ\
        hdWQiOiJodHRwczovL2xvZ2luLnNhbGVzZm9yY2UuY29tIiwiZXhwIjo0MTAyNDQ0ODAwfQ.Bryj3UDctoq9o9Z9ZO64UCRCKzvn\
        NzzV9CsiTiTio5ma9BvH64WhIsz6kasoSoLPItQfaDtb938aOv_06b1fziIOIOr4_nQF_rSevIUgSLu0fgjcjCUi7Ihpdz--Ie7Q\
        dN-ar3gKrCNKq8vH7CarJA6QFxYf2zMbFlNn6uun_LHcr0t0e5Ruiz3uoPXX1s0OPOsSKGXoZidvC4ZorNnue3hJFUaNgDO1FiMu\
        9zGUsEof_6fOIhnyhQaIRgF-GHHlOKg-RSs30F1WBBuJOMmCdU-VxJECaGa4cS6IM7KrTSd4tfQn4DYsQt98oyUCIEBBoyYv7SR-\
        Ds00DRW4Kalhow
        """
    /// Like ``good``, signed with another key.
    static let byAnother = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJlbXUtY2xpZW50Iiwic3ViIjoib3RoZXJAZXhhbXBsZS5vcmciLCJ\
        hdWQiOiJodHRwczovL2xvZ2luLnNhbGVzZm9yY2UuY29tIiwiZXhwIjo0MTAyNDQ0ODAwfQ.CQKW1H3agIGoKH9tT718GibPWeNz\
        GRXqx9b1QX7Pvg0SrGMz6p4Io809gljev-ynS-EC04AkmBqFUDjiJkY0WQgHW9Kk6iNDAJZkUcyAkAMOg-SDwdJq7JQUnOWlZn81\
        Eh6M1onZixVEwQTcQAhH7cFOdzSlrZdFeRvRtmEuHCszxRw1dId5jMYg6tnZsL9dp8sKneGjz4UaR6QtZw2El2O5KcLCcdD0Ftie\
        9vnUZb3fqjXHMfVAnh1lu-Wng7ar0COVMw7MYCwYhr-dEudOeWLJYgPZRcezNalQfD5P-iGD0XGAumfY4rcmh8OIWv2teZlnFVPA\
        YcWyZ35HrQd_GA
        """
    /// A login for another server, signed with the key.
    static let forAnother = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJlbXUtY2xpZW50Iiwic3ViIjoib3RoZXJAZXhhbXBsZS5vcmciLCJ\
        hdWQiOiJodHRwczovL2V2aWwuZXhhbXBsZSIsImV4cCI6NDEwMjQ0NDgwMH0.O6chdvw5sabAyJUfgmplzwFkXBs75ezioSkjf2N\
        0yuoI0CQSry3Il45E2k1uqkA9I-0nB5Iup8ywjCcBNnuxvApRIz2LAxQzxdMqemPA3rxBwreXP_LB1JsZwrYSxPIzOquAPiN5fL_\
        6JsO8C79LwXj48uwxg7MO6bEpX90aOQ_xwcSgmFYJm8cxgGHgrjKj1PRmInXN55u1s8Xl8bgEfqe0d61ZT1nuv0uexD4u1l-VMba\
        MrXLHlKoqkFVZFbZj7bBCoH32Bf3-A6FWzuCTz_zGVun2_RlAiJGUf5k5fc45sJJv-Sd6xWg_gWa-7pbpLOIBYj4j_ARJ7aCBxVl\
        qoA
        """
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAudmh6r9viaPbuedFojsM
        Be4jnL+W3TeS5JPHCbHRxw6eAevpd8QeQCrVE2oCGysPt9pvPVW5CurMfpobN0HF
        qubzLAR7R23/mtrM1vY4xp+GEZECUz5BZ6AjFdbtx9Phv5qmfQkut0Ar907KnCFF
        ulqg8PH7bcX2GmcK39fxFrRbM1PYFRyjdQAnJ7ZMhHzoiakQhBmZtHOdIx5d90fK
        /pg/AAFTw5I662kfjv6DFW0LSIxrifmjMhshngBSd6SvAGsnVq3YFbZVbiVa/FrW
        +kUWYTo/L54o75eqzFmArDuzJ1/Hs2rWx17fgsNzH7MpnTyfXM6GwSIDVga+IxrR
        8wIDAQAB
        -----END PUBLIC KEY-----
        """
}
