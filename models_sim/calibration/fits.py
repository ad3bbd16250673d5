"""The fit of each family. Only calibration imports this, because of scipy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import polars as pl

from models_sim.base.family import Floats
from models_sim.base.parameters import Parameters
from models_sim.models.linux.family import BINDINGS, CLIENT
from models_sim.models.linux.fit import fit as fit_linux
from models_sim.models.mft.families import MFT_WAN, MFT_ZOS
from models_sim.models.mft.fit import fit as fit_mft
from models_sim.models.processors.family import PROCESSORS
from models_sim.models.processors.fit import fit as fit_processors
from models_sim.models.stated.fit import fit as fit_stated
from models_sim.models.stated.mft import STATED_MFT
from models_sim.models.stated.mft import keys_of as mft_keys
from models_sim.models.stated.systems import STATED_SYSTEMS
from models_sim.models.stated.systems import keys_of as system_keys
from models_sim.models.zcx.family import ZCX
from models_sim.models.zcx.fit import fit as fit_zcx
from models_sim.models.ziip.family import ZIIP
from models_sim.models.ziip.fit import fit as fit_ziip

#: fit(cells, weights, start): fit the `value` of the cells with a weight above zero.
Fit = Callable[[pl.DataFrame, Floats, Parameters], Parameters]

#: The fit of each family, by the family's name.
FITS: Mapping[str, Fit] = {
    MFT_ZOS.name: partial(fit_mft, MFT_ZOS),
    MFT_WAN.name: partial(fit_mft, MFT_WAN),
    CLIENT.name: partial(fit_linux, CLIENT.connection),
    BINDINGS.name: partial(fit_linux, BINDINGS.connection),
    ZCX.name: fit_zcx,
    PROCESSORS.name: fit_processors,
    STATED_SYSTEMS.name: partial(fit_stated, system_keys, "count"),
    STATED_MFT.name: partial(fit_stated, mft_keys, "1"),
    ZIIP.name: fit_ziip,
}
