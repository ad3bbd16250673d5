"""Cryptographic hardware, SMF 70 subtype 2: cards, and the services of ICSF.

A card's times are numbers that its scale factor (R7023SF, R7024SF, R7025SF) turns into seconds,
according to MVS System Management Facilities, z/OS 2.1, "Cryptographic CCA Coprocessor Data
Section". Counts are for the machine or only for the domain of this system, depending on the
section's scope.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts.rmf_codes import ACCELERATORS, COPROCESSORS, PKCS11_COPROCESSORS, SCOPES
from ingest.formats.layouts.rmf_common import SOURCE

__all__ = ["ACCELERATOR", "CCA_COPROCESSOR", "ICSF_SERVICES", "PKCS11_COPROCESSOR"]


def _service(name: str, offset: int, what: str, work: str = "instructions") -> tuple[Field, ...]:
    """Return a service's calls, its bytes, and the instructions or operations that it took."""
    return (
        _calls(f"{name}c", offset, what),
        Field(f"r702{name}b", offset + 8, 8, "hexfloat", f"{what}: data", unit="bytes"),
        Field(f"r702{name}i", offset + 16, 8, "hexfloat", f"{what}: {work}", unit=work),
    )


def _calls(name: str, offset: int, what: str) -> Field:
    return Field(f"r702{name}", offset, 8, "hexfloat", f"{what}: calls", unit="calls")


# fmt: off
ICSF_SERVICES = Layout(
    table="smf70_2_icsf_services",
    title="Services of ICSF",
    source=f"{SOURCE}, structure R702CCF",
    length=604,
    fields=(
        *_service("sne", 0, "single DES encipher"),
        *_service("tne", 24, "triple DES encipher"),
        *_service("snd", 48, "single DES decipher"),
        *_service("tnd", 72, "triple DES decipher"),
        *_service("nmg", 96, "MAC generate"),
        *_service("nmv", 120, "MAC verify"),
        *_service("nha", 144, "SHA-1 hash"),
        _calls("nptc", 168, "PIN translate"),
        _calls("npvc", 176, "PIN verify"),
        *_service("nh2", 184, "SHA-224 and SHA-256 hash"),
        *_service("nh5", 208, "SHA-384 and SHA-512 hash"),
        Field("r702cdlv", 232, 4, "unsigned", "level of ICSF's data, which determines the valid counts"),
        *_service("aes", 236, "AES encipher on a coprocessor", "operations"),
        *_service("asd", 260, "AES decipher on a coprocessor", "operations"),
        _calls("drgc", 284, "RSA signature generate, from level 14 on"),
        _calls("drvc", 308, "RSA signature verify, from level 14 on"),
        _calls("degc", 332, "ECC signature generate, from level 14 on"),
        _calls("devc", 356, "ECC signature verify, from level 14 on"),
        *_service("amg", 380, "AES MAC generate, from level 18 on"),
        *_service("amv", 404, "AES MAC verify, from level 18 on"),
        *_service("fpe", 428, "FPE encipher, from level 20 on"),
        *_service("fpd", 452, "FPE decipher, from level 20 on"),
        *_service("fpt", 476, "FPE translate, from level 20 on"),
        *_service("fxe", 500, "FFX encipher, from level 23 on"),
        *_service("fxd", 524, "FFX decipher, from level 23 on"),
        *_service("fxt", 548, "FFX translate, from level 23 on"),
        _calls("dqgc", 572, "QSA signature generate, from level 23 on"),
        _calls("dqvc", 596, "QSA signature verify, from level 23 on"),
    ),
)

CCA_COPROCESSOR = Layout(
    table="smf70_2_crypto_cca_coprocessor",
    title="CCA coprocessor",
    source=f"{SOURCE}, structure R702TYP3",
    length=52,
    fields=(
        Field("r7023ax",     0, 1, "unsigned", "number of the card"),
        Field("r7023ct",     1, 1, "unsigned", "kind of card", codes=COPROCESSORS),
        Field("r7023all",    2, 1, "bit",      "values of all operations are valid", bit=0),
        Field("r7023rsa",    2, 1, "bit",      "values of RSA key generation are valid", bit=1),
        Field("r7023sf",     8, 8, "hexfloat", "seconds per unit of this section's times", unit="s"),
        Field("r7023t0",    16, 8, "hexfloat", "all operations, execution time", unit="r7023sf seconds"),
        Field("r7023c0",    24, 8, "hexfloat", "all operations", unit="operations"),
        Field("r7023c1",    40, 8, "hexfloat", "RSA key generations", unit="operations"),
        Field("r7023scope", 48, 1, "unsigned", "scope of the section", codes=SCOPES),
        Field("r7023did",   49, 1, "unsigned", "domain, if the scope is the system"),
    ),
)

ACCELERATOR = Layout(
    table="smf70_2_crypto_accelerator",
    title="Accelerator",
    source=f"{SOURCE}, structure R702TYP4",
    length=372,
    fields=(
        Field("r7024ax",      0, 1, "unsigned", "number of the card"),
        Field("r7024ct",      1, 1, "unsigned", "kind of card", codes=ACCELERATORS),
        Field("r7021km",      2, 1, "bit",      "1024-bit ME values are valid", bit=0),
        Field("r7022km",      2, 1, "bit",      "2048-bit ME values are valid", bit=1),
        Field("r7021kc",      2, 1, "bit",      "1024-bit CRT values are valid", bit=2),
        Field("r7022kc",      2, 1, "bit",      "2048-bit CRT values are valid", bit=3),
        Field("r7023km",      2, 1, "bit",      "4096-bit ME values are valid", bit=4),
        Field("r7023kc",      2, 1, "bit",      "4096-bit CRT values are valid", bit=5),
        Field("r7024en",      4, 4, "unsigned", "engines in use: elements of the arrays that are valid", unit="engines"),
        Field("r7024sf",      8, 8, "hexfloat", "seconds per unit of this section's times", unit="s"),
        Field("r7021met",    16, 8, "hexfloat", "RSA 1024-bit ME by engine, execution time", unit="r7024sf seconds", shape=(5,), strides=(64,)),
        Field("r7021mec",    24, 8, "hexfloat", "RSA 1024-bit ME by engine", unit="operations", shape=(5,), strides=(64,)),
        Field("r7022met",    32, 8, "hexfloat", "RSA 2048-bit ME by engine, execution time", unit="r7024sf seconds", shape=(5,), strides=(64,)),
        Field("r7022mec",    40, 8, "hexfloat", "RSA 2048-bit ME by engine", unit="operations", shape=(5,), strides=(64,)),
        Field("r7021crt",    48, 8, "hexfloat", "RSA 1024-bit CRT by engine, execution time", unit="r7024sf seconds", shape=(5,), strides=(64,)),
        Field("r7021crc",    56, 8, "hexfloat", "RSA 1024-bit CRT by engine", unit="operations", shape=(5,), strides=(64,)),
        Field("r7022crt",    64, 8, "hexfloat", "RSA 2048-bit CRT by engine, execution time", unit="r7024sf seconds", shape=(5,), strides=(64,)),
        Field("r7022crc",    72, 8, "hexfloat", "RSA 2048-bit CRT by engine", unit="operations", shape=(5,), strides=(64,)),
        Field("r7023met",   336, 8, "hexfloat", "RSA 4096-bit ME, execution time", unit="r7024sf seconds"),
        Field("r7023mec",   344, 8, "hexfloat", "RSA 4096-bit ME", unit="operations"),
        Field("r7023crt",   352, 8, "hexfloat", "RSA 4096-bit CRT, execution time", unit="r7024sf seconds"),
        Field("r7023crc",   360, 8, "hexfloat", "RSA 4096-bit CRT", unit="operations"),
        Field("r7024scope", 368, 1, "unsigned", "scope of the section", codes=SCOPES),
        Field("r7024did",   369, 1, "unsigned", "domain, if the scope is the system"),
    ),
)

PKCS11_COPROCESSOR = Layout(
    table="smf70_2_crypto_pkcs11_coprocessor",
    title="PKCS #11 coprocessor",
    source=f"{SOURCE}, structure R702TYP5",
    length=100,
    fields=(
        Field("r7025ax",     0, 1, "unsigned", "number of the card"),
        Field("r7025ct",     1, 1, "unsigned", "kind of card", codes=PKCS11_COPROCESSORS),
        Field("r7025sa",     2, 1, "bit",      "values of slow asymmetric functions are valid", bit=0),
        Field("r7025fa",     2, 1, "bit",      "values of fast asymmetric functions are valid", bit=1),
        Field("r7025sp",     2, 1, "bit",      "values of partial symmetric functions are valid", bit=2),
        Field("r7025sc",     2, 1, "bit",      "values of complete symmetric functions are valid", bit=3),
        Field("r7025ag",     2, 1, "bit",      "values of key generation are valid", bit=4),
        Field("r7025sf",     8, 8, "hexfloat", "seconds per unit of this section's times", unit="s"),
        Field("r7025sat",   16, 8, "hexfloat", "slow asymmetric functions, execution time", unit="r7025sf seconds"),
        Field("r7025sac",   24, 8, "hexfloat", "slow asymmetric functions", unit="operations"),
        Field("r7025fat",   32, 8, "hexfloat", "fast asymmetric functions, execution time", unit="r7025sf seconds"),
        Field("r7025fac",   40, 8, "hexfloat", "fast asymmetric functions", unit="operations"),
        Field("r7025spt",   48, 8, "hexfloat", "symmetric functions with partial results, execution time", unit="r7025sf seconds"),
        Field("r7025spc",   56, 8, "hexfloat", "symmetric functions with partial results", unit="operations"),
        Field("r7025sct",   64, 8, "hexfloat", "symmetric functions with complete results, execution time", unit="r7025sf seconds"),
        Field("r7025scc",   72, 8, "hexfloat", "symmetric functions with complete results", unit="operations"),
        Field("r7025agt",   80, 8, "hexfloat", "generation of asymmetric keys, execution time", unit="r7025sf seconds"),
        Field("r7025agc",   88, 8, "hexfloat", "generation of asymmetric keys", unit="operations"),
        Field("r7025scope", 96, 1, "unsigned", "scope of the section", codes=SCOPES),
        Field("r7025did",   97, 1, "unsigned", "domain, if the scope is the system"),
    ),
)
# fmt: on
