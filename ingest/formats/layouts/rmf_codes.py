"""Documented values of codes in RMF's records."""

from __future__ import annotations

from types import MappingProxyType

__all__ = [
    "ACCELERATORS",
    "BOOST_CLASSES",
    "COMPLEX_TYPES",
    "COPROCESSORS",
    "CPU_TYPES",
    "PATH_MODES",
    "PKCS11_COPROCESSORS",
    "POLARIZATION",
    "SCOPES",
    "STRUCTURES",
]

BOOST_CLASSES = MappingProxyType({1: "IPL", 2: "shutdown", 3: "recovery"})
COMPLEX_TYPES = MappingProxyType({3: "9672, zSeries"})
CPU_TYPES = MappingProxyType({0: "CP", 1: "zAAP", 2: "zIIP"})
POLARIZATION = MappingProxyType(
    {
        0: "horizontal, or not reported",
        1: "vertical low",
        2: "vertical medium",
        3: "vertical high",
    }
)
COPROCESSORS = MappingProxyType(
    {
        3: "PCICC",
        5: "PCIXCC",
        7: "CEX2C",
        9: "CEX3C",
        10: "CEX4C",
        11: "CEX5C",
        12: "CEX6C",
        13: "CEX7C",
        14: "CEX8C",
    }
)
ACCELERATORS = MappingProxyType({11: "CEX5A", 12: "CEX6A", 13: "CEX7A", 14: "CEX8A"})
PKCS11_COPROCESSORS = MappingProxyType(
    {10: "CEX4P", 11: "CEX5P", 12: "CEX6P", 13: "CEX7P", 14: "CEX8P"}
)
SCOPES = MappingProxyType({0: "the machine", 1: "the system"})
STRUCTURES = MappingProxyType({1: "list", 2: "serialized list", 3: "lock", 4: "cache"})
PATH_MODES = MappingProxyType(
    {
        0x01: "CFP, 1.0625 Gbit/s",
        0x02: "CFP, 2.125 Gbit/s",
        0x10: "CIB, 1x IFB, HCA2-O LR",
        0x11: "CIB, 12x IFB, HCA2-O",
        0x20: "CIB, 1x IFB, HCA3-O LR",
        0x21: "CIB, 12x IFB, HCA3-O",
        0x30: "CIB, 12x IFB3, HCA3-O",
        0x40: "CS5, 8x PCIe generation 3, PCIe-O",
        0x50: "CL5, 10 Gbit/s Ethernet, RoCE LR",
        0x51: "CL6, 25 Gbit/s Ethernet, RoCE",
    }
)
