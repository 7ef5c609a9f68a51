// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension MediumSeed {
    static let nouns = [
        "Alder", "Birch", "Cedar", "Delta", "Ember", "Falcon", "Granite", "Harbour", "Iris", "Juniper", "Kestrel",
        "Lantern", "Meridian", "Northern", "Orchard", "Pioneer", "Quarry", "Redwood", "Summit", "Tidewater", "Union",
        "Valley", "Willow", "Zenith",
    ]
    static let trades = [
        "Analytics", "Bakery", "Biotech", "Builders", "Chemicals", "Dental", "Electric", "Foods", "Freight", "Glass",
        "Hotels", "Insurance", "Logistics", "Machinery", "Media", "Optics", "Paper", "Robotics", "Shipping", "Textiles",
    ]
    static let forms = ["Inc", "Ltd", "GmbH", "Group", "& Sons", "Partners"]
    static let industries = [
        "Agriculture", "Banking", "Biotechnology", "Construction", "Education", "Energy", "Finance", "Healthcare",
        "Insurance", "Manufacturing", "Retail", "Shipping", "Technology", "Utilities",
    ]
    static let streets = [
        "Market Street", "High Street", "Station Road", "Mill Lane", "Park Avenue", "Church Road", "Victoria Road",
        "Harbour Way", "Queen Street", "Bridge Street",
    ]
    /// City, state, country.
    static let cities = [
        ("Austin", "TX", "USA"), ("Boston", "MA", "USA"), ("Chicago", "IL", "USA"), ("Denver", "CO", "USA"),
        ("Oslo", "Oslo", "Norway"), ("Lyon", "Rhône", "France"), ("Zürich", "ZH", "Switzerland"),
        ("Leeds", "Yorkshire", "United Kingdom"), ("Porto", "Porto", "Portugal"), ("Osaka", "Osaka", "Japan"),
        ("Toronto", "ON", "Canada"), ("Perth", "WA", "Australia"),
    ]
    static let firstNames = [
        "Ada", "Amir", "Anna", "Ben", "Carla", "Chen", "Clara", "Daniel", "Diego", "Elena", "Emma", "Farid", "Finn",
        "Grace", "Hana", "Henry", "Ines", "Ivan", "Jonas", "Julia", "Kofi", "Lara", "Leo", "Lina", "Marco", "Maya",
        "Nadia", "Noah", "Olga", "Omar", "Paula", "Priya", "Quinn", "Rosa", "Samir", "Sofia", "Tara", "Theo", "Uma",
        "Victor", "Wen", "Yara", "Zoe",
    ]
    static let lastNames = [
        "Adler", "Almeida", "Andersen", "Bauer", "Bennett", "Castro", "Chang", "Cooper", "Dubois", "Eriksen", "Fischer",
        "Garcia", "Gupta", "Haddad", "Hansen", "Ito", "Jensen", "Kaya", "Khan", "Kowalski", "Larsen", "Lopez", "Martin",
        "Meyer", "Mori", "Nguyen", "Novak", "Okafor", "Olsen", "Patel", "Pereira", "Quist", "Rossi", "Sato", "Schmidt",
        "Silva", "Tanaka", "Umar", "Vogel", "Weber", "Xu", "Young", "Zimmer",
    ]
    static let titles = [
        "Account Manager", "Buyer", "CEO", "CFO", "CTO", "Director of Operations", "Engineer", "Facilities Manager",
        "Head of Purchasing", "Office Manager", "Plant Manager", "Procurement Lead", "SVP, Sales", "Technician",
        "VP, Finance",
    ]
    static let departments = [
        "Administration", "Engineering", "Finance", "Legal", "Logistics", "Marketing", "Operations", "Procurement",
        "Sales", "Service",
    ]
    static let products = [
        "Compressor", "Conveyor", "Filter Unit", "Generator", "Heat Pump", "Label Printer", "Pump", "Sensor Kit",
        "Service Plan", "Valve Set",
    ]
    static let troubles = [
        "does not start", "leaks", "makes noise", "needs a new part", "was delivered late", "shows error 41",
        "stops after an hour", "manual is missing",
    ]
}
